"""Operators that draw numbers. Their shapes are known, their values never fold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .registry import SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node

FLOAT, INT32 = 1, 6


@SHAPES.register("RandomNormal", "RandomUniform")
def random_shape(node: Node, ctx: Inference) -> None:
    """The shape written down, float by default.  Source: ONNX RandomNormal-1, RandomUniform-1."""
    shape, dtype = node.attribute("shape"), node.attribute("dtype", FLOAT)
    if node.outputs and type(dtype) is int:
        ctx.set(node.outputs[0], dtype, shape if type(shape) is tuple else None)


@SHAPES.register("RandomNormalLike", "RandomUniformLike", "Bernoulli")
def random_like_shape(node: Node, ctx: Inference) -> None:
    """The input's shape, and its type unless another is asked for.  Source: ONNX RandomNormalLike-1, Bernoulli-15."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    dtype = node.attribute("dtype", x.dtype)
    if type(dtype) is int:
        ctx.set(node.outputs[0], dtype, x.shape)


@SHAPES.register("Multinomial")
def multinomial_shape(node: Node, ctx: Inference) -> None:
    """[batch, classes] -> [batch, sample_size], int32 by default.  Source: ONNX Multinomial-7."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    dtype, count = node.attribute("dtype", INT32), node.attribute("sample_size", 1)
    if type(dtype) is not int or type(count) is not int or (x.shape is not None and len(x.shape) != 2):
        return
    ctx.set(node.outputs[0], dtype, (ctx.fresh() if x.shape is None else x.shape[0], count))
