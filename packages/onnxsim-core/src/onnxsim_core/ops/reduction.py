"""Reductions over axes: ReduceSum and its kin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import Size, add, maximum, minimum, mul
from ..ir.dtypes import INT32, INT64
from ..ir.graph import Node, Value
from .precision import Array, is_real
from .registry import KERNELS, SHAPES

REDUCTIONS = (
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
)
_STEPS: dict[str, Callable[[Size, Size], Size]] = {
    "ReduceSum": add,
    "ReduceProd": mul,
    "ReduceMax": maximum,
    "ReduceMin": minimum,
}
# Past these onnxruntime saturates or rounds where older versions wrap.
_LIMITS = {INT64: 1 << 53, INT32: 1 << 31}


@SHAPES.register(*REDUCTIONS)
def reduction_shape(node: Node, ctx: Any) -> None:
    """[d0, .., dn] -> the axes dropped, or 1 with keepdims; elements of 1-D integer tensors are followed."""
    value = node.input(0)
    if value is None or not node.outputs:
        return
    out = node.outputs[0]
    dtype, shape = value.dtype, value.shape
    if shape is None:
        ctx.set(out, dtype)
        return
    axes = _axes(node, len(shape), ctx)
    if axes is None:
        _state_rank(node, value, ctx)
        return
    keep = node.attribute("keepdims", 1)
    result: list[Size] = []
    for axis, size in enumerate(shape):
        if axis not in axes:
            result.append(size)
        elif keep:
            result.append(1)
    data = None
    if len(shape) <= 1 and dtype in _LIMITS:
        found = ctx.data(value)
        if found is not None:
            data = _reduced(node.op_type, found, dtype, bool(axes))
    ctx.set(out, dtype, result, data)


def _axes(node: Node, rank: int, ctx: Any) -> tuple[int, ...] | None:
    """Normalised axes the node reduces, None when they are unknown or invalid."""
    raw_axes = node.attribute("axes")
    second = node.input(1)
    if second is not None:
        raw_axes = () if second.shape == (0,) else ctx.ints(second)
        if raw_axes is None:
            return None
    return normalized(raw_axes or (), rank, bool(node.attribute("noop_with_empty_axes", 0)))


def normalized(raw_axes: tuple[int, ...], rank: int, noop: bool = False) -> tuple[int, ...] | None:
    """Axes counted from the front; none given is all, or none with `noop`. None when one is out of range."""
    if not raw_axes:
        return () if noop else tuple(range(rank))
    if not rank:
        return ()  # onnxruntime takes any axis of a scalar
    axes = []
    for raw_axis in raw_axes:
        if not -rank <= raw_axis < rank:
            return None
        axes.append(raw_axis % rank)
    return tuple(axes)


def _state_rank(node: Node, value: Value, ctx: Any) -> None:
    """With keepdims the rank is known even when the axes are not."""
    out, shape = node.outputs[0], value.shape
    assert shape is not None
    if node.input(1) is None or not node.attribute("keepdims", 1) or out.shape is not None:
        ctx.set(out, value.dtype)
        return
    ctx.set(out, value.dtype, [1 if type(size) is int and size == 1 else ctx.fresh() for size in shape])


def _reduced(op_type: str, data: tuple[Size, ...], dtype: int, reduces: bool) -> tuple[Size, ...] | None:
    step = _STEPS.get(op_type)
    if step is None or not data:
        return None
    if not reduces:
        return data
    limit = _LIMITS[dtype]
    result = data[0]
    for element in data[1:]:
        result = step(result, element)
        if type(result) is int and not -limit < result < limit:
            return None
    return (result,)


@KERNELS.register(*REDUCTIONS)
def reduction_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact or declined: extremes, and sums and products in which no step can round or overflow.

    The order in which onnxruntime adds is its own, so sums that round are left to it.
    """
    x = arrays[0]
    raw_axes = node.attribute("axes") or ()
    if len(arrays) > 1 and arrays[1] is not None:
        raw_axes = tuple(arrays[1].reshape(-1).tolist())
    axes = normalized(raw_axes, x.ndim, bool(node.attribute("noop_with_empty_axes", 0)))
    if axes is None or x.ndim and not axes or not x.size:
        return None
    axes = tuple(set(axes))
    keep = bool(node.attribute("keepdims", 1))
    op_type = node.op_type
    if op_type in ("ReduceMax", "ReduceMin"):
        return _extreme(op_type, x, axes, keep)
    limit = _exact_limit(x)
    if limit is None:
        return None
    return _exact(op_type, x, axes, keep, limit)


def _extreme(op_type: str, x: Array, axes: tuple[int, ...], keep: bool) -> Array | None:
    """NaN, and zeros of different sign, depend on how onnxruntime walks the tensor."""
    if x.dtype.kind == "f" and is_real(x.dtype):
        if np.isnan(x).any() or np.signbit(x[x == 0]).any():
            return None
    elif x.dtype.kind not in "biu":
        return None
    extreme = np.max if op_type == "ReduceMax" else np.min
    return np.asarray(extreme(x, axis=axes, keepdims=keep))


def _exact_limit(x: Array) -> float | None:
    """Up to this magnitude whole numbers of this type add and multiply without rounding; None if it is not for us."""
    if x.dtype == np.int64:
        return 2.0**53
    if x.dtype == np.int32:
        return 2.0**31 - 1
    if x.dtype.kind != "f" or not is_real(x.dtype):
        return None
    if (x != np.trunc(x)).any() or not np.isfinite(x).all() or np.signbit(x[x == 0]).any():
        return None
    return {2: 2.0**11, 4: 2.0**24, 8: 2.0**53}[x.dtype.itemsize]


def _exact(op_type: str, x: Array, axes: tuple[int, ...], keep: bool, limit: float) -> Array | None:
    wide = x.astype(np.float64)
    size = np.abs(wide)
    if op_type == "ReduceProd":
        bound = np.prod(np.maximum(size, 1), axis=axes)
        result = np.prod(wide, axis=axes, keepdims=keep)
    elif op_type in ("ReduceSum", "ReduceMean"):
        bound = np.sum(size, axis=axes)
        result = np.sum(wide, axis=axes, keepdims=keep)
    elif op_type == "ReduceL1":
        bound = result = np.sum(size, axis=axes, keepdims=keep)
    elif op_type == "ReduceSumSquare":
        bound = result = np.sum(wide * wide, axis=axes, keepdims=keep)
    else:
        return None
    if not (bound <= limit).all():
        return None
    if op_type == "ReduceMean":
        result = result / (x.size / result.size)
        if x.dtype.kind == "i":
            result = np.trunc(result)
    return np.asarray(result).astype(x.dtype)
