"""Normalisations: they keep the shape, and some give the statistics they used."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node
from .registry import SHAPES


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
