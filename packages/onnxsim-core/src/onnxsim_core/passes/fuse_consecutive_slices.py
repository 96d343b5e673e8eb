"""fuse_consecutive_slices: a Slice of a Slice."""

from __future__ import annotations

from ..ir.dims import Size
from ..ir.graph import Node, Value
from ..ops.axes import normalized_axes
from ..ops.slicing import INT32_MAX, as_slice, slice_range
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import made_by, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_slices", "join Slice of Slice")

Cut = tuple[int, int, int]


@rewrites("fuse_consecutive_slices", root="Slice", after=("Slice",))
def compose_slices(node: Node, op: Builder) -> Value | Skip:
    """Slice(Slice(x, ..), ..) -> Slice(x, ..), axis by axis.

    Exact. Source: ONNX Slice-13: negative positions count from the end, all are clamped to the axis.
    """
    inner = made_by(node.input(0), "Slice")
    x = None if inner is None else inner.input(0)
    if inner is None or x is None or x.shape is None:
        return skip("input is not made by a Slice of a value of known rank")
    first, second = cuts(inner, op, len(x.shape)), cuts(node, op, len(x.shape))
    if first is None or second is None:
        return skip("the parameters are not known")
    joined = dict(first)
    for axis, cut in second.items():
        both = compose(first[axis], cut, x.shape[axis]) if axis in first else cut
        if both is None:
            return skip("what an axis keeps depends on its size")
        joined[axis] = both
    axes = sorted(joined)
    made = forms.slices(op, x, [joined[a][0] for a in axes], [joined[a][1] for a in axes], axes,
                        [joined[a][2] for a in axes])
    return skip("Slice has no steps before opset 10") if made is None else made


def cuts(node: Node, op: Builder, rank: int) -> dict[int, Cut] | None:
    """(start, end, step) by axis."""
    found = slice_parameters(node, op.ctx)
    if found is None:
        return None
    starts, ends, raw_axes, steps = found
    axes = normalized_axes(raw_axes, rank)
    return None if axes is None else dict(zip(axes, zip(starts, ends, steps)))


def compose(a: Cut, b: Cut, size: Size) -> Cut | None:
    """The cut that does `a` and then `b` on an axis, or None when it depends on a size that is not known."""
    if type(size) is int:
        first = slice_range(size, *a)
        positions = first[as_slice(slice_range(len(first), *b))]
        if not positions:
            return 0, 0, 1
        end = positions[-1] + (1 if positions.step > 0 else -1)
        return positions[0], end if end >= 0 else -(size + 1), positions.step
    if a[2] != 1 or b[2] != 1 or a[0] < 0 or b[0] < 0:
        return None
    start = a[0] + b[0]
    if b[1] >= INT32_MAX:
        return start, a[1], 1
    if b[1] < 0:
        return (start, b[1], 1) if a[1] >= INT32_MAX else None
    if a[1] < 0:
        return None
    return start, min(a[1], a[0] + b[1]), 1
