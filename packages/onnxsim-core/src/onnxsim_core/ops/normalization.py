"""Normalisations: they keep the shape, and some give the statistics they used."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node
from .registry import KERNELS, SHAPES


@SHAPES.register(
    "InstanceNormalization",
    "GroupNormalization",
    "RMSNormalization",
    "LRN",
    "MeanVarianceNormalization",
    "LpNormalization",
)
def normalized_shape(node: Node, ctx: Any) -> None:
    """The result has the type and shape of the first input."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], x.dtype, x.shape)


@SHAPES.register("BatchNormalization")
def batch_normalization_shape(node: Node, ctx: Any) -> None:
    """Y is like X; the statistics that training gives are [C], like the mean."""
    x, mean = node.input(0), node.input(3)
    if x is None or not node.outputs:
        return
    ctx.set(node.outputs[0], x.dtype, x.shape)
    if mean is not None:
        for value in node.outputs[1:]:
            ctx.set(value, mean.dtype, mean.shape)


@KERNELS.register("BatchNormalization", since=7)
def batch_normalization_training(node: Node, arrays: list[Any], ctx: Any) -> Any:
    """y = (x - mean) / sqrt(variance + epsilon) * s + b over all axes but the second, and the statistics.

    Numerics: sums in float64, each result rounded once; onnxruntime sums in the type of x, and moves away by 1e-6 of the
        largest result, or more where the mean is much larger than the deviation. What would overflow there is left to it.
    Source: ONNX BatchNormalization-7, -9 (five outputs train), -14 and -15 (training_mode); variance of the population.
    """
    import numpy as np

    x = arrays[0] if len(arrays) == 5 else None
    if x is None or len(node.outputs) == 1 or x.ndim < 2 or not x.size or not node.attribute("spatial", 1):
        return None
    if any(array is None or array.shape != (x.shape[1],) for array in arrays[1:]):
        return None
    scale, bias, mean_before, variance_before = [array.astype(np.float64) for array in arrays[1:]]
    axes = (0, *range(2, x.ndim))
    along = (-1, *(1,) * (x.ndim - 2))
    most = np.finfo(np.float64 if x.dtype == np.float64 else np.float32).max
    count = x.size // x.shape[1]
    with np.errstate(all="ignore"):
        result = x.astype(np.float64)
        mean = result.mean(axes)
        sums = np.abs(result).sum(axes)
        result -= mean.reshape(along)
        squares = np.square(result).sum(axes)
        if not ((sums < most) & (squares < most)).all():
            return None
        variance = squares / count
        inverse = 1 / np.sqrt(variance + node.attribute("epsilon", 1e-5))
        result *= (scale * inverse).reshape(along)
        result += bias.reshape(along)
        kept = node.attribute("momentum", 0.9)
        statistics = [mean_before * kept + mean * (1 - kept), variance_before * kept + variance * (1 - kept), mean, inverse]
        dtype = arrays[3].dtype
        return [result.astype(x.dtype), *[array.astype(dtype) for array in statistics[:len(node.outputs) - 1]]]


@SHAPES.register("LayerNormalization")
def layer_normalization_shape(node: Node, ctx: Any) -> None:
    """Y is like X; mean and inverse deviation have 1 for each normalised axis."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    ctx.set(node.outputs[0], x.dtype, x.shape)
    if len(node.outputs) == 1:
        return
    shape = None
    if x.shape is not None:
        rank = len(x.shape)
        axis = node.attribute("axis", -1)
        if -rank <= axis < rank:
            axis %= rank
            shape = [*x.shape[:axis], *(1,) * (rank - axis)]
    for value in node.outputs[1:]:
        ctx.set(value, node.attribute("stash_type", 1), shape)
