"""fuse_gather_unsqueeze: one element picked and given its axis back."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import axes_of, axis_of, made_by
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_gather_unsqueeze", "make Unsqueeze of Gather by a scalar a Gather by a vector")


@rewrites("fuse_gather_unsqueeze", root="Unsqueeze", after=("Gather",))
def gather_keeping_axis(node: Node, op: Builder) -> Value | Skip:
    """Unsqueeze(Gather(x, i, axis=k), [k]) -> Gather(x, [i], axis=k).

    Exact. Source: ONNX Gather-13, Unsqueeze-13.
    """
    value = node.input(0)
    inner = made_by(value, "Gather")
    if value is None or inner is None or value.shape is None or not is_step(value):
        return skip("input is not made by a Gather that is read here only")
    x, index = inner.input(0), inner.input(1)
    number = None if index is None or index.shape != () else op.ctx.ints(index)
    if number is None or x is None:
        return skip("the index is not a scalar constant")
    axes = axes_of(node, op.ctx, len(value.shape) + 1)
    axis = axis_of(inner, len(value.shape) + 1, 0)
    if axis is None or axes != (axis,):
        return skip("the axis comes back in another place")
    return op.like(inner, [x, op.ints(number)])


@rewrites("fuse_gather_unsqueeze", root="Squeeze", after=("Gather",))
def gather_dropping_axis(node: Node, op: Builder) -> Value | Skip:
    """Squeeze(Gather(x, [i], axis=k), [k]) -> Gather(x, i, axis=k).

    Exact. Source: ONNX Gather-13, Squeeze-13.
    """
    import numpy as np

    value = node.input(0)
    inner = made_by(value, "Gather")
    if value is None or inner is None or value.shape is None or not is_step(value):
        return skip("input is not made by a Gather that is read here only")
    x, index = inner.input(0), inner.input(1)
    number = None if index is None or index.shape != (1,) else op.ctx.ints(index)
    if number is None or x is None:
        return skip("the index is not a constant of one element")
    if axes_of(node, op.ctx, len(value.shape)) != (axis_of(inner, len(value.shape), 0),):
        return skip("another axis is dropped")
    return op.like(inner, [x, op.constant(np.array(number[0], np.int64))])
