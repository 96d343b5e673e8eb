"""float16_to_float32: what a model computes in float16 is computed in float32; on request.

Inputs and outputs keep their types: a Cast stands behind each input and before each output of float16. Weights are
widened when they are written, one at a time.
"""

from __future__ import annotations

from typing import Any

from ..errors import UnsupportedModelError
from ..infer.engine import Inference
from ..infer.tail import infer_by_schema
from ..ir.dtypes import FLOAT, FLOAT16
from ..ir.graph import Graph, Model, Node, Value, add_use, rename, set_input
from ..ir.tensors import ArrayTensor, Tensor, deferred
from .catalog import declare
from .engine import Report

NAME = "float16_to_float32"
declare(NAME, "compute in float32 what a model computes in float16; inputs and outputs keep their types", kind="engine",
        default=False)

DEFER_FROM = 1 << 16
_TYPE_ATTRIBUTES = ("to", "dtype", "output_dtype")
_KNOWN_DOMAINS = ("", "com.microsoft", "ai.onnx.ml")


def widen(model: Model, report: Report) -> None:
    """Let the whole model, bodies included, compute in float32.

    Numerics: results are closer to exact, and finite where float16 overflows.

    Raises:
        UnsupportedModelError: an operator of another domain reads or makes float16.
    """
    Inference(model, tail=infer_by_schema).walk(model.graph)
    _refuse_foreign(model)
    changed = _inputs(model.graph) + _outputs(model.graph)
    for graph in model.graphs():
        for value in graph.constants:
            if value.dtype == FLOAT16 and value.tensor is not None and not value.is_input:
                value.tensor = widened(value.tensor)
                value.dtype = FLOAT
                changed += 1
        for name, info in graph.value_info.items():
            graph.value_info[name] = _restated(info)
        if graph.owner is not None:
            for value in (*graph.inputs, *graph.outputs):
                value.info = _restated(value.info) if hasattr(value.info, "type") else value.info
        for node in graph:
            changed += _node(node)
    _forget_facts(model)
    if changed:
        report.fired[NAME] = changed


def widened(tensor: Tensor) -> Tensor:
    """The same numbers as float32."""
    if tensor.nbytes < DEFER_FROM:
        return ArrayTensor(tensor.numpy().astype("float32"))
    return deferred(FLOAT, tensor.dims, lambda: tensor.numpy().astype("float32"), (tensor,))


def _refuse_foreign(model: Model) -> None:
    gaps = []
    for graph in model.graphs():
        for node in graph:
            if node.domain in _KNOWN_DOMAINS and (node.domain, node.op_type, node.overload) not in model.functions:
                continue
            if any(value is not None and value.dtype == FLOAT16 for value in (*node.inputs, *node.outputs)):
                gaps.append(f"{node.where()} ({node.domain}.{node.op_type})")
    if gaps:
        raise UnsupportedModelError(f"{NAME} does not know what these operators take", gaps=gaps)


def _inputs(graph: Graph) -> int:
    """A Cast behind every input of float16 that is read."""
    count = 0
    for value in graph.inputs:
        if value.dtype != FLOAT16 or not value.uses or graph.first is None:
            continue
        readers = list(value.uses)
        cast = _cast(graph, value, FLOAT, graph.model.unique(f"{value.name}_float32"))
        graph.insert_before(graph.first, cast)
        for reader in readers:
            for index, read in enumerate(reader.inputs):
                if read is value:
                    set_input(reader, index, cast.outputs[0])
        count += 1
    return count


def _outputs(graph: Graph) -> int:
    """A Cast before every output of float16 that is computed; the name goes with the output."""
    count = 0
    for place, value in enumerate(graph.outputs):
        if value.dtype != FLOAT16 or value.is_input:
            continue
        name = value.name
        rename(value, graph.model.unique(f"{name}_float32"))
        cast = _cast(graph, value, FLOAT16, name)
        made = cast.outputs[0]
        graph.append(cast)
        graph.outputs[place] = made
        value.outputs -= 1
        made.outputs += 1
        made.info, value.info = value.info, None
        count += 1
    return count


def _cast(graph: Graph, value: Value, to: int, name: str) -> Node:
    made = Value(name, graph)
    node = Node("Cast", [value], [made], attributes={"to": to})
    made.node = node
    add_use(value, node)
    return node


def _node(node: Node) -> int:
    """Types and tensors among the attributes of one node; the Casts of `_outputs` stay."""
    changes: dict[str, Any] = {}
    for name, value in node.attributes.items():
        if isinstance(value, Tensor) and value.dtype == FLOAT16:
            changes[name] = widened(value)
        elif name in _TYPE_ATTRIBUTES and value == FLOAT16 and node.proto is not None:
            changes[name] = FLOAT
    if changes:
        node._attributes = {**node.attributes, **changes}
        node.changed = True
    return bool(changes)


def _restated(info: Any) -> Any:
    """What is stated of a value, with float32 for float16."""
    fresh = type(info)()
    fresh.CopyFrom(info)
    _widen_type(fresh.type)
    return fresh


def _widen_type(proto: Any) -> None:
    kind = proto.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        tensor = getattr(proto, kind)
        tensor.elem_type = FLOAT if tensor.elem_type == FLOAT16 else tensor.elem_type
    elif kind in ("sequence_type", "optional_type"):
        _widen_type(getattr(proto, kind).elem_type)
    elif kind == "map_type":
        _widen_type(proto.map_type.value_type)


def _forget_facts(model: Model) -> None:
    """The types that were inferred hold no more."""
    for graph in model.graphs():
        for value in graph.inputs if graph.owner is not None else ():
            value.dtype = FLOAT if value.dtype == FLOAT16 else value.dtype
        for node in graph:
            for value in node.outputs:
                value.dtype, value.doubtful, value.type_proto = 0, False, None
