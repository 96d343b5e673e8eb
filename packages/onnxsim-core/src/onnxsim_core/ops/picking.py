"""Operators that pick elements by index or condition: GatherElements, GatherND, Compress, NonZero, OneHot, Unique."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size
from ..ir.dtypes import STRING
from .axes import TRACKED, moved, normalized, numel, positions, static_numel
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value


def small_indices(value: Value, ctx: Inference) -> Any:
    """A small known integer tensor as an array, or None."""
    found = ctx.ints(value)
    if found is None or static_numel(value.shape) != len(found):
        return None
    return np.array(found, np.int64).reshape(value.shape)


def wrapped(indices: Any, size: int) -> Any:
    """Indices counted from the front, or None when one is out of range."""
    if indices.size and (indices.min() < -size or indices.max() >= size):
        return None
    return np.where(indices < 0, indices + size, indices)


# --- GatherElements --------------------------------------------------------------------------------------------------
@SHAPES.register("GatherElements")
def gather_elements_shape(node: Node, ctx: Inference) -> None:
    """The shape of the indices.  Source: ONNX GatherElements-11, -13."""
    x, indices = node.input(0), node.input(1)
    if x is None or indices is None or not node.outputs:
        return
    data = ctx.data(x)
    if data is not None:
        where, picks = positions(data, x.shape), small_indices(indices, ctx)
        where = None if where is None or picks is None else gathered_elements(where, picks, node.attribute("axis", 0))
        data = None if where is None else moved(data, where)
    ctx.set(node.outputs[0], x.dtype, indices.shape, data)


def gathered_elements(x: Any, indices: Any, raw_axis: Any) -> Any:
    """x[.., indices[.., i, ..], ..] along the axis, or None when the shapes or an index do not fit."""
    axis = normalized(raw_axis, x.ndim)
    if axis < 0 or indices.ndim != x.ndim:
        return None
    for place, (size, limit) in enumerate(zip(indices.shape, x.shape)):
        if place != axis and size > limit:
            return None
    picks = wrapped(indices, x.shape[axis])
    if picks is None:
        return None
    near = tuple([slice(None) if place == axis else slice(size) for place, size in enumerate(indices.shape)])
    return np.take_along_axis(x[near], picks, axis)


@KERNELS.register("GatherElements")
def gather_elements_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """One element per index along the axis."""
    return gathered_elements(arrays[0], arrays[1], node.attribute("axis", 0))


# --- GatherND --------------------------------------------------------------------------------------------------------
@SHAPES.register("GatherND")
def gather_nd_shape(node: Node, ctx: Inference) -> None:
    """indices [.., k] take x[i1, .., ik, ..] after b batch axes.  Source: ONNX GatherND-11, -12 (batch_dims), -13."""
    x, indices = node.input(0), node.input(1)
    if x is None or indices is None or not node.outputs:
        return
    y = node.outputs[0]
    batch = node.attribute("batch_dims", 0)
    depth = indices.shape[-1] if indices.shape else None
    if x.shape is None or indices.shape is None or type(depth) is not int or type(batch) is not int:
        ctx.set(y, x.dtype)
        return
    if not 0 <= batch < len(indices.shape) or batch + depth > len(x.shape):
        return
    data = ctx.data(x)
    if data is not None:
        where, picks = positions(data, x.shape), small_indices(indices, ctx)
        where = None if where is None or picks is None else gathered_nd(where, picks, batch)
        data = None if where is None else moved(data, where)
    ctx.set(y, x.dtype, indices.shape[:-1] + x.shape[batch + depth :], data)


def gathered_nd(x: Any, indices: Any, batch: int) -> Any:
    """Slices of x by index vectors, or None when the shapes or an index do not fit."""
    if not 0 <= batch < indices.ndim or batch + indices.shape[-1] > x.ndim or indices.shape[:batch] != x.shape[:batch]:
        return None
    places = list(np.ogrid[tuple([slice(size) for size in indices.shape[:batch]])]) if batch else []
    places = [place.reshape(place.shape + (1,) * (indices.ndim - 1 - batch)) for place in places]
    for column in range(indices.shape[-1]):
        picks = wrapped(indices[..., column], x.shape[batch + column])
        if picks is None:
            return None
        places.append(picks)
    if not places:
        return np.broadcast_to(x, indices.shape[:-1] + x.shape).copy()
    return np.asarray(x[tuple(places)])


@KERNELS.register("GatherND")
def gather_nd_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """One slice per index vector."""
    return gathered_nd(arrays[0], arrays[1], node.attribute("batch_dims", 0))


# --- Compress --------------------------------------------------------------------------------------------------------
@SHAPES.register("Compress")
def compress_shape(node: Node, ctx: Inference) -> None:
    """As many slices along the axis (default: elements of the flat tensor) as the condition has trues within its size.

    Source: ONNX Compress-9, -11.
    """
    x, condition = node.input(0), node.input(1)
    if x is None or condition is None or not node.outputs:
        return
    y = node.outputs[0]
    picks = ctx.ints(condition)
    axis = node.attribute("axis")
    if axis is None:
        data = ctx.data(x)
        if data is not None:
            data = None if picks is None else tuple([element for element, pick in zip(data, picks) if pick])
        ctx.set(y, x.dtype, (_picked(picks, None if x.shape is None else numel(x.shape), ctx),), data)
    elif x.shape is None:
        ctx.set(y, x.dtype)
    else:
        axis = normalized(axis, len(x.shape))
        if axis >= 0:
            ctx.set(y, x.dtype, x.shape[:axis] + (_picked(picks, x.shape[axis], ctx),) + x.shape[axis + 1 :])


def _picked(picks: tuple[int, ...] | None, size: Size | None, ctx: Inference) -> Size:
    """How many of the first `size` picks are true; onnxruntime does not look at those beyond."""
    if picks is not None:
        if not any(picks):
            return 0
        if type(size) is int:
            return sum(picks[:size])
    return ctx.fresh()


@KERNELS.register("Compress")
def compress_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Slices where the condition holds; beyond its end nothing is taken."""
    x, condition = arrays
    axis = node.attribute("axis")
    if axis is None:
        x, axis = x.reshape(-1), 0
    axis = normalized(axis, x.ndim)
    if axis < 0 or condition.ndim != 1 or condition[x.shape[axis] :].any():
        return None
    return np.compress(condition[: x.shape[axis]], x, axis)


