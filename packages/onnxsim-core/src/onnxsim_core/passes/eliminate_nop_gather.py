"""eliminate_nop_gather: Gather that takes every element in order."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_gather", "remove Gather of all elements in order")


@rewrites("eliminate_nop_gather", root="Gather")
def drop_gather(node: Node, op: Builder) -> Value | Skip:
    """Gather(x, [0, 1, .., n-1]) -> x when the axis has n elements.

    Exact. Source: ONNX Gather-1, -11.
    """
    x, indices = node.input(0), node.input(1)
    if x is None or indices is None or x.shape is None or indices.shape is None or len(indices.shape) != 1:
        return skip("the indices are no vector, or the rank is unknown")
    axis = axis_of(node, len(x.shape), 0)
    found = op.ctx.ints(indices)
    if axis is None or found is None or x.shape[axis] != len(found):
        return skip("the indices are not known, or not as many as the axis has elements")
    for index, wanted in enumerate(found):
        if wanted not in (index, index - len(found)):
            return skip("the indices are out of order")
    return x
