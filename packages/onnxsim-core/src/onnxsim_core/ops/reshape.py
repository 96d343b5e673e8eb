"""Reshape: what the target shape says, and what the element count says where the target is silent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..ir.dims import Dim, Size, exact_div, is_nonneg, is_positive, known_different
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

    A symbolic size stands for itself. If it is 0 when the model runs and the input has another size there, ONNX reads
    the 0 as "copy", which only tensors without elements survive; that case is left out of account.
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
    doubtful = [
        axis for axis, size in enumerate(result) if type(size) is Dim and _may_be_open(size, target[axis], shape)
    ]
    if doubtful and open_axis < 0 and len(doubtful) == 1:
        open_axis = doubtful.pop()
    for axis in doubtful:
        # Next to another -1 the element cannot be one, but a number from elsewhere may well be a 0 that copies.
        if open_axis < 0 or ctx.symbols.is_anonymous(result[axis]):
            result[axis] = ctx.fresh()
    if open_axis >= 0:
        left = None if shape is None else _left(shape, result, open_axis)
        if type(left) is int and left < 0:
            return None
        result[open_axis] = ctx.fresh() if left is None else left
    elif shape is not None and not doubtful:
        before, after = static_numel(shape), static_numel(result)
        if before >= 0 and after >= 0 and before != after:
            return None
    return tuple(result)


def _may_be_open(size: Dim, written: Size, shape: tuple[Size, ...] | None) -> bool:
    """Could this element of a target be -1 when the model runs? Sizes of the input cannot."""
    if written is not size or is_nonneg(size) or known_different(size, -1):
        return False
    return shape is None or size not in shape


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
