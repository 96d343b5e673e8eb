"""Reshape: what the target shape says, and what the element count says where the target is silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.dims import Dim, Size, exact_div, is_nonneg, is_positive, substitute, symbols
from .axes import numel, static_numel, unknown_shape
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node

OPEN = -1
"""Stands in a resolved target for the one size that follows from the element count."""


def raw_target(node: Node, ctx: Inference) -> tuple[Size, ...] | None:
    """Elements of the target shape as they stand: attribute in version 1, input since 5."""
    if ctx.opset < 5:
        shape = node.attribute("shape")
        return shape if type(shape) is tuple else None
    return ctx.data(node.input(1))


@SHAPES.register("Reshape")
def reshape_shape(node: Node, ctx: Inference) -> None:
    """0 copies the input's size (unless allowzero), -1 takes what is left of the element count, else as written.

    A symbolic element stands for itself where it cannot be 0 or -1 as long as every named size is at least 1, or where
    its 0 means that the tensor has no elements. That a named size is 0 at a place where the input has another, which
    ONNX would copy, is left out of account: exporters mean the size they write.
    Source: ONNX Reshape-1, -5 (shape is an input), -14 (allowzero).
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    target = raw_target(node, ctx)
    if target is None:
        value = node.input(1)
        rank = value.shape[0] if value is not None and value.shape is not None and len(value.shape) == 1 else None
        ctx.set(y, x.dtype, unknown_shape(ctx, rank) if type(rank) is int and rank < 64 else None)
        return
    shape = reshaped(x.shape, target, bool(node.attribute("allowzero", 0)), ctx)
    ctx.set(y, x.dtype, shape, ctx.data(x) if shape is not None else None)


def reshaped(
    shape: tuple[Size, ...] | None, target: tuple[Size, ...], allowzero: bool, ctx: Inference
) -> tuple[Size, ...] | None:
    """The shape that `target` makes of `shape` (None: unknown rank), or None if it cannot be right."""
    result: list[Size] = []
    open_axis = -1
    for axis, size in enumerate(target):
        if type(size) is int:
            if size == 0 and not allowzero:
                if shape is None:
                    size = ctx.fresh()
                elif axis >= len(shape):
                    return None
                else:
                    size = shape[axis]
            elif size < 0:
                if size != OPEN or open_axis >= 0:
                    return None
                open_axis = axis
        result.append(size)
    unsure = [
        axis for axis, size in enumerate(target) if type(size) is Dim and not _stands(size, axis, shape, allowzero)
    ]
    if len(unsure) == 1 and open_axis < 0:
        # Whether it copies, infers or stands for itself, it is what the element count leaves for it.
        open_axis = unsure[0]
    else:
        for axis in unsure:
            result[axis] = ctx.fresh()
    if open_axis >= 0:
        left = None if shape is None else _left(shape, result, open_axis)
        if type(left) is int and left < 0:
            return None
        result[open_axis] = ctx.fresh() if left is None else left
    elif shape is not None and not unsure:
        before, after = static_numel(shape), static_numel(result)
        if before >= 0 and after >= 0 and before != after:
            return None
    return tuple(result)


def _stands(size: Dim, axis: int, shape: tuple[Size, ...] | None, allowzero: bool) -> bool:
    """Is an element of a target surely the size of its axis, neither a 0 that copies nor the -1?"""
    if is_positive(size) or (allowzero and is_nonneg(size)):
        return True
    if shape is not None:
        if axis < len(shape) and type(exact_div(size, shape[axis])) is int:
            return True
        rest = exact_div(numel(shape), size)
        if rest is not None and rest != 0:
            return True
    try:
        return is_positive(substitute(size, {one: one + 1 for one in symbols(size)}))
    except ValueError:
        return False


def _left(shape: tuple[Size, ...], result: list[Size], open_axis: int) -> Size | None:
    """Element count over the sizes known; sizes on both sides cancel first, so that they may be 0 without harm."""
    over = list(shape)
    under: list[Size] = []
    for axis, size in enumerate(result):
        if axis == open_axis:
            continue
        if type(size) is int:
            under.append(size)
        elif size in over:
            over.remove(size)
        else:
            under.append(size)
    below = numel(under)
    above = numel(over)
    if type(below) is int:
        if below == 0:
            return None
        if type(above) is int:
            return above // below if above % below == 0 else -1
        found = exact_div(above, below)
        return above // below if found is None else found
    found = exact_div(above, below)
    if found is not None:
        return found
    return above // below if is_positive(below) else None


@KERNELS.register("Reshape")
def reshape_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The same elements under another shape."""
    x = arrays[0]
    target = raw_target(node, ctx) if ctx.opset < 5 else tuple(arrays[1].reshape(-1).tolist())
    if target is None:
        return None
    shape = reshaped(x.shape, target, bool(node.attribute("allowzero", 0)), ctx)
    if shape is None or static_numel(shape) != x.size:
        return None
    return x.reshape(shape)
