"""Operators that ask for sizes or pick elements by place: Shape, Size, Gather, Slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, add, ceildiv, is_nonneg, maximum, minimum, sub, upper_bound
from .axes import moved, normalized, numel, positions, unknown_shape
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value

FAR = (1 << 31) - 1
"""From here on a bound of Slice means "to the end"."""


# --- Shape, Size -----------------------------------------------------------------------------------------------------
@SHAPES.register("Shape")
def shape_shape(node: Node, ctx: Inference) -> None:
    """The input's sizes, from `start` to `end`, both counted from the back when negative and clamped.

    Source: ONNX Shape-1, -15 (start, end).
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None:
        ctx.set(y, 7, (ctx.fresh(),))
        return
    if ctx.opset >= 15:
        start, end = node.attribute("start", 0), node.attribute("end")
        if start or end is not None:
            if type(start) is not int or not (end is None or type(end) is int):
                return
            shape = shape[start:end]
    ctx.set(y, 7, (len(shape),), shape)


@KERNELS.register("Shape")
def shape_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The array's shape."""
    shape = arrays[0].shape
    if ctx.opset >= 15:
        shape = shape[node.attribute("start", 0):node.attribute("end")]
    return np.array(shape, np.int64)


@SHAPES.register("Size")
def size_shape(node: Node, ctx: Inference) -> None:
    """Number of elements, as a scalar.  Source: ONNX Size-1."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    ctx.set(node.outputs[0], 7, (), None if x.shape is None else (numel(x.shape),))


@KERNELS.register("Size")
def size_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The array's element count."""
    return np.array(arrays[0].size, np.int64)


# --- Gather ----------------------------------------------------------------------------------------------------------
@SHAPES.register("Gather")
def gather_shape(node: Node, ctx: Inference) -> None:
    """The axis gathered from gives way to the shape of the indices.  Source: ONNX Gather-1, -11 (negative indices)."""
    x, indices = node.input(0), node.input(1)
    if x is None or indices is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None or indices.shape is None:
        ctx.set(y, x.dtype)
        return
    axis = normalized(node.attribute("axis", 0), len(shape))
    if axis < 0:
        return
    data = ctx.data(x)
    if data is not None:
        data = _gathered(data, shape, axis, indices, ctx)
    ctx.set(y, x.dtype, shape[:axis] + indices.shape + shape[axis + 1:], data)


def _gathered(data: tuple[Size, ...], shape: tuple[Size, ...], axis: int, indices: Value, ctx: Inference
              ) -> tuple[Size, ...] | None:
    picks = ctx.ints(indices)
    if picks is None:
        return None
    size = len(data) if len(shape) == 1 else shape[axis]
    if type(size) is not int:
        return None
    for pick in picks:
        if not -size <= pick < size:
            return None
    if len(shape) == 1:
        if len(picks) == 1:
            return (data[picks[0]],)
        return tuple([data[pick] for pick in picks])
    where = positions(data, shape)
    if where is None:
        return None
    return moved(data, where.take(np.array(picks, np.int64).reshape(indices.shape), axis))  # type: ignore[arg-type]


