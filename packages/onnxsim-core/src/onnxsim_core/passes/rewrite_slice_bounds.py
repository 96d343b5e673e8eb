"""rewrite_slice_bounds: bounds of a Slice that are computed from the size of the axis become constants."""

from __future__ import annotations

import numpy as np

from ..ir.dims import Size, is_nonneg, sub
from ..ir.dtypes import numpy_dtype
from ..ir.graph import Node, Value
from ..ops.axes import normalized
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import is_same
from .catalog import declare

declare("rewrite_slice_bounds", "write bounds computed from the size of the axis as constants that count from the end")

LAST = 2**63 - 1
"""The end of any axis; the greatest number of the bounds' type stands for it."""


@rewrites("rewrite_slice_bounds", root="Slice")
def constant_bounds(node: Node, op: Builder) -> Value | Skip:
    """Slice(x, 0, size of the axis) -> Slice(x, 0, huge); size - 2 as a bound -> -2.

    Exact: a bound less than the size is only written where it cannot be negative. Source: ONNX Slice-10.
    """
    x = node.input(0)
    if op.opset < 10 or x is None or x.shape is None:
        return skip("the bounds are attributes, or the rank is unknown")
    raw_axes = op.ctx.ints(node.input(3))
    steps = (1,) if node.input(4) is None else op.ctx.ints(node.input(4))
    if raw_axes is None or steps is None or any(step < 0 for step in steps):
        return skip("the axes are not known, or it goes backwards")
    inputs = list(node.inputs)
    for place in (1, 2):
        bounds = op.ctx.data(node.input(place))
        if bounds is None or len(bounds) != len(raw_axes) or op.ctx.ints(node.input(place)) is not None:
            continue
        written = [_written(bound, x.shape[normalized(axis, len(x.shape))], place == 2)
                   for bound, axis in zip(bounds, raw_axes)]
        if None not in written:
            # Starts, ends, axes and steps have one type.
            kind = numpy_dtype(node.inputs[place].dtype)  # type: ignore[union-attr]
            largest = int(np.iinfo(kind).max)
            inputs[place] = op.constant(np.array([min(bound, largest) for bound in written], kind))  # type: ignore[type-var]
    return skip("no bound is the size of its axis or a number less") if inputs == node.inputs else op.like(node, inputs)


def _written(bound: Size, size: Size, is_end: bool) -> int | None:
    """The bound as a number, or None."""
    if type(bound) is int:
        return bound
    if is_end and is_same(bound, size):
        return LAST
    behind = sub(size, bound)
    if type(behind) is int and behind > 0 and is_nonneg(bound):
        return -behind
    return None
