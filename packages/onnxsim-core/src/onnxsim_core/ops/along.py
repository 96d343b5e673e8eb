"""Operators that keep the shape and work along axes: CumSum, ReverseSequence, Trilu."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, add
from .axes import moved, normalized, positions
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node


# --- CumSum ----------------------------------------------------------------------------------------------------------
@SHAPES.register("CumSum")
def cum_sum_shape(node: Node, ctx: Inference) -> None:
    """The input's shape; sums of a vector of tracked elements are tracked.  Source: ONNX CumSum-11, -14."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    data = ctx.data(x)
    if data is not None:
        data = _summed(data, node) if x.shape is not None and len(x.shape) == 1 else None
    ctx.set(node.outputs[0], x.dtype, x.shape, data)


def _summed(data: tuple[Size, ...], node: Node) -> tuple[Size, ...]:
    exclusive, reverse = node.attribute("exclusive", 0), node.attribute("reverse", 0)
    total: Size = 0
    result = []
    for element in reversed(data) if reverse else data:
        before = total
        total = add(total, element)
        result.append(before if exclusive else total)
    return tuple(reversed(result)) if reverse else tuple(result)


@KERNELS.register("CumSum")
def cum_sum_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Running sums along the axis, with or without the element itself, from the front or the back."""
    x, raw_axis = arrays
    axis = normalized(int(raw_axis.reshape(-1)[0]), x.ndim) if raw_axis.size == 1 else -1
    if axis < 0 or x.dtype.name not in ("float32", "float64", "int32", "int64", "uint32", "uint64"):
        return None
    reverse = node.attribute("reverse", 0)
    if reverse:
        x = np.flip(x, axis)
    with np.errstate(all="ignore"):
        sums = np.cumsum(x, axis, dtype=x.dtype)
    if node.attribute("exclusive", 0):
        shifted = np.zeros_like(sums)
        size = x.shape[axis]
        lead = (slice(None),) * axis
        shifted[lead + (slice(1, size),)] = sums[lead + (slice(0, max(size - 1, 0)),)]
        sums = shifted
    return np.ascontiguousarray(np.flip(sums, axis)) if reverse else sums


# --- ReverseSequence -------------------------------------------------------------------------------------------------
@SHAPES.register("ReverseSequence")
def reverse_sequence_shape(node: Node, ctx: Inference) -> None:
    """The input's shape.  Source: ONNX ReverseSequence-10."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], x.dtype, x.shape)


@KERNELS.register("ReverseSequence")
def reverse_sequence_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The first sequence_lens[b] steps of each batch row turned round, the rest as they were."""
    x, lengths = arrays
    batch, time = node.attribute("batch_axis", 1), node.attribute("time_axis", 0)
    if x.ndim < 2 or {batch, time} != {0, 1} or lengths.shape != (x.shape[batch],):
        return None
    result = x.copy()
    source, target = (x, result) if batch == 0 else (np.swapaxes(x, 0, 1), np.swapaxes(result, 0, 1))
    for row, size in enumerate(lengths.tolist()):
        if not 0 <= size <= x.shape[time]:
            return None
        target[row, :size] = source[row, :size][::-1]
    return result


# --- Trilu -----------------------------------------------------------------------------------------------------------
@SHAPES.register("Trilu")
def trilu_shape(node: Node, ctx: Inference) -> None:
    """The input's shape; elements off the triangle become 0.  Source: ONNX Trilu-14."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    data = ctx.data(x)
    if data is not None:
        data = _triangle_data(data, node, ctx)
    ctx.set(node.outputs[0], x.dtype, x.shape, data)


def _triangle_data(data: tuple[Size, ...], node: Node, ctx: Inference) -> tuple[Size, ...] | None:
    x, value = node.inputs[0], node.input(1)
    k = (0,) if value is None else ctx.ints(value)
    where = positions(data, x.shape)  # type: ignore[union-attr]
    if where is None or where.ndim < 2 or k is None or len(k) != 1:
        return None
    kept = np.triu(where + 1, k[0]) if node.attribute("upper", 1) else np.tril(where + 1, k[0])
    return moved((0, *data), kept)


@KERNELS.register("Trilu")
def trilu_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The upper or lower triangle of each matrix, from diagonal k on."""
    x = arrays[0]
    value = arrays[1] if len(arrays) > 1 else None
    if x.ndim < 2 or x.dtype.kind not in "biuf" or (value is not None and value.size != 1):
        return None
    k = 0 if value is None else int(value.reshape(-1)[0])
    k = max(min(k, x.shape[-1] + 1), -x.shape[-2] - 1)
    return np.triu(x, k) if node.attribute("upper", 1) else np.tril(x, k)
