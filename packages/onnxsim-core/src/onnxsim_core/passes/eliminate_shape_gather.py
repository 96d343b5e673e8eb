"""eliminate_shape_gather: sizes picked out of a Shape."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import made_by, shape_range
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_shape_gather", "take neighbouring sizes with Shape itself instead of Gather")


@rewrites("eliminate_shape_gather", root="Gather", after=("Shape",))
def shape_of_some_axes(node: Node, op: Builder) -> Value | Skip:
    """Gather(Shape(x), [i, i+1, .., j]) -> Shape(x, start=i, end=j+1).

    Exact. Source: ONNX Shape-15.
    """
    shape, indices = node.input(0), node.input(1)
    source = made_by(shape, "Shape")
    if source is None or indices is None or indices.shape is None or len(indices.shape) != 1:
        return skip("it does not pick a vector out of a Shape")
    found = op.ctx.ints(indices)
    window = shape_range(source)
    if op.opset < 15 or not found or window is None:
        return skip("the indices or the rank are not known, or Shape has no start")
    start, end = window
    picked = [index + (end if index < 0 else start) for index in found]
    first = picked[0]
    if picked != list(range(first, first + len(picked))) or first < start or picked[-1] >= end:
        return skip("the indices are not one after the other")
    return op.node("Shape", source.inputs, start=first, end=picked[-1] + 1)[0]
