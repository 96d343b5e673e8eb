"""Reductions over axes: ReduceSum and its kin."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, add, maximum, minimum, mul
from ..ir.dtypes import INT32, INT64
from ..ir.graph import Node, Value
from .registry import SHAPES

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
_STEPS = {"ReduceSum": add, "ReduceProd": mul, "ReduceMax": maximum, "ReduceMin": minimum}
_LIMITS = {INT64: 1 << 63, INT32: 1 << 31}


@SHAPES.register(*REDUCTIONS)
def reduction_shape(node: Node, ctx: Any) -> None:
    """[d0, .., dn] -> the axes dropped, or 1 with keepdims; elements of 1-D integer tensors are followed."""
    value = node.input(0)
    if value is None or not node.outputs:
        return
    out = node.outputs[0]
    dtype, shape = value.dtype, value.shape
    keep = node.attribute("keepdims", 1)
    if shape is None:
        ctx.set(out, dtype)
        return
    axes = reduced_axes(node, len(shape), ctx)
    if axes is None:
        _state_rank(node, value, keep, ctx)
        return
    if not axes:
        ctx.set(out, dtype, shape)
        return
    result: list[Size] = []
    for axis, size in enumerate(shape):
        if axis not in axes:
            result.append(size)
        elif keep:
            result.append(1)
    data = None
    if len(shape) == 1 and dtype in _LIMITS:
        data = _reduced(node.op_type, ctx.data(value), dtype)
    ctx.set(out, dtype, result, data)


def reduced_axes(node: Node, rank: int, ctx: Any) -> tuple[int, ...] | None:
    """Normalised axes the node reduces, () when it reduces none, None when they are unknown or invalid."""
    raw_axes = node.attribute("axes")
    second = node.input(1)
    if second is not None:
        raw_axes = ctx.ints(second)
        if raw_axes is None:
            return None
    if not raw_axes:
        return () if node.attribute("noop_with_empty_axes", 0) else tuple(range(rank))
    if type(raw_axes) is not tuple:
        return None
    result = []
    for raw_axis in raw_axes:
        if not -rank <= raw_axis < rank:
            return None
        result.append(raw_axis % rank)
    return tuple(result)


def _state_rank(node: Node, value: Value, keep: int, ctx: Any) -> None:
    """With axes known only by their number, keepdims still tells the rank."""
    out = node.outputs[0]
    shape = value.shape
    assert shape is not None
    if node.input(1) is None or not keep or out.shape is not None:
        ctx.set(out, value.dtype)
        return
    ctx.set(out, value.dtype, [1 if size == 1 else ctx.fresh() for size in shape])


def _reduced(op_type: str, data: tuple[Size, ...] | None, dtype: int) -> tuple[Size, ...] | None:
    step = _STEPS.get(op_type)
    if step is None or not data:
        return None
    limit = _LIMITS[dtype]
    result = data[0]
    for element in data[1:]:
        result = step(result, element)
        if type(result) is int and not -limit <= result < limit:
            result = (result + limit) % (2 * limit) - limit
    return (result,)
