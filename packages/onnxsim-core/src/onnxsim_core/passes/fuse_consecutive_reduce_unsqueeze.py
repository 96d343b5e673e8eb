"""fuse_consecutive_reduce_unsqueeze: axes a reduction drops and Unsqueeze puts back, and the reverse."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import axes_of, raw_axes
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_reduce_unsqueeze", "let a reduction keep or drop its axes itself")

REDUCTIONS = frozenset({
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
    "ReduceLogSumExp", "ReduceSumSquare", "ArgMax", "ArgMin",
})


@rewrites("fuse_consecutive_reduce_unsqueeze", root=("Unsqueeze", "Squeeze"), after=REDUCTIONS)
def keep_or_drop_axes(node: Node, op: Builder) -> Value | Skip:
    """Unsqueeze(ReduceX(x, axes, keepdims=0), axes) -> ReduceX(x, axes, keepdims=1); Squeeze of keepdims=1 the reverse.

    Exact. Source: ONNX ReduceSum-13, ArgMax-13, Unsqueeze-13.
    """
    value = node.input(0)
    inner = None if value is None else value.node
    if value is None or inner is None or inner.domain or inner.op_type not in REDUCTIONS or not is_step(value):
        return skip("input is not made by a reduction that is read here only")
    keepdims = 1 if node.op_type == "Unsqueeze" else 0
    x = inner.input(0)
    if x is None or x.shape is None or inner.attribute("keepdims", 1) == keepdims:
        return skip("the rank is unknown or the axes are there already")
    reduced = reduced_axes(inner, op, len(x.shape))
    moved = axes_of(node, op.ctx, len(x.shape))
    if reduced is None or reduced != moved:
        return skip("the axes differ or are not known")
    return op.like(inner, inner.inputs, keepdims=keepdims)


def reduced_axes(node: Node, op: Builder, rank: int) -> tuple[int, ...] | None:
    """The axes a reduction works on, or None when they are not known, or nothing is reduced."""
    if node.op_type in ("ArgMax", "ArgMin"):
        axis = node.attribute("axis", 0)
        axis += rank if axis < 0 else 0
        return (axis,)
    axes = raw_axes(node, op.ctx)
    if axes is False or not axes and node.attribute("noop_with_empty_axes", 0):
        return None
    return axes_of(node, op.ctx, rank) if axes else tuple(range(rank))
