"""eliminate_nop_reduce: reductions over axes of size 1, or over no axes."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import axes_of, raw_axes
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_reduce", "remove reductions of single elements")


@rewrites("eliminate_nop_reduce", root=("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd"))
def drop_reduction(node: Node, op: Builder) -> Value | Skip:
    """ReduceMean(x over axes of size 1) -> x, or Squeeze(x) without keepdims; ReduceSum over no axes -> x.

    Numerics: exact but for -0.0, of which a sum makes 0.0. Source: ONNX ReduceSum-13, ReduceMean-18.
    """
    x = node.input(0)
    if x is None or x.shape is None:
        return skip("the rank is unknown")
    axes = raw_axes(node, op.ctx)
    if not axes:
        if axes is not False and node.attribute("noop_with_empty_axes", 0):
            return x
        axes = tuple(range(len(x.shape))) if axes is not False else None
    else:
        axes = axes_of(node, op.ctx, len(x.shape))
    if axes is None:
        return skip("the axes are not known")
    for axis in axes:
        size = x.shape[axis]
        if type(size) is not int or size != 1:
            return skip("an axis may hold several elements")
    if node.attribute("keepdims", 1) or not axes:
        return x
    return forms.squeeze(op, x, axes)
