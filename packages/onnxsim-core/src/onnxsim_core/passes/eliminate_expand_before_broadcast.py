"""eliminate_expand_before_broadcast: what Expand would have spread, the operator that reads it broadcasts by itself."""

from __future__ import annotations

from ..ir.dims import Size, known_equal
from ..ir.graph import Node, Shape, Value
from ..rewrite.builder import Builder
from ..rewrite.match import SPREADING, axes_of, uniform
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_expand_before_broadcast", "let an elementwise operator broadcast what Expand would have spread")

BROADCASTING = ("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Less", "Greater", "LessOrEqual",
                "GreaterOrEqual", "Where", "Mod", "Min", "Max", "Sum", "Mean")
_LATER = frozenset({"Min", "Max", "Sum", "Mean"})


@rewrites("eliminate_expand_before_broadcast", root=BROADCASTING, after=SPREADING)
def drop_expand_of_operand(node: Node, op: Builder) -> Value | Skip:
    """Add(Expand(a, s), b) -> Add(a, b) when a and b alone broadcast to the same shape.

    So do a number that ConstantOfShape and others spread, and the leading axes of size 1 that Unsqueeze puts in.

    Exact. Source: ONNX multidirectional broadcasting.
    """
    if op.opset < (8 if node.op_type in _LATER else 7):
        return skip(f"broadcasting follows the rules before opset {8 if node.op_type in _LATER else 7}")
    shape = node.outputs[0].shape
    inputs = node.inputs
    found = False
    for index, value in enumerate(inputs):
        if shape is None or value is None or value.node is None or value.is_input:
            continue
        others = [other for at, other in enumerate(inputs) if at != index]
        number = uniform(value)
        source = spread(value.node, op) if number is None else None
        kept = None
        if number is not None and value.shape != () and _gives(shape, (), others):
            kept = op.constant(number)
        elif source is not None and source.shape is not None and _gives(shape, source.shape, others):
            kept = source
        if kept is not None:
            inputs = [kept if at == index else other for at, other in enumerate(inputs)]
            found = True
    return op.like(node, inputs) if found else skip("no input is spread in a way the others make needless")


READERS = 8
"""An Unsqueeze with more readers is not waited for until all of them broadcast."""
_BROADCASTS = frozenset({*BROADCASTING, "Expand"})


def spread(maker: Node, op: Builder) -> Value | None:
    """The value an Expand, or an Unsqueeze of leading axes, spreads."""
    if maker.domain or maker.op_type not in ("Expand", "Unsqueeze"):
        return None
    source = maker.input(0)
    if source is None or source.shape is None:
        return None
    if maker.op_type == "Unsqueeze":
        result = maker.outputs[0]
        if result.shape is None:
            return None
        for user in result.uses:
            if user.op_type not in _BROADCASTS:
                if len(result.uses) <= READERS:
                    op.retry_without(user)
                return None
        if axes_of(maker, op.ctx, len(result.shape)) != tuple(range(len(result.shape) - len(source.shape))):
            return None
    return source


def _gives(shape: Shape, source: Shape, others: list[Value | None]) -> bool:
    """Does every size of the result come from the source itself or from another input?"""
    rank = len(shape)
    ranks = [len(other.shape) for other in others if other is not None and other.shape is not None]
    if max([len(source), *ranks]) < rank:
        return False  # a leading 1 comes from an input that has one
    for axis in range(rank):
        size = shape[axis]
        if _has(source, axis - rank, size):
            continue
        for other in others:
            if other is not None and other.shape is not None and _has(other.shape, axis - rank, size):
                break
        else:
            return False
    return True


def _has(shape: Shape, axis_from_end: int, size: Size) -> bool:
    """Is the size of that axis (1 where there is none) provably this one?"""
    own = shape[axis_from_end] if len(shape) >= -axis_from_end else 1
    return own == size or known_equal(own, size)
