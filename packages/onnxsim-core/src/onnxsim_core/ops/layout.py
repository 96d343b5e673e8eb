"""Operators that lay the same elements out anew: Identity, Flatten, Squeeze, Unsqueeze, Transpose, Concat, Split."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, add, ceildiv, exact_div, mul, sub
from .axes import (
    TRACKED,
    is_not_one,
    more_telling,
    moved,
    normalized,
    normalized_axes,
    numel,
    positions,
    static_numel,
    unknown_shape,
)
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node

Arrays = list[Any]


# --- Identity, Dropout -----------------------------------------------------------------------------------------------
@SHAPES.register("Identity")
def identity_shape(node: Node, ctx: Inference) -> None:
    """The input again, whatever it is.  Source: ONNX Identity-1, -14 (sequences), -16 (optionals)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    if not x.dtype:
        if x.type_proto is not None and y.type_proto is None:
            y.type_proto = x.type_proto
        return
    ctx.set(y, x.dtype, x.shape, ctx.data(x))


@KERNELS.register("Identity")
def identity_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """The input again."""
    return arrays[0]


@SHAPES.register("Dropout")
def dropout_shape(node: Node, ctx: Inference) -> None:
    """The input's shape; the mask has it too.  Source: ONNX Dropout-1 (mask of the input's type), -10 (bool mask)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    ctx.set(node.outputs[0], x.dtype, x.shape)
    if len(node.outputs) > 1:
        ctx.set(node.outputs[1], 9 if ctx.opset >= 10 else x.dtype, x.shape)


@KERNELS.register("Dropout", since=12)
def dropout_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """x, with a mask of True, where nothing is dropped: training_mode absent or false.  Source: ONNX Dropout-12."""
    if len(arrays) > 2 and arrays[2] is not None and arrays[2].reshape(-1).any():
        return None
    x = arrays[0]
    return x if len(node.outputs) == 1 else [x, np.ones(x.shape, bool)]


# --- Flatten, Squeeze, Unsqueeze -------------------------------------------------------------------------------------
def flatten_axis(node: Node, rank: int) -> int:
    """Where Flatten cuts the shape in two, 0..rank, or -1 when out of range."""
    axis = node.attribute("axis", 1)
    if type(axis) is not int:
        return -1
    if axis < 0:
        axis += rank
    return axis if 0 <= axis <= rank else -1


@SHAPES.register("Flatten")
def flatten_shape(node: Node, ctx: Inference) -> None:
    """[d0, .., dn] -> [d0*..*d(axis-1), d(axis)*..*dn].  Source: ONNX Flatten-1, -11 (negative axis)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is None:
        ctx.set(node.outputs[0], x.dtype, unknown_shape(ctx, 2))
        return
    axis = flatten_axis(node, len(shape))
    if axis >= 0:
        ctx.set(node.outputs[0], x.dtype, (numel(shape[:axis]), numel(shape[axis:])), ctx.data(x))


@KERNELS.register("Flatten")
def flatten_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """Reshape to two axes."""
    x = arrays[0]
    axis = flatten_axis(node, x.ndim)
    if axis < 0:
        return None
    return x.reshape(static_numel(x.shape[:axis]), static_numel(x.shape[axis:]))


def raw_axes(node: Node, ctx: Inference) -> tuple[Any, ...] | None | bool:
    """The axes of Squeeze and Unsqueeze, attribute or input: a tuple, None for none, False when not known."""
    if ctx.opset < 13:
        axes = node.attribute("axes")
        return axes if axes is None or type(axes) is tuple else False
    value = node.input(1)
    if value is None:
        return None
    found = ctx.ints(value)
    return False if found is None else found


@SHAPES.register("Squeeze")
def squeeze_shape(node: Node, ctx: Inference) -> None:
    """Drop the axes named (of size 1), or all of size 1.  Source: ONNX Squeeze-1, -11, -13 (axes is an input)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = squeezed(x.shape, raw_axes(node, ctx)) if x.shape is not None else None
    if shape is None:
        ctx.set(y, x.dtype)
    else:
        ctx.set(y, x.dtype, shape, ctx.data(x))


def squeezed(shape: tuple[Size, ...], raw: Any) -> list[Size] | None:
    """The shape without the axes, or None when not known or not allowed. No axes (or none in the list) means all ones."""
    if raw is False:
        return None
    if not raw:
        kept: list[Size] = []
        for size in shape:
            if type(size) is int:
                if size != 1:
                    kept.append(size)
            elif is_not_one(size):
                kept.append(size)
            else:
                return None
        return kept
    axes = normalized_axes(raw, len(shape))
    if axes is None:
        return None
    for axis in axes:
        if is_not_one(shape[axis]):
            return None
    return [size for axis, size in enumerate(shape) if axis not in axes]


@KERNELS.register("Squeeze")
def squeeze_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """Reshape to fewer axes."""
    shape = squeezed(arrays[0].shape, raw_axes(node, ctx))
    return None if shape is None else arrays[0].reshape(shape)


@SHAPES.register("Unsqueeze")
def unsqueeze_shape(node: Node, ctx: Inference) -> None:
    """Put axes of size 1 in, at places of the result.  Source: ONNX Unsqueeze-1, -11, -13 (axes is an input)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    raw = raw_axes(node, ctx)
    shape = x.shape
    if shape is None:
        ctx.set(y, x.dtype)
    elif type(raw) is tuple:
        result = unsqueezed(shape, raw)
        if result is None:
            ctx.set(y, x.dtype)
        else:
            ctx.set(y, x.dtype, result, ctx.data(x))
    else:
        ctx.set(y, x.dtype)


