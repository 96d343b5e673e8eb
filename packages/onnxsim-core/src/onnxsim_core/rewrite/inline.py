"""Copying the nodes of a body to where its owner stands."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..ir.graph import Graph, Node, Value, add_use

if TYPE_CHECKING:
    from .builder import Builder


def inline_body(op: Builder, body: Graph, arguments: Sequence[Value | None]) -> list[Value]:
    """Copy the nodes of `body` before the root, its inputs replaced by `arguments`; gives the values of its outputs.

    Tensors are shared, names are made unique where they stand, and values of graphs outside are read as before.
    """
    known: dict[Value, Value | None] = dict(zip(body.inputs, arguments))
    for value in body.constants:
        if value not in known and value.tensor is not None:
            known[value] = made = op.constant(value.tensor, value.name)
            made.is_input = value.is_input
    for node in body:
        _copy(op, node, known)
    return [_outside(value, known) for value in body.outputs]


def _outside(value: Value, known: Mapping[Value, Value | None]) -> Value:
    found = known.get(value, value)
    assert found is not None
    return found


def _copy(op: Builder, node: Node, known: dict[Value, Value | None]) -> None:
    inputs = [None if value is None else known.get(value, value) for value in node.inputs]
    least = 2 if node.op_type == "Loop" else 0  # it states both of its limits, be they omitted
    while len(inputs) > least and inputs[-1] is None:
        inputs.pop()
    copy = duplicate(node, inputs, op.graph, known)
    op.place(copy)
    for old, new in zip(node.outputs, copy.outputs, strict=True):
        new.name = op.model.unique(old.name) if old.name else ""
        known[old] = new
        op.ctx.set(new, old.dtype, old.shape if not old.doubtful else None)
        new.type_proto = old.type_proto
    enter, op.ctx.enter = op.ctx.enter, None  # nothing is rewritten in the bodies of the copy before it is all there
    op.ctx.infer(copy)
    op.ctx.enter = enter


def duplicate(node: Node, inputs: list[Value | None], graph: Graph, known: dict[Value, Value | None]) -> Node:
    """A copy of a node with its bodies, reading `inputs`; values that bodies capture are looked up in `known`."""
    copy = Node(node.op_type, inputs, [], domain=node.domain, name=node.name, proto=node.proto,
                attributes=node.attributes, overload=node.overload)
    copy.changed = True
    copy.graph = graph
    for value in inputs:
        if value is not None:
            add_use(value, copy)
    for old in node.outputs:
        value = Value(old.name, graph)
        value.node = copy
        copy.outputs.append(value)
    for name, body in (node.bodies or {}).items():
        if copy.bodies is None:
            copy.bodies = {}
        copy.bodies[name] = _duplicate_graph(body, copy, name, dict(known))
    return copy


def _duplicate_graph(graph: Graph, owner: Node, attribute: str, known: dict[Value, Value | None]) -> Graph:
    """A copy of a body. From another model, it gets names that are free here and loses what names stated there."""
    assert owner.graph is not None
    model = owner.graph.model
    is_foreign = graph.model is not model
    copy = Graph(model, graph.name, graph.proto)
    copy.owner, copy.owner_attribute = owner, attribute
    if not is_foreign:
        copy.value_info = graph.value_info
    copy.sparse = dict(graph.sparse)
    for value in graph.inputs:
        known[value] = _duplicate_value(value, copy)
    copy.inputs = [known[value] for value in graph.inputs]  # type: ignore[misc]
    for value in graph.constants:
        if value not in known:
            known[value] = _duplicate_value(value, copy)
        copy.constants[known[value]] = None  # type: ignore[index]
    for node in graph:
        inner = duplicate(node, [None if v is None else known.get(v, v) for v in node.inputs], copy, known)
        inner.queued = True
        copy.append(inner)
        for old, new in zip(node.outputs, inner.outputs, strict=True):
            known[old] = new
            _take_facts(old, new)
            if is_foreign and new.name:
                new.name = model.unique(new.name)
    if is_foreign:
        for value in dict.fromkeys((*copy.inputs, *copy.constants)):
            value.name = model.unique(value.name)
    for value in graph.outputs:
        result = known.get(value, value)
        assert result is not None
        result.outputs += 1
        copy.outputs.append(result)
    return copy


def _duplicate_value(value: Value, graph: Graph) -> Value:
    copy = Value(value.name, graph)
    copy.is_input = value.is_input
    copy.tensor = value.tensor
    _take_facts(value, copy)
    return copy


def _take_facts(old: Value, new: Value) -> None:
    new.dtype, new.shape, new.data = old.dtype, old.shape, old.data
    new.type_proto, new.info, new.doubtful = old.type_proto, old.info, old.doubtful
