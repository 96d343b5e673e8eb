"""Operators that trade channels for space: DepthToSpace, SpaceToDepth, Col2Im."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, exact_div, floordiv, mul
from .axes import numel, unknown_shape
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node


def _divided(size: Size, by: int) -> Size | None:
    """size / by for a size the model only runs with when it divides; None when it does not."""
    found = exact_div(size, by)
    return floordiv(size, by) if found is None and type(size) is not int else found


@SHAPES.register("DepthToSpace")
def depth_to_space_shape(node: Node, ctx: Inference) -> None:
    """[N, C, H, W] -> [N, C/b^2, H*b, W*b].  Source: ONNX DepthToSpace-1, -11 (mode), -13."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    block = node.attribute("blocksize")
    if x.shape is None:
        ctx.set(node.outputs[0], x.dtype, unknown_shape(ctx, 4))
    elif len(x.shape) == 4 and type(block) is int and block > 0:
        n, c, h, w = x.shape
        depth = _divided(c, block * block)
        if depth is not None:
            ctx.set(node.outputs[0], x.dtype, (n, depth, mul(h, block), mul(w, block)))


@KERNELS.register("DepthToSpace")
def depth_to_space_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Blocks of channels become blocks of pixels: DCR takes block-major channels, CRD channel-major ones."""
    x = arrays[0]
    block, mode = node.attribute("blocksize"), node.text("mode", "DCR")
    if x.ndim != 4 or type(block) is not int or block < 1 or x.shape[1] % (block * block) or mode not in ("DCR", "CRD"):
        return None
    n, c, h, w = x.shape
    depth = c // (block * block)
    if mode == "DCR":
        split = x.reshape(n, block, block, depth, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        split = x.reshape(n, depth, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return np.ascontiguousarray(split).reshape(n, depth, h * block, w * block)


@SHAPES.register("SpaceToDepth")
def space_to_depth_shape(node: Node, ctx: Inference) -> None:
    """[N, C, H, W] -> [N, C*b^2, H/b, W/b].  Source: ONNX SpaceToDepth-1, -13, -28 (mode)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    block = node.attribute("blocksize")
    if x.shape is None:
        ctx.set(node.outputs[0], x.dtype, unknown_shape(ctx, 4))
    elif len(x.shape) == 4 and type(block) is int and block > 0:
        n, c, h, w = x.shape
        height, width = _divided(h, block), _divided(w, block)
        if height is not None and width is not None:
            ctx.set(node.outputs[0], x.dtype, (n, mul(c, block * block), height, width))


@KERNELS.register("SpaceToDepth")
def space_to_depth_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Blocks of pixels become blocks of channels: block-major with DCR, channel-major with CRD (from opset 28 on)."""
    x = arrays[0]
    block, mode = node.attribute("blocksize"), node.text("mode", "DCR")
    if x.ndim != 4 or type(block) is not int or block < 1 or x.shape[2] % block or x.shape[3] % block:
        return None
    if mode not in ("DCR", "CRD"):
        return None
    n, c, h, w = x.shape
    order = (0, 3, 5, 1, 2, 4) if mode == "DCR" else (0, 1, 3, 5, 2, 4)
    split = x.reshape(n, c, h // block, block, w // block, block).transpose(order)
    return np.ascontiguousarray(split).reshape(n, c * block * block, h // block, w // block)


@SHAPES.register("Col2Im")
def col2im_shape(node: Node, ctx: Inference) -> None:
    """[N, C*prod(block), L] -> [N, C, *image].  Source: ONNX Col2Im-18."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    image, block = ctx.data(node.input(1)), ctx.data(node.input(2))
    if x.shape is None or len(x.shape) != 3 or image is None:
        ctx.set(node.outputs[0], x.dtype)
        return
    area = None if block is None else numel(block)
    channels = _divided(x.shape[1], area) if type(area) is int and area > 0 else None
    ctx.set(node.outputs[0], x.dtype, (x.shape[0], ctx.fresh() if channels is None else channels, *image))
