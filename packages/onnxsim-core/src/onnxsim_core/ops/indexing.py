"""Operators that ask for sizes or pick elements by place: Shape, Size, Gather, Slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size
from .axes import moved, normalized, numel, positions
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
        shape = shape[node.attribute("start", 0) : node.attribute("end")]
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
    ctx.set(y, x.dtype, shape[:axis] + indices.shape + shape[axis + 1 :], data)


def _gathered(
    data: tuple[Size, ...], shape: tuple[Size, ...], axis: int, indices: Value, ctx: Inference
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
