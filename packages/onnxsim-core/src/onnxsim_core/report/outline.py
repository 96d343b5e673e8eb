"""Nodes and edges of a model as plain data, for comparing, drawing and telling what happened."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..ir import dtypes
from ..ir.graph import AttributeRef, Graph, Model, Node, Value
from ..ir.tensors import Tensor

_LONG = 80
_SMALL = 16


@dataclass(frozen=True, slots=True)
class NodeOutline:
    """One node. `graph` is where it stands (`main`, `main/If_3.then_branch`); inputs and outputs are value names."""

    op: str
    name: str
    graph: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: tuple[tuple[str, str], ...] = ()

    @property
    def op_type(self) -> str:
        """The operator without its domain."""
        return self.op.rpartition(".")[2]


@dataclass(slots=True)
class Outline:
    """A whole model: nodes in order, and the type of every named value as text (`float32[batch, 3]`).

    `results` names the graph and values that the bodies of a node give, by the node's first output.
    """

    name: str = ""
    nodes: list[NodeOutline] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)
    constants: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    results: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


def outline(model: Model) -> Outline:
    """The outline of a model; only small constants are looked into."""
    made = Outline(model.graph.name)
    made.inputs = [value.name for value in model.graph.inputs]
    made.outputs = [value.name for value in model.graph.outputs]
    for graph in model.graphs():
        _add(made, graph)
    return made


def _add(made: Outline, graph: Graph) -> None:
    where = graph.where()
    if graph.owner is not None and graph.owner.outputs:
        given = made.results.setdefault(graph.owner.outputs[0].name, [])
        given += [(where, value.name) for value in graph.outputs]
    for value in graph.constants:
        made.constants[value.name] = constant_text(value)
        made.types[value.name] = type_text(value)
    for value in graph.inputs:
        made.types[value.name] = type_text(value)
    for node in graph:
        made.nodes.append(_node(node, where))
        for value in node.outputs:
            if value.name:
                made.types[value.name] = type_text(value)


def _node(node: Node, where: str) -> NodeOutline:
    op = f"{node.domain}.{node.op_type}" if node.domain else node.op_type
    inputs = [value.name if value is not None else "" for value in node.inputs]
    inputs += [f"{attribute}: {value}" for attribute, body in (node.bodies or {}).items() for value in outside(body)]
    attributes = [(name, attribute_text(value)) for name, value in sorted(node.attributes.items())]
    return NodeOutline(op, node.name, where, tuple(inputs), tuple(value.name for value in node.outputs),
                       tuple(attributes))


def outside(body: Graph) -> list[str]:
    """Names of the values a body reads from around it."""
    found: dict[str, None] = {}
    inner = {id(body)}
    stack = [body]
    while stack:
        graph = stack.pop()
        for node in graph:
            for value in node.inputs:
                if value is not None and id(value.graph) not in inner:
                    found[value.name] = None
            for deeper in (node.bodies or {}).values():
                inner.add(id(deeper))
                stack.append(deeper)
    for value in body.outputs:
        if id(value.graph) not in inner:
            found[value.name] = None
    return list(found)


def type_name(dtype: int) -> str:
    """`float32`, `int64`, `bfloat16`."""
    name = dtypes.name(dtype).lower()
    return {"float": "float32", "double": "float64"}.get(name, name)


def type_text(value: Value) -> str:
    """`float32[batch, 3]`; `?` for what is not known."""
    if value.type_proto is not None and not value.dtype:
        return str(value.type_proto.WhichOneof("value")).removesuffix("_type")
    kind = type_name(value.dtype) if value.dtype else "?"
    return f"{kind}[?]" if value.shape is None else f"{kind}[{', '.join(map(str, value.shape))}]"


def constant_text(value: Value) -> str:
    """The elements of a small constant, else its type."""
    return type_text(value) if value.tensor is None else tensor_text(value.tensor) or type_text(value)


def tensor_text(tensor: Tensor) -> str:
    """The elements when there are few and each is short, else nothing."""
    exact = dtypes.is_int(tensor.dtype) or tensor.dtype == dtypes.BOOL
    if tensor.size > (_SMALL if exact else 1) or not exact and not dtypes.is_float(tensor.dtype):
        return ""
    array = tensor.numpy()
    return str(array.tolist()) if exact else f"{float(array.reshape(-1)[0]):g}" if array.size else "[]"


def attribute_text(value: Any) -> str:
    """An attribute in one short line."""
    if isinstance(value, bytes):
        text = value.decode("utf-8", "replace")
    elif isinstance(value, Tensor):
        text = tensor_text(value) or f"{type_name(value.dtype)}{list(value.dims)}"
    elif isinstance(value, AttributeRef):
        text = f"@{value.proto.ref_attr_name}"
    elif isinstance(value, tuple):
        text = str([item.decode("utf-8", "replace") if isinstance(item, bytes) else item for item in value])
    else:
        text = str(value)
    text = " ".join(text.split())
    return text if len(text) <= _LONG else text[: _LONG - 3] + "..."
