"""Pools, and the operators that undo them or pool regions."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size
from ..ir.dtypes import INT64
from ..ir.graph import Node, Value
from .registry import SHAPES
from .window import Window, pooled, pooled_up, slid_shape, transposed, window


def _window(node: Node, x: Value) -> Window | None:
    """The pool's window over the spatial axes of x; None when the rank is unknown or does not fit."""
    shape = x.shape
    return (
        None if shape is None or len(shape) < 3 else window(node, len(shape) - 2, node.attribute("kernel_shape") or ())
    )


@SHAPES.register("MaxPool", "AveragePool", "LpPool")
def pool_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in] -> [N, C, *out], twice for MaxPool with indices."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    out = node.outputs[0]
    win = _window(node, x)
    sizes: list[Size] | None = None
    if win is not None:
        assert x.shape is not None
        rule = pooled_up if node.attribute("ceil_mode", 0) else pooled
        sizes = [*x.shape[:2], *[ctx.fresh() if size is None else size for size in slid_shape(x.shape, win, rule)]]
    ctx.set(out, x.dtype, sizes)
    if len(node.outputs) > 1:
        ctx.set(node.outputs[1], INT64, out.shape)


@SHAPES.register("GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool")
def global_pool_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in] -> [N, C, 1, ..]."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is None or len(shape) < 2:
        ctx.set(node.outputs[0], x.dtype)
        return
    ctx.set(node.outputs[0], x.dtype, [*shape[:2], *(1,) * (len(shape) - 2)])


@SHAPES.register("MaxUnpool")
def max_unpool_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in] -> [N, C, *out], where the pool would have come from, or what the third input asks for."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    out = node.outputs[0]
    stated = node.input(2)
    if stated is not None:
        sizes = ctx.data(stated)
        if sizes is None and out.shape is None and x.shape is not None:
            sizes = [ctx.fresh() for _ in x.shape]
        ctx.set(out, x.dtype, sizes)
        return
    win = _window(node, x)
    if win is None:
        ctx.set(out, x.dtype)
        return
    assert x.shape is not None
    ctx.set(out, x.dtype, [*x.shape[:2], *[transposed(size, win, axis) for axis, size in enumerate(x.shape[2:])]])


@SHAPES.register("MaxRoiPool")
def max_roi_pool_shape(node: Node, ctx: Any) -> None:
    """[N, C, H, W], [R, 5] -> [R, C, *pooled_shape]."""
    _state_regions(node, node.attribute("pooled_shape") or (), ctx)


@SHAPES.register("RoiAlign")
def roi_align_shape(node: Node, ctx: Any) -> None:
    """[N, C, H, W], [R, 4] -> [R, C, output_height, output_width]."""
    _state_regions(node, (node.attribute("output_height", 1), node.attribute("output_width", 1)), ctx)


def _state_regions(node: Node, sizes: tuple[int, ...], ctx: Any) -> None:
    x, regions = node.input(0), node.input(1)
    if x is None or regions is None or not node.outputs:
        return
    shape, rows = x.shape, regions.shape
    if shape is None or rows is None or len(shape) != 4 or len(rows) != 2 or len(sizes) != 2:
        ctx.set(node.outputs[0], x.dtype)
        return
    ctx.set(node.outputs[0], x.dtype, (rows[0], shape[1], *sizes))