# --- NonZero ---------------------------------------------------------------------------------------------------------
@SHAPES.register("NonZero")
def non_zero_shape(node: Node, ctx: Inference) -> None:
    """[rank, how many]; the indices of what is not 0, one column each.

    Of a scalar the standard says that there are 0 rows, and onnxruntime gives 1.  Source: ONNX NonZero-9, -13.
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    rank: Size = len(x.shape) if x.shape else ctx.fresh()
    data = ctx.ints(x)
    if data is None or static_numel(x.shape) != len(data):
        count = _all_of(x)
        ctx.set(y, 7, (rank, ctx.fresh() if count is None else count))
        return
    found = np.nonzero(np.array(data).reshape(x.shape or (1,)))
    if not x.shape:
        ctx.set(y, 7, (rank, len(found[0])))
        return
    elements = tuple(np.array(found).reshape(-1).tolist())
    ctx.set(y, 7, (rank, len(found[0])), elements if len(elements) <= TRACKED else None)


def _all_of(x: Value) -> Size | None:
    """The element count of a tensor that is one number other than 0 everywhere: how exporters once spelled Range."""
    maker = x.producer("ConstantOfShape")
    tensor: Any = maker.attribute("value") if maker is not None else None
    if x.shape is None or getattr(tensor, "size", 0) != 1 or tensor.dtype == STRING:
        return None
    return numel(x.shape) if tensor.numpy().reshape(-1)[0] != 0 else 0


@KERNELS.register("NonZero")
def non_zero_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Indices in row-major order; a scalar counts as a vector of one."""
    x = arrays[0]
    return np.array(np.nonzero(x.reshape(x.shape or (1,))), np.int64)


