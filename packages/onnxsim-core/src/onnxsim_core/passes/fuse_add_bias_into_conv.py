"""fuse_add_bias_into_conv: a constant added per output channel becomes the bias."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import CONVOLUTIONS, absorb
from ..rewrite.rule import Skip, rewrites
from ..rewrite.tails import ADDITIVE, tail
from .catalog import declare

declare("fuse_add_bias_into_conv", "put a constant added per output channel of Conv or ConvTranspose into the bias")


@rewrites("fuse_add_bias_into_conv", root=ADDITIVE, after=CONVOLUTIONS)
def convolution_with_bias(node: Node, op: Builder) -> Value | Skip:
    """Conv(x, W, b) + c -> Conv(x, W, b + c); also -c, and c - Conv(x, W, b) -> Conv(x, -W, c - b).

    c is one number or one per output channel ([M, 1, 1] or [1, M, 1, 1] after a 2-D Conv).

    Numerics: the new bias is summed in float64 and rounded once; the result moves by rounding.
    Source: ONNX Conv-11, ConvTranspose-11, Add-14 (broadcasting aligns at the last axis).
    """
    found = tail(node, CONVOLUTIONS)
    return found if isinstance(found, Skip) else absorb(op, *found)
