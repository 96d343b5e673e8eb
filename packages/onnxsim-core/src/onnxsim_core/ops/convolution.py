"""Convolutions."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import INT32
from ..ir.graph import Node, Value
from .registry import SHAPES
from .window import slid_shape, window


@SHAPES.register("Conv")
def conv_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in], [M, C/group, *k] -> [N, M, *out]."""
    _state(node, node.input(0), node.input(1), 0, ctx)


@SHAPES.register("ConvInteger")
def conv_integer_shape(node: Node, ctx: Any) -> None:
    """Conv of 8-bit integers, int32 result."""
    _state(node, node.input(0), node.input(1), INT32, ctx)


@SHAPES.register("QLinearConv")
def qlinear_conv_shape(node: Node, ctx: Any) -> None:
    """Conv of inputs 0 and 3, with the type of the output's zero point."""
    zero = node.input(7)
    if zero is not None:
        _state(node, node.input(0), node.input(3), zero.dtype, ctx)


def _state(node: Node, x: Value | None, weight: Value | None, dtype: int, ctx: Any) -> None:
    if x is None or weight is None or not node.outputs:
        return
    out = node.outputs[0]
    dtype = dtype or x.dtype
    shape, filters = x.shape, weight.shape
    if shape is None or filters is None or len(shape) != len(filters) or len(shape) < 3:
        ctx.set(out, dtype)
        return
    win = window(node, len(shape) - 2, node.attribute("kernel_shape") or filters[2:])
    if win is None:
        ctx.set(out, dtype)
        return
    ctx.set(out, dtype, [shape[0], filters[0], *slid_shape(shape, win)])
