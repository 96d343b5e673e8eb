"""Output sizes of operators that resample: Resize, Upsample, GridSample, AffineGrid.

onnxruntime computes a size as floor(float32(size) * float32(scale)), rounding the product to float32 first.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, floordiv, mul
from .axes import more_telling, normalized_axes, unknown_shape
from .registry import SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value

SMALL_NUMERATOR = 256
"""A scale p / 2^k with a numerator below this keeps size * scale exact in float32 for sizes below 65536."""
FLOAT = 1


def scaled(size: Size, scale: float) -> Size | None:
    """The size times a float32 scale as onnxruntime rounds it, or None when a symbolic size hides the rounding."""
    if not 0 <= scale < 1 << 31:
        return None
    if type(size) is int:
        return floor(np.float32(size) * np.float32(scale))
    over, under = float(scale).as_integer_ratio()
    return floordiv(mul(size, over), under) if over < SMALL_NUMERATOR else None


def floats_of(value: Value | None) -> list[float] | None:
    """Elements of a constant float vector; None when not constant or empty, which Resize reads as absent."""
    if value is None or not value.is_constant or value.dtype != FLOAT:
        return None
    found: list[float] = value.tensor.numpy().reshape(-1).tolist()  # type: ignore[union-attr]
    return found or None


@SHAPES.register("Resize", since=10)
def resize_shape(node: Node, ctx: Inference) -> None:
    """Sizes as asked for, or each size times its scale.

    Source: ONNX Resize-10 (scales), -11 (roi, scales, sizes), -13, -18 (axes, keep_aspect_ratio_policy), -19.
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None:
        ctx.set(y, x.dtype)
        return
    raw = node.attribute("axes") if ctx.opset >= 18 else None
    axes = list(range(len(shape))) if raw is None else normalized_axes(raw, len(shape)) if type(raw) is tuple else None
    if axes is None:
        return
    scales = floats_of(node.input(2 if ctx.opset >= 11 else 1))
    result = list(shape)
    wanted = ctx.data(node.input(3)) if scales is None else None
    if scales is not None and len(scales) == len(axes):
        for axis, scale in zip(axes, scales):
            size = scaled(shape[axis], scale)
            result[axis] = ctx.fresh() if size is None else size
    elif wanted and len(wanted) == len(axes):
        sizes = _kept_aspect(node, [shape[axis] for axis in axes], wanted, ctx)
        for axis, size in zip(axes, sizes):
            result[axis] = size
    else:
        for axis in axes:
            result[axis] = ctx.fresh()
    ctx.set(y, x.dtype, tuple(result))


def _kept_aspect(node: Node, sizes: list[Size], wanted: tuple[Size, ...], ctx: Inference) -> tuple[Size, ...]:
    """Sizes under keep_aspect_ratio_policy: one scale for all axes, half rounded up."""
    policy = node.text("keep_aspect_ratio_policy", "stretch") if ctx.opset >= 18 else "stretch"
    if policy == "stretch":
        return wanted
    scales = []
    for size, target in zip(sizes, wanted):
        if type(size) is not int or type(target) is not int or not size:
            return unknown_shape(ctx, len(sizes))
        scales.append(np.float32(target) / np.float32(size))
    scale = min(scales) if policy == "not_larger" else max(scales)
    return tuple([floor(float(scale * np.float32(size)) + 0.5) for size in sizes])  # type: ignore[arg-type]


@SHAPES.register("Upsample", since=7)
def upsample_shape(node: Node, ctx: Inference) -> None:
    """Each size times its scale.  Source: ONNX Upsample-7 (scales is an attribute), -9 (an input)."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    scales: Any = node.attribute("scales") if ctx.opset < 9 else floats_of(node.input(1))
    shape = x.shape
    if shape is None or scales is None or len(scales) != len(shape):
        ctx.set(node.outputs[0], x.dtype, None if shape is None else unknown_shape(ctx, len(shape)))
        return
    sizes = [scaled(size, scale) for size, scale in zip(shape, scales)]
    ctx.set(node.outputs[0], x.dtype, tuple([ctx.fresh() if size is None else size for size in sizes]))


@SHAPES.register("GridSample")
def grid_sample_shape(node: Node, ctx: Inference) -> None:
    """x [N, C, *], grid [N, *out, rank] -> [N, C, *out].  Source: ONNX GridSample-16, -20."""
    x, grid = node.input(0), node.input(1)
    if x is None or grid is None or not node.outputs:
        return
    if x.shape is None or grid.shape is None:
        ctx.set(node.outputs[0], x.dtype)
    elif len(x.shape) == len(grid.shape) > 2:
        batch = more_telling(x.shape[0], grid.shape[0], ctx)
        ctx.set(node.outputs[0], x.dtype, (batch, x.shape[1], *grid.shape[1:-1]))


@SHAPES.register("AffineGrid")
def affine_grid_shape(node: Node, ctx: Inference) -> None:
    """size [N, C, *out] -> [N, *out, len(out)].  Source: ONNX AffineGrid-20."""
    theta, size = node.input(0), node.input(1)
    if theta is None or not node.outputs:
        return
    data = ctx.data(size)
    if data is None or len(data) not in (4, 5):
        ctx.set(node.outputs[0], theta.dtype)
        return
    ctx.set(node.outputs[0], theta.dtype, (data[0], *data[2:], len(data) - 2))