def unsqueezed(shape: tuple[Size, ...], raw: tuple[Any, ...]) -> list[Size] | None:
    """The shape with axes of size 1 put in, or None when two fall on one place or one is out of range."""
    rank = len(shape) + len(raw)
    axes = normalized_axes(raw, rank)
    if axes is None:
        return None
    result = list(shape)
    for axis in sorted(axes):
        result.insert(axis, 1)
    return result


@KERNELS.register("Unsqueeze")
def unsqueeze_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """Reshape to more axes."""
    raw = raw_axes(node, ctx)
    shape = unsqueezed(arrays[0].shape, raw) if type(raw) is tuple else None
    return None if shape is None else arrays[0].reshape(shape)


# --- Transpose -------------------------------------------------------------------------------------------------------
def permutation(node: Node, rank: int) -> list[int] | None:
    """Transpose's perm, by default all axes reversed, or None when it is no permutation of this rank."""
    perm = node.attribute("perm")
    if perm is None:
        return list(range(rank - 1, -1, -1))
    if type(perm) is not tuple or len(perm) != rank:
        return None
    return normalized_axes(perm, rank)


@SHAPES.register("Transpose")
def transpose_shape(node: Node, ctx: Inference) -> None:
    """[d0, .., dn] -> [d(perm[0]), .., d(perm[n])].  Source: ONNX Transpose-1."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None:
        perm = node.attribute("perm")
        ctx.set(y, x.dtype, unknown_shape(ctx, len(perm)) if type(perm) is tuple else None)
        return
    perm = permutation(node, len(shape))
    if perm is None:
        return
    data = ctx.data(x)
    if data is not None and len(shape) > 1:
        where = positions(data, shape)
        data = None if where is None else moved(data, where.transpose(perm))
    ctx.set(y, x.dtype, tuple([shape[axis] for axis in perm]), data)


@KERNELS.register("Transpose")
def transpose_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """Elements in the new order."""
    perm = permutation(node, arrays[0].ndim)
    return None if perm is None else np.ascontiguousarray(arrays[0].transpose(perm)).reshape(
        [arrays[0].shape[axis] for axis in perm])


# --- Concat ----------------------------------------------------------------------------------------------------------
@SHAPES.register("Concat")
def concat_shape(node: Node, ctx: Inference) -> None:
    """Sizes add up along the axis and agree elsewhere.  Source: ONNX Concat-1 (axis 1 by default), -4, -11."""
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
        elif len(shape) > 1:
            for index, size in enumerate(shape):
                if index != axis and size is not result[index]:
                    result[index] = more_telling(result[index], size, ctx)
        length = add(length, shape[axis])
    if result is None:
        ctx.set(y, dtype)
        return
    result[axis] = ctx.fresh() if missing else length
    data = None
    if type(length) is int and not missing and length <= TRACKED:
        data = _concat_data(node, result, axis, ctx)
    ctx.set(y, dtype, tuple(result), data)


def _concat_data(node: Node, shape: list[Size], axis: int, ctx: Inference) -> tuple[Size, ...] | None:
    """Elements of the whole. In a vector, parts nobody knows stand as nameless numbers next to parts that are known."""
    total = static_numel(shape)
    y = node.outputs[0]
    if not 0 <= total <= TRACKED or y.dtype not in (0, 6, 7, 9):
        return None
    parts: list[tuple[Size, ...] | None] = []
    known = 0
    for value in node.inputs:
        part = ctx.data(value)
        parts.append(part)
        known += part is not None
    if not known:
        return None
    if known < len(parts) and len(shape) != 1:
        return None
    if axis:
        return _interleaved(parts, static_numel(shape[:axis]))
    old = y.data
    result: list[Size] = []
    for value, part in zip(node.inputs, parts):
        if part is not None:
            result += part
            continue
        start = len(result)
        missing = value.shape[0]  # type: ignore[union-attr,index]
        if type(missing) is not int:
            return None
        for index in range(missing):
            kept = old[start + index] if old is not None and len(old) == total else None
            result.append(ctx.symbols.fresh(nonneg=False) if kept is None else kept)
    return tuple(result) if len(result) == total else None


def _interleaved(parts: list[Any], rows: int) -> tuple[Size, ...]:
    """Row-major elements of parts that stand side by side."""
    result: list[Size] = []
    for row in range(rows):
        for part in parts:
            width = len(part) // rows
            result += part[row * width:(row + 1) * width]
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
    sizes = split_sizes(node, shape[axis], ctx)
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
        ctx.set(value, x.dtype, shape[:axis] + (size,) + shape[axis + 1:], elements)


def split_sizes(node: Node, size: Size, ctx: Inference) -> list[Size] | None:
    """Sizes of the pieces, one per output, or None when they are not known."""
    count = len(node.outputs)
    given: Any = node.attribute("split") if ctx.opset < 13 else None
    value = node.input(1)
    if given is None and value is not None:
        given = ctx.data(value)
        if given is None:
            return None
    if given is not None:
        if type(given) is not tuple or len(given) != count:
            return None
        return list(given)
    if ctx.opset < 18:
        share = exact_div(size, count)
        if share is None:
            share = None if type(size) is int else size // count
        return None if share is None else [share] * count
    if node.attribute("num_outputs", count) != count:
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
    sizes: list[Any] | None = None if axis < 0 else split_sizes(node, x.shape[axis], ctx)
    if sizes is None or sum(sizes) != x.shape[axis] or min(sizes) < 0:
        return None
    pieces = []
    start = 0
    for size in sizes:
        pieces.append(x[(slice(None),) * axis + (slice(start, start + size),)].copy())
        start += size
    return pieces
