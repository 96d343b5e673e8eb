"""Operators that join tensors along an axis or cut one apart: Concat, Split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, add, ceildiv, exact_div, floordiv, mul, sub
from .axes import TRACKED, listed, more_telling, moved, normalized, positions, static_numel
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value

Arrays = list[Any]


# --- Concat ----------------------------------------------------------------------------------------------------------
@SHAPES.register("Concat")
def concat_shape(node: Node, ctx: Inference) -> None:
    """Sizes add up along the axis and agree elsewhere.  Source: ONNX Concat-1 (axis 1 by default), -4, -11, -13."""
    inputs = node.inputs
    if not inputs or not node.outputs:
        return
    y = node.outputs[0]
    dtype = 0
    result: list[Size] | None = None
    missing = False
    axis = -1
    length: Size = 0
    for value in inputs:
        if value is None:
            return
        dtype = dtype or value.dtype
        shape = value.shape
        if shape is None:
            missing = True
            continue
        if result is None:
            axis = normalized(node.attribute("axis", 1 if ctx.opset < 4 else None), len(shape))
            if axis < 0:
                return
            result = list(shape)
        elif len(shape) != len(result):
            return
        elif len(shape) > 1 and not _agree(result, shape, axis, ctx):
            return
        length = add(length, shape[axis])
    if result is None:
        ctx.set(y, dtype)
        return
    result[axis] = ctx.fresh() if missing else length
    data = None
    if type(length) is int and not missing and length <= TRACKED:
        data = _concat_data(node, result, axis, ctx)
    ctx.set(y, dtype, tuple(result), data)


def _agree(result: list[Size], shape: tuple[Size, ...], axis: int, ctx: Inference) -> bool:
    """Take what a further part says of the sizes off the axis; False where it contradicts.

    onnxruntime passes over a part of size 0 along the axis, whatever its other sizes are.
    """
    if shape[axis] == 0:
        return True
    if result[axis] == 0:
        result[:] = shape
        return True
    for index, size in enumerate(shape):
        known = result[index]
        if index != axis and size is not known:
            if type(size) is int and type(known) is int and size != known:
                return False
            result[index] = more_telling(known, size, ctx)
    return True


def _concat_data(node: Node, shape: list[Size], axis: int, ctx: Inference) -> tuple[Size, ...] | None:
    """Elements of the whole. In a vector, parts nobody knows stand as nameless numbers next to parts that are known."""
    total = static_numel(shape)
    if not 0 <= total <= TRACKED or node.outputs[0].dtype not in (0, 6, 7, 9):
        return None
    parts: list[tuple[Size, ...]] = []
    unknown: list[Value] = []
    for value in node.inputs:
        part = ctx.data(value)
        if part is not None:
            parts.append(part)
        else:
            unknown.append(value)  # type: ignore[arg-type]
    if unknown:
        if not parts or len(shape) != 1:
            return None
        for value in unknown:
            _christen(value, ctx)
        parts = [value.data or () for value in node.inputs if value is not None]
    if axis:
        return _interleaved(parts, static_numel(shape[:axis]))
    result: list[Size] = []
    for part in parts:
        result += part
    return tuple(result) if len(result) == total else None


def _christen(value: Value, ctx: Inference) -> None:
    """Give the elements of an unknown vector names, the same for all who read it. They may be of any sign."""
    size = value.shape[0] if value.shape else None
    if type(size) is int:
        ctx.set(value, data=tuple([ctx.symbols.fresh(nonneg=False) for _ in range(size)]))


def _interleaved(parts: list[tuple[Size, ...]], rows: int) -> tuple[Size, ...]:
    """Row-major elements of parts that stand side by side."""
    result: list[Size] = []
    for row in range(rows):
        for part in parts:
            width = len(part) // rows
            result += part[row * width : (row + 1) * width]
    return tuple(result)


@KERNELS.register("Concat")
def concat_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """Arrays one after the other along the axis."""
    first = arrays[0]
    axis = normalized(node.attribute("axis", 1 if ctx.opset < 4 else None), first.ndim)
    if axis < 0:
        return None
    for array in arrays:
        if array is None or array.ndim != first.ndim or array.dtype != first.dtype:
            return None
        for index, size in enumerate(array.shape):
            if index != axis and size != first.shape[index]:
                return None
    return np.concatenate(arrays, axis)


# --- Split -----------------------------------------------------------------------------------------------------------
@SHAPES.register("Split")
def split_shape(node: Node, ctx: Inference) -> None:
    """Pieces along one axis: sizes from `split`, else as even as `num_outputs` (or the outputs) ask for.

    Source: ONNX Split-1, -2, -11, -13 (split is an input), -18 (num_outputs: the last piece may be smaller).
    """
    x = node.input(0)
    outputs = node.outputs
    if x is None or not outputs:
        return
    shape = x.shape
    if shape is None:
        for value in outputs:
            ctx.set(value, x.dtype)
        return
    axis = normalized(node.attribute("axis", 0), len(shape))
    if axis < 0:
        return
    given = node.input(1)
    wanted = ctx.data(given)
    sizes = None if given is not None and wanted is None else split_sizes(node, shape[axis], wanted, ctx)
    data = ctx.data(x)
    where = positions(data, shape) if data is not None else None
    start = 0
    for index, value in enumerate(outputs):
        size = ctx.fresh() if sizes is None else sizes[index]
        elements = None
        if where is not None and sizes is not None and type(size) is int:
            cut = where[(slice(None),) * axis + (slice(start, start + size),)]
            elements = moved(data, cut)  # type: ignore[arg-type]
            start += size
        ctx.set(value, x.dtype, shape[:axis] + (size,) + shape[axis + 1 :], elements)


def split_sizes(node: Node, size: Size, given: Any, ctx: Inference) -> list[Size] | None:
    """Sizes of the pieces, one per output, or None when they do not fit. `given` is what the input `split` holds."""
    count = len(node.outputs)
    if given is None and ctx.opset < 13:
        given = node.attribute("split")
    if given is not None:
        if type(given) is not tuple or len(given) != count:
            return None
        return list(given)
    wanted = node.attribute("num_outputs") if ctx.opset >= 18 else None
    if wanted is None:
        share = exact_div(size, count)
        if share is None and type(size) is int:
            return None
        return [floordiv(size, count) if share is None else share] * count
    if wanted != count:
        return None
    share = ceildiv(size, count)
    last = sub(size, mul(share, count - 1))
    if type(last) is int and last < 0:
        return None
    return [share] * (count - 1) + [last]


@KERNELS.register("Split")
def split_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """Pieces of the array, each contiguous."""
    x = arrays[0]
    axis = normalized(node.attribute("axis", 0), x.ndim)
    given = listed(arrays[1]) if len(arrays) > 1 else None
    if given is None and len(arrays) > 1 and arrays[1] is not None:
        return None
    sizes: list[Any] | None = None if axis < 0 else split_sizes(node, x.shape[axis], given, ctx)
    if sizes is None or sum(sizes) != x.shape[axis] or min(sizes) < 0:
        return None
    pieces = []
    start = 0
    for size in sizes:
        pieces.append(x[(slice(None),) * axis + (slice(start, start + size),)].copy())
        start += size
    return pieces
