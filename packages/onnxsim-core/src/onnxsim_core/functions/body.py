"""The body of a function as a graph of its own, with the function's attributes as holes to be filled.

A body is read into a model that shares nothing with its caller but the table of symbolic sizes: names, operator sets
and facts are its own. A node with an attribute that the function's caller decides is *hidden* while the body is
simplified: its domain carries a mark, so that no rule, kernel or shape rule takes it for the operator it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from ..errors import ModelError
from ..ir.graph import AttributeRef, Graph, Model, Node, decode_attributes
from ..ir.read import Reader
from ..ir.wire import length_delimited
from ..ir.write import Writer

HIDDEN = "\0hidden:"
"""What the domain of a hidden node begins with."""

Key = tuple[str, str, str]
"""Domain, name and overload of a function."""


class Body:
    """The body of one function. `holes` are its nodes with attributes that the caller decides."""

    __slots__ = ("proto", "model", "holes")

    def __init__(self, proto: Any, parent: Model) -> None:
        self.proto = proto
        self.model = read_body(proto, parent)
        self.holes = [(node, dict(node.attributes)) for graph in self.model.graphs() for node in graph if is_open(node)]

    @property
    def graph(self) -> Graph:
        return self.model.graph

    def bind(self, attributes: Mapping[str, Any], bodies: Mapping[str, Graph] | None = None) -> None:
        """Fill the holes with what a call gives, else with the function's defaults; what neither gives is left out."""
        if not self.holes:
            return
        known = {**defaults(self.proto), **attributes}
        graphs = bodies or {}
        for node, written in self.holes:
            bound: dict[str, Any] = {}
            for name, value in written.items():
                if not isinstance(value, AttributeRef):
                    bound[name] = value
                elif value.proto.ref_attr_name in known:
                    bound[name] = known[value.proto.ref_attr_name]
                elif value.proto.ref_attr_name in graphs:
                    node.bodies = {**(node.bodies or {}), name: graphs[value.proto.ref_attr_name]}
            node._attributes = bound
            node.changed = True

    def hide(self) -> None:
        """Keep every hole from being taken for the operator it is."""
        for node, _ in self.holes:
            node.domain = HIDDEN + node.domain

    def to_proto(self) -> Any:
        """The function with this body; hidden nodes are shown again."""
        for graph in self.model.graphs():
            for node in graph:
                node.domain = node.domain.removeprefix(HIDDEN)
        return write_body(self.proto, self.model)


def is_open(node: Node) -> bool:
    """Does the node have an attribute that the function's caller decides?"""
    proto = node.proto
    return proto is not None and any(attribute.ref_attr_name for attribute in proto.attribute)


def defaults(proto: Any) -> dict[str, Any]:
    """A function's attributes that have a default."""
    return decode_attributes(SimpleNamespace(attribute=proto.attribute_proto))


def read_body(proto: Any, parent: Model) -> Model:
    """The body as the graph of a model of its own.

    Raises:
        ModelError: the body is not a valid graph; the message names the function.
    """
    from onnx import ModelProto

    reader = Reader(ModelProto(ir_version=parent.ir_version), base_dir=parent.base_dir)
    reader.in_function = True
    model = reader.model
    model.symbols = parent.symbols
    model.ir_version = parent.ir_version
    model.functions = parent.functions
    for entry in proto.opset_import:
        domain = "" if entry.domain == "ai.onnx" else entry.domain
        model.opsets[domain] = max(entry.version, model.opsets.get(domain, 0))
    if "" not in model.opsets:
        model.opsets[""] = parent.opset()
    source = SimpleNamespace(
        name=proto.name, value_info=(), initializer=(), sparse_initializer=(), node=proto.node,
        input=[_info(name) for name in proto.input],
        output=[_info(name) for name in proto.output])
    model.graph = Graph(model, proto.name)
    try:
        reader.graph(model.graph, source, None)
    except ModelError as error:
        error.where = f"{label(key_of(proto))}: {error.where}" if error.where else label(key_of(proto))
        raise
    for value in (*model.graph.inputs, *model.graph.outputs):
        value.info = None
        if value.type_proto is not None and value.type_proto.WhichOneof("value") is None:
            value.type_proto = None
    return model


def _info(name: str | bytes) -> Any:
    """A value of that name; a name that is not valid UTF-8 comes as bytes, which protobuf takes in that way only."""
    from onnx import ValueInfoProto

    data = name if isinstance(name, bytes) else name.encode("utf-8")
    return ValueInfoProto.FromString(length_delimited(1, data))


def write_body(proto: Any, model: Model) -> Any:
    """A FunctionProto like `proto` with the graph of `model` as body; what it states of values that are left stays."""
    from onnx import FunctionProto

    from ..ir.graph import Function

    function = Function(proto)
    function.graph = model.graph
    written = FunctionProto.FromString(Writer(model).function(function))
    left = {value.name for node in model.graph for value in node.outputs}
    left |= {*written.input, *written.output, *(value.name for value in model.graph.constants)}
    written.value_info.extend(info for info in proto.value_info if info.name in left)
    present = {"" if entry.domain == "ai.onnx" else entry.domain: entry for entry in written.opset_import}
    for domain, version in model.opsets.items():
        if domain not in present:
            written.opset_import.add(domain=domain, version=version)
        else:
            present[domain].version = version
    return written


# --- which function a node calls -------------------------------------------------------------------------------------
def key_of(proto: Any) -> Key:
    """How a call names this function."""
    return "" if proto.domain == "ai.onnx" else proto.domain, proto.name, getattr(proto, "overload", "")


def call_key(node: Node) -> Key:
    """The function that a node would call."""
    return node.domain.removeprefix(HIDDEN), node.op_type, node.overload


def label(key: Key) -> str:
    """A function's name for messages."""
    domain, name, overload = key
    return f"function {domain}.{name}{':' + overload if overload else ''}" if domain else f"function {name}"


def calls(graphs: Iterator[Graph], model: Model) -> Iterator[Node]:
    """The nodes that call local functions."""
    for graph in graphs:
        for node in graph:
            if call_key(node) in model.functions:
                yield node
