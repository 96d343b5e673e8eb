"""eliminate_slice_after_shape: a Slice of a Shape."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import made_by, shape_range, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_slice_after_shape", "take a range of sizes with Shape itself instead of Slice")


@rewrites("eliminate_slice_after_shape", root="Slice", after=("Shape",))
def shape_of_range(node: Node, op: Builder) -> Value | Skip:
    """Slice(Shape(x), i, j) -> Shape(x, start=i, end=j).

    Exact. Source: ONNX Shape-15.
    """
    source = made_by(node.input(0), "Shape")
    if source is None or op.opset < 15:
        return skip("input is not made by a Shape that could have a start")
    found = slice_parameters(node, op.ctx)
    window = shape_range(source)
    if found is None or window is None or len(found[0]) != 1 or found[3] != (1,):
        return skip("the range or the rank is not known")
    start, end = window
    picked = range(start, end)[found[0][0]:found[1][0]]
    if not picked:
        return skip("the range is empty")
    return op.node("Shape", source.inputs, start=picked[0], end=picked[-1] + 1)[0]