@KERNELS.register("Gather")
def gather_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Slices of the array by index."""
    x, indices = arrays
    axis = normalized(node.attribute("axis", 0), x.ndim)
    if axis < 0:
        return None
    size = x.shape[axis]
    if indices.size and (indices.min() < -size or indices.max() >= size):
        return None
    return np.asarray(np.take(x, indices, axis))


# --- Slice -----------------------------------------------------------------------------------------------------------
Bounds = tuple[tuple[Size, ...] | None, tuple[Size, ...] | None, list[int] | None, tuple[Size, ...] | None]


def slice_bounds(node: Node, rank: int, ctx: Inference) -> Bounds | None:
    """starts, ends, axes (counted from the front) and steps; None stands for what is not known.

    The whole is None when the node is malformed.
    """
    if ctx.opset < 10:
        starts, ends, raw = node.attribute("starts"), node.attribute("ends"), node.attribute("axes")
        if type(starts) is not tuple or type(ends) is not tuple or not (raw is None or type(raw) is tuple):
            return None
        steps: tuple[Size, ...] | None = (1,) * len(starts)
    else:
        starts, ends = ctx.data(node.input(1)), ctx.data(node.input(2))
        value = node.input(3)
        raw = None
        if value is not None:
            raw = ctx.ints(value)
            if raw is None:
                return starts, ends, None, None
        value = node.input(4)
        steps = ctx.data(value) if value is not None else (1,) * max(len(starts or ()), len(ends or ()), len(raw or ()))
    count = max(len(starts or ()), len(ends or ()))
    axes = list(range(count)) if raw is None else [normalized(axis, rank) for axis in raw]
    if -1 in axes or len(set(axes)) != len(axes) or (axes and max(axes) >= rank):
        return None
    for given in (starts, ends, steps):
        if given is not None and len(given) != len(axes):
            return None
    if raw is None and starts is None and ends is None:
        return None if rank == 0 else (None, None, None, steps)
    return starts, ends, axes, steps


@SHAPES.register("Slice")
def slice_shape(node: Node, ctx: Inference) -> None:
    """Each axis named shrinks to ceil((end - start) / step), bounds counted from the back when negative and clamped.

    Source: ONNX Slice-1, -10 (bounds are inputs), -11, -13; numpy slicing.
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
    starts, ends, axes, steps = bounds
    if axes is None:
        ctx.set(y, x.dtype, unknown_shape(ctx, len(shape)))
        return
    result = list(shape)
    for index, axis in enumerate(axes):
        size = None
        if starts is not None and ends is not None and steps is not None:
            size = sliced(shape[axis], starts[index], ends[index], steps[index])
        result[axis] = ctx.fresh() if size is None else size
    data = ctx.data(x)
    if data is not None:
        data = _sliced_data(data, shape, starts, ends, axes, steps)
    ctx.set(y, x.dtype, tuple(result), data)


def sliced(size: Size, start: Size, end: Size, step: Size) -> Size | None:
    """How many elements a slice keeps of an axis, or None when that is not certain."""
    if type(step) is not int or step == 0:
        return None
    if type(size) is int and type(start) is int and type(end) is int:
        return len(range(*slice(start, backward_end(end, step), step).indices(size)))
    if step < 0:
        if type(start) is int and type(end) is int and (start == -1 or start >= FAR) and end <= -FAR:
            return size if step == -1 else ceildiv(size, -step)
        return None
    low = clamped(size, start)
    high = clamped(size, end)
    if low is None or high is None:
        return None
    kept = sub(high, low)
    if not is_nonneg(kept):
        kept = maximum(kept, 0)
    return kept if step == 1 else ceildiv(kept, step)


def backward_end(end: int, step: int) -> int | None:
    """The end as Python's slice wants it: a bound beyond the front, going backwards, is none at all."""
    return None if step < 0 and end <= -FAR else end


def clamped(size: Size, bound: Size) -> Size | None:
    """A bound of a forward slice as a place in 0..size, or None when its sign is not known."""
    if type(bound) is int:
        if bound >= 0:
            if bound == 0:
                return 0
            return size if bound >= FAR else minimum(bound, size)
        return maximum(add(size, bound), 0)
    if bound is size or bound == size:
        return size
    if is_nonneg(bound):
        return minimum(bound, size)
    high = upper_bound(bound)
    if high is not None and high < 0:
        return maximum(add(size, bound), 0)
    # size - 1 and size - 2 are negative only where adding the size once more leaves nothing either.
    gap = sub(size, bound)
    if type(gap) is int and 0 < gap <= 2:
        return maximum(bound, 0)
    return None


def _sliced_data(data: tuple[Size, ...], shape: tuple[Size, ...], starts: Any, ends: Any, axes: list[int], steps: Any
                 ) -> tuple[Size, ...] | None:
    cut: list[slice] = [slice(None)] * len(shape)
    if starts is None or ends is None or steps is None:
        return None
    for index, axis in enumerate(axes):
        start, end, step = starts[index], ends[index], steps[index]
        if type(start) is not int or type(end) is not int or type(step) is not int or step == 0:
            return None
        cut[axis] = slice(start, backward_end(end, step), step)
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
        if bounds is None:
            return None
        starts, ends, axes, steps = bounds
    else:
        given = [None if array is None else array.tolist() for array in arrays[1:]] + [None, None]
        starts, ends, axes, steps = given[:4]
        if axes is None:
            axes = list(range(len(starts)))
        if steps is None:
            steps = [1] * len(starts)
    cut: list[slice] = [slice(None)] * x.ndim
    for raw, start, end, step in zip(axes, starts, ends, steps):  # type: ignore[arg-type]
        axis = normalized(raw, x.ndim)
        if axis < 0 or step == 0:
            return None
        cut[axis] = slice(start, backward_end(end, step), step)  # type: ignore[arg-type,type-var]
    return x[tuple(cut)].copy()
