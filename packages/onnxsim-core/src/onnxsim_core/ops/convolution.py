"""Convolutions: forward, transposed, deformable and quantised."""

from __future__ import annotations

from typing import Any

from ..ir.dims import mul
from ..ir.dtypes import INT32
from ..ir.graph import Node, Value
from .registry import SHAPES
from .window import Window, convolved, slid_shape, transposed, window


@SHAPES.register("Conv")
def conv_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in], [M, C/group, *k] -> [N, M, *out]."""
    x = node.input(0)
    if x is not None:
        _state(node, x, node.input(1), x.dtype, ctx)


@SHAPES.register("ConvInteger")
def conv_integer_shape(node: Node, ctx: Any) -> None:
    """Conv of 8-bit integers, int32 result."""
    x = node.input(0)
    if x is not None:
        _state(node, x, node.input(1), INT32, ctx)


@SHAPES.register("QLinearConv")
def qlinear_conv_shape(node: Node, ctx: Any) -> None:
    """Conv of inputs 0 and 3, with the type of the output's zero point."""
    x, zero = node.input(0), node.input(7)
    if x is not None and zero is not None:
        _state(node, x, node.input(3), zero.dtype, ctx)


@SHAPES.register("DeformConv")
def deform_conv_shape(node: Node, ctx: Any) -> None:
    """Conv with offsets for each tap, which change no size."""
    x = node.input(0)
    if x is not None:
        _state(node, x, node.input(1), x.dtype, ctx)


def _fitting_window(node: Node, x: Value, weight: Value | None) -> Window | None:
    """The window over the spatial axes of x, or None when ranks are unknown or do not fit."""
    shape = x.shape
    if shape is None or len(shape) < 3:
        return None
    filters = weight.shape if weight is not None else None
    kernel = node.attribute("kernel_shape")
    if not kernel:
        if filters is None or len(filters) != len(shape):
            return None
        kernel = filters[2:]
    return window(node, len(shape) - 2, kernel)


def _state(node: Node, x: Value, weight: Value | None, dtype: int, ctx: Any) -> None:
    if not node.outputs:
        return
    win = _fitting_window(node, x, weight)
    if win is None:
        ctx.set(node.outputs[0], dtype)
        return
    assert x.shape is not None
    filters = weight.shape[0] if weight is not None and weight.shape else ctx.fresh()
    ctx.set(node.outputs[0], dtype, [x.shape[0], filters, *slid_shape(x.shape, win, convolved)])


@SHAPES.register("ConvTranspose")
def conv_transpose_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in], [C, M/group, *k] -> [N, M, *out]; `output_shape` states the spatial sizes outright."""
    x, weight = node.input(0), node.input(1)
    if x is None or not node.outputs:
        return
    out = node.outputs[0]
    win = _fitting_window(node, x, weight)
    if win is None:
        ctx.set(out, x.dtype)
        return
    assert x.shape is not None
    rank = len(win.strides)
    extra = node.attribute("output_padding") or (0,) * rank
    stated = node.attribute("output_shape")
    if len(extra) != rank or stated and len(stated) not in (rank, rank + 2):
        ctx.set(out, x.dtype)
        return
    filters = ctx.fresh()
    if weight is not None and weight.shape is not None and len(weight.shape) > 1:
        filters = mul(weight.shape[1], node.attribute("group", 1))
    if stated:
        sizes = stated[-rank:]
    else:
        sizes = [transposed(size, win, axis, extra[axis]) for axis, size in enumerate(x.shape[2:])]
    ctx.set(out, x.dtype, [x.shape[0], filters, *sizes])
