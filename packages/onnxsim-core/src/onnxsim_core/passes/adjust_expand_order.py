"""adjust_expand_order: elementwise work goes before Expand; a later reader may then broadcast instead."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.carrying import BROADCAST, UNARY
from ..rewrite.match import made_by, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import is_same
from .catalog import declare

declare("adjust_expand_order", "do elementwise work before Expand, on fewer elements")

ELEMENTWISE = tuple(sorted((UNARY | BROADCAST) - {"Identity", "PRelu"}))
LARGEST = 8
"""Most operators that change places with an Expand at once."""
READERS = 8
"""A value with more readers is not waited for until it has fewer."""


@rewrites("adjust_expand_order", root=ELEMENTWISE, after=("Expand", *ELEMENTWISE))
def expand_last(node: Node, op: Builder) -> Value | Skip:
    """Sub(1, Cast(Expand(x, s))) -> Expand(Sub(1, Cast(x)), s), when nobody else reads the Expand.

    Exact. Source: ONNX Expand-8: each element of the result is one of x.
    """
    region = _region(node, op)
    if region is None:
        return skip("no operand is an Expand that could wait")
    result = node.outputs[0]
    expands: list[Node] = []
    made: dict[Value, Value | None] = {}
    for one in region:
        for value in one.inputs:
            if value is None or value.node in region:
                continue
            expand = made_by(value, "Expand")
            if expand is not None and same_shape(value, result) and not value.outputs \
                    and all(user in region for user in value.uses):
                expands.append(expand)
                made[value] = expand.input(0)
            else:
                made[value] = value
    if not expands:
        _wait(region, op)
        return skip("no operand is an Expand that could wait")
    sources = [expand.input(0) for expand in expands]
    if any(not _fits(value, sources) for value in made.values()):
        return skip("an operand is larger than what is expanded")
    for one in reversed(region):
        made[one.outputs[0]] = op.like(one, [None if value is None else made[value] for value in one.inputs])
    return op.node("Expand", [made[result], expands[0].input(1)])[0]


def _fits(value: Value | None, sources: list[Value | None]) -> bool:
    """Does the value broadcast with one of the sources without making it larger?"""
    if value in sources or value is None or value.shape == ():
        return True
    shape = value.shape
    for source in sources:
        if shape is not None and source is not None and source.shape is not None and len(shape) <= len(source.shape) \
                and all(size == 1 or is_same(size, own) for size, own in zip(reversed(shape), reversed(source.shape))):
            return True
    return False


def _region(root: Node, op: Builder) -> list[Node] | None:
    """The root and elementwise operators before it that only it and they read, each after its readers."""
    if op.opset < 8 or root.outputs[0].shape is None:
        return None
    region = [root]
    expanded = False
    for one in region:
        for value in one.inputs:
            maker = None if value is None else value.node
            if value is None or maker is None or maker.domain:
                continue
            if maker.op_type == "Expand":
                expanded = True
            if maker.op_type not in _AMONG or value.is_constant or maker in region:
                continue
            if value.outputs or any(user not in region for user in value.uses) or len(maker.outputs) != 1 \
                    or maker.graph is not root.graph or len(region) == LARGEST:
                continue
            region.append(maker)
    if not expanded:
        return None
    region.sort(key=lambda member: -member.position)
    return region


def _wait(region: list[Node], op: Builder) -> None:
    """Come back when a reader elsewhere that keeps a value from changing places is gone."""
    for one in region:
        for value in one.inputs:
            maker = None if value is None else value.node
            if value is None or value.outputs or maker is None or maker in region or len(value.uses) > READERS:
                continue
            if not maker.domain and (maker.op_type == "Expand" or maker.op_type in _AMONG):
                for user in value.uses:
                    if user not in region:
                        op.retry_without(user)
                        break


_AMONG = frozenset(ELEMENTWISE)