# --- OneHot ----------------------------------------------------------------------------------------------------------
@SHAPES.register("OneHot")
def one_hot_shape(node: Node, ctx: Inference) -> None:
    """The shape of the indices with an axis of size depth put in (last by default).  Source: ONNX OneHot-9, -11."""
    indices, depth, values = node.input(0), node.input(1), node.input(2)
    if indices is None or depth is None or values is None or not node.outputs:
        return
    y = node.outputs[0]
    if indices.shape is None:
        ctx.set(y, values.dtype)
        return
    axis = normalized(node.attribute("axis", -1), len(indices.shape) + 1)
    if axis < 0:
        return
    data = ctx.data(depth)
    size: Size | None = data[0] if data is not None and len(data) == 1 else None
    if size is None:
        number = ctx.scalar(depth)
        size = ctx.fresh() if number is None or not abs(number) < 1 << 62 else int(number)
    if type(size) is int and size < 1:
        return
    ctx.set(y, values.dtype, indices.shape[:axis] + (size,) + indices.shape[axis:])


@KERNELS.register("OneHot")
def one_hot_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """values[1] at the index, values[0] elsewhere; an index out of [-depth, depth) leaves its row off."""
    indices, depth, values = arrays
    axis = normalized(node.attribute("axis", -1), indices.ndim + 1)
    if axis < 0 or depth.size != 1 or values.shape != (2,) or indices.dtype.kind not in "iu":
        return None
    size = int(depth.reshape(-1)[0])
    if size < 1:
        return None
    places = indices.astype(np.int64)
    places = np.expand_dims(np.where(places < 0, places + size, places), axis)
    steps = np.arange(size).reshape([size if place == axis else 1 for place in range(places.ndim)])
    return np.where(places == steps, values[1], values[0]).astype(values.dtype)


# --- Unique ----------------------------------------------------------------------------------------------------------
@SHAPES.register("Unique")
def unique_shape(node: Node, ctx: Inference) -> None:
    """The distinct elements (or slices along an axis); where each first stands, which each is, how often each comes.

    Source: ONNX Unique-11.
    """
    x = node.input(0)
    outputs = node.outputs
    if x is None or not outputs:
        return
    axis = node.attribute("axis")
    old = outputs[0].shape
    total: Size | None = None
    shape: tuple[Size, ...] | None = None
    if axis is None:
        count = old[0] if old else ctx.fresh()
        shape = (count,)
        if x.shape is not None:
            total = numel(x.shape)
    elif x.shape is not None:
        axis = normalized(axis, len(x.shape))
        if axis < 0:
            return
        count = old[axis] if old is not None and len(old) == len(x.shape) else ctx.fresh()
        shape = x.shape[:axis] + (count,) + x.shape[axis + 1 :]
        total = x.shape[axis]
    else:
        count = ctx.fresh()
    ctx.set(outputs[0], x.dtype, shape)
    for value, size in zip(outputs[1:], (count, ctx.fresh() if total is None else total, count)):
        ctx.set(value, 7, (size,))


@KERNELS.register("Unique")
def unique_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """numpy.unique, put back into the order of first appearance when `sorted` is 0."""
    x = arrays[0]
    axis = node.attribute("axis")
    if x.dtype.kind not in "biuf" or (x.dtype.kind == "f" and np.isnan(x).any()) or not x.size:
        return None
    if axis is not None:
        axis = normalized(axis, x.ndim)
        if axis < 0:
            return None
    found, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
    inverse = inverse.reshape(-1)
    if not node.attribute("sorted", 1):
        order = np.argsort(first, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        found, first, counts = np.take(found, order, axis or 0), first[order], counts[order]
        inverse = rank[inverse]
    results = [found, first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)]
    return results[: len(node.outputs)]
