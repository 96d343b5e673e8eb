"""Pools."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import INT64
from ..ir.graph import Node
from .registry import SHAPES
from .window import slid_shape, window


@SHAPES.register("MaxPool", "AveragePool", "LpPool")
def pool_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in] -> [N, C, *out], twice for MaxPool with indices."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    sizes = None
    if shape is not None and len(shape) >= 3:
        win = window(node, len(shape) - 2, node.attribute("kernel_shape") or ())
        if win is not None:
            sizes = [*shape[:2], *slid_shape(shape, win, bool(node.attribute("ceil_mode", 0)))]
    ctx.set(node.outputs[0], x.dtype, sizes)
    if len(node.outputs) > 1:
        ctx.set(node.outputs[1], INT64, sizes)


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
