"""Operators that give the same elements another shape or order: Identity, Flatten, Squeeze, Unsqueeze, Transpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size
from .axes import (
    is_not_one,
    moved,
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


@KERNELS.register("Dropout", since=7)
def dropout_fold(node: Node, arrays: Arrays, ctx: Inference) -> Any:
    """x, with a mask of True, where nothing is dropped: training_mode absent or false.  Source: ONNX Dropout-7, -12."""
    if ctx.opset < 12 and len(node.outputs) > 1:
        return None
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


def given_axes(node: Node, arrays: Arrays, ctx: Inference) -> tuple[Any, ...] | None | bool:
    """The same, from the arrays a kernel is given."""
    if ctx.opset < 13:
        return raw_axes(node, ctx)
    axes = arrays[1] if len(arrays) > 1 else None
    return None if axes is None else tuple(axes.reshape(-1).tolist())


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
    """The shape without the axes, or None when not known or not allowed. No axes (or an empty list) is all ones."""
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
    shape = squeezed(arrays[0].shape, given_axes(node, arrays, ctx))
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
    raw = given_axes(node, arrays, ctx)
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
    return (
        None
        if perm is None
        else np.ascontiguousarray(arrays[0].transpose(perm)).reshape([arrays[0].shape[axis] for axis in perm])
    )
