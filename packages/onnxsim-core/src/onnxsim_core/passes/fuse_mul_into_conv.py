"""fuse_mul_into_conv: a constant that multiplies the output channels becomes part of weight and bias."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import CONVOLUTIONS, absorb
from ..rewrite.rule import Skip, rewrites
from ..rewrite.tails import MULTIPLICATIVE, tail
from .catalog import declare

declare("fuse_mul_into_conv", "put a constant that multiplies the output channels of Conv or ConvTranspose into it")


@rewrites("fuse_mul_into_conv", root=MULTIPLICATIVE, after=CONVOLUTIONS)
def scaled_convolution(node: Node, op: Builder) -> Value | Skip:
    """Conv(x, W, b) * c -> Conv(x, W * c, b * c); also / c and Neg. c is one number or one per output channel.

    Numerics: weight and bias are multiplied in float64 and rounded once; the result moves by rounding. A weight that
        would leave the range of its type is left alone.
    Source: ONNX Conv-11, ConvTranspose-11, Mul-14 (broadcasting aligns at the last axis).
    """
    found = tail(node, CONVOLUTIONS)
    return found if isinstance(found, Skip) else absorb(op, *found)
