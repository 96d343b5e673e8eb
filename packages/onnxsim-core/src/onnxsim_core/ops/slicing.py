"""Slice, with bounds and sizes that may be symbolic."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..ir.dims import Size, add, ceildiv, is_nonneg, maximum, minimum, neg, sub, upper_bound
from .axes import listed, moved, normalized_axes, positions, unknown_shape
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node

INT32_MAX = (1 << 31) - 1
INT64_MAX = (1 << 63) - 1
"""As an end these two mean "as far as it goes" in both directions; no axis is as long as the smaller."""


class Bounds(NamedTuple):
    """Where a Slice cuts: `axes` from the front; starts, ends and steps as long as `axes`, None where not known."""

    axes: list[int]
    starts: tuple[Size, ...] | None
    ends: tuple[Size, ...] | None
    steps: tuple[Size, ...] | None


def slice_bounds(node: Node, rank: int, ctx: Inference) -> Bounds | None:
    """The bounds, or None when not even the axes are known (or the node is malformed)."""
    if ctx.opset < 10:
        starts, ends, raw = node.attribute("starts"), node.attribute("ends"), node.attribute("axes")
        if type(starts) is not tuple or type(ends) is not tuple or not (raw is None or type(raw) is tuple):
            return None
        return _bounds(rank, starts, ends, raw, None, False)
    starts, ends = ctx.data(node.input(1)), ctx.data(node.input(2))
    given = node.input(3)
    raw = ctx.ints(given)
    if given is not None and raw is None:
        return None
    given = node.input(4)
    steps = ctx.data(given)
    return _bounds(rank, starts, ends, raw, steps, given is not None)


def _bounds(rank: int, starts: Any, ends: Any, raw: Any, steps: Any, has_steps: bool) -> Bounds | None:
    if raw is None:
        known = starts if starts is not None else ends
        if known is None:
            return None
        raw = range(len(known))
    axes = normalized_axes(raw, rank)
    if axes is None:
        return None
    if steps is None and not has_steps:
        steps = (1,) * len(axes)
    for given in (starts, ends, steps):
        if given is not None and len(given) != len(axes):
            return None
    return Bounds(axes, starts, ends, steps)


@SHAPES.register("Slice")
def slice_shape(node: Node, ctx: Inference) -> None:
    """Each axis named shrinks to ceil((end - start) / step), bounds counted from the back when negative and clamped.

    Source: ONNX Slice-1, -10 (bounds are inputs), -11, -13; onnxruntime for what lies past the ends.
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None:
        ctx.set(y, x.dtype)
        return
    bounds = slice_bounds(node, len(shape), ctx)
    if bounds is None:
        ctx.set(y, x.dtype, unknown_shape(ctx, len(shape)))
        return
    axes, starts, ends, steps = bounds
    result = list(shape)
    for index, axis in enumerate(axes):
        size = None
        if starts is not None and ends is not None and steps is not None:
            size = sliced(shape[axis], starts[index], ends[index], steps[index])
        result[axis] = ctx.fresh() if size is None else size
    data = ctx.data(x)
    if data is not None:
        data = _sliced_data(data, shape, bounds)
    ctx.set(y, x.dtype, tuple(result), data)


def slice_range(size: int, start: int, end: int, step: int) -> range:
    """The places a slice takes from an axis."""
    if start < 0:
        start += size
    start = min(max(start, 0), size - 1 if step < 0 else size)
    if end in (INT32_MAX, INT64_MAX):
        end = size if step > 0 else -1
    else:
        if end < 0:
            end += size
        end = max(min(end, size), 0 if step > 0 else -1)
    return range(start, end, step)


def as_slice(places: range) -> slice:
    """The Python slice that takes these places."""
    return slice(places.start, places.stop if places.stop >= 0 else None, places.step) if places else slice(0, 0)


def sliced(size: Size, start: Size, end: Size, step: Size) -> Size | None:
    """How many elements a slice keeps of an axis, or None when that is not certain."""
    if type(step) is not int or step == 0:
        return None
    if type(size) is int and type(start) is int and type(end) is int:
        return len(slice_range(size, start, end, step))
    if step < 0:
        if type(start) is not int or type(end) is not int:
            return None
        kept = sub(_backward_start(size, start), _backward_end(size, end))
    else:
        low = clamped(size, start)
        high = clamped(size, end)
        if low is None or high is None:
            return None
        kept = sub(size, start) if high is size and is_nonneg(start) else sub(high, low)
        if high is size and type(start) is int and start < 0:
            # The last k elements: said without the detour over where they start.
            kept = minimum(neg(start), size)
    if not is_nonneg(kept):
        kept = maximum(kept, 0)
    return kept if step == 1 else ceildiv(kept, abs(step))


def clamped(size: Size, bound: Size) -> Size | None:
    """A bound of a forward slice as a place in 0..size, or None when its sign is not known."""
    if type(bound) is int:
        if bound >= 0:
            return 0 if bound == 0 else size if bound >= INT32_MAX else minimum(bound, size)
        return maximum(add(size, bound), 0) if bound > -INT32_MAX else 0
    if bound is size or bound == size:
        return size
    if is_nonneg(bound):
        return minimum(bound, size)
    place = add(size, bound)
    if type(place) is int and not place:
        return 0
    high = upper_bound(bound)
    if high is not None and high < 0:
        return maximum(place, 0)
    # size - 1 and size - 2 are negative only where adding the size once more leaves nothing either.
    gap = sub(size, bound)
    return maximum(bound, 0) if type(gap) is int and 0 < gap <= 2 else None


def _backward_start(size: Size, start: int) -> Size:
    last = sub(size, 1)
    if start >= INT32_MAX or start == -1:
        return last
    return minimum(start if start >= 0 else maximum(add(size, start), 0), last)


def _backward_end(size: Size, end: int) -> Size:
    if end in (INT32_MAX, INT64_MAX) or end <= -INT32_MAX:
        return -1
    return minimum(end, size) if end >= 0 else maximum(add(size, end), -1)


def _sliced_data(data: tuple[Size, ...], shape: tuple[Size, ...], bounds: Bounds) -> tuple[Size, ...] | None:
    axes, starts, ends, steps = bounds
    if starts is None or ends is None or steps is None:
        return None
    cut: list[slice] = [slice(None)] * len(shape)
    for axis, start, end, step in zip(axes, starts, ends, steps):
        size = shape[axis]
        if type(start) is not int or type(end) is not int or type(step) is not int or type(size) is not int or not step:
            return None
        cut[axis] = as_slice(slice_range(size, start, end, step))
    if len(shape) == 1:
        return data[cut[0]]
    where = positions(data, shape)
    return None if where is None else moved(data, where[tuple(cut)])


@KERNELS.register("Slice")
def slice_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """A strided part of the array."""
    x = arrays[0]
    if ctx.opset < 10:
        bounds = slice_bounds(node, x.ndim, ctx)
    else:
        if any(array is not None and array.ndim != 1 for array in arrays[1:]):
            return None
        starts, ends, axes, steps = [listed(array) for array in (*arrays[1:], None, None)][:4]
        bounds = _bounds(x.ndim, starts, ends, axes, steps, steps is not None)
    if bounds is None or bounds.starts is None or bounds.ends is None or bounds.steps is None:
        return None
    cut: list[slice] = [slice(None)] * x.ndim
    corners: Any = zip(bounds.axes, bounds.starts, bounds.ends, bounds.steps)
    for axis, start, end, step in corners:
        if step == 0:
            return None
        cut[axis] = as_slice(slice_range(x.shape[axis], start, end, step))
    return x[tuple(cut)].copy()
