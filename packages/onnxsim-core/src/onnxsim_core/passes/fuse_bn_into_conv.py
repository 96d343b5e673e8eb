"""fuse_bn_into_conv: BatchNormalization after a convolution becomes part of its weight and bias."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import CONVOLUTIONS, absorb, output_channels
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import batchnorm_tail, layer_before
from .catalog import declare

declare("fuse_bn_into_conv", "put a BatchNormalization after Conv or ConvTranspose into weight and bias")


@rewrites("fuse_bn_into_conv", root="BatchNormalization", after=CONVOLUTIONS)
def convolution_with_batchnorm(node: Node, op: Builder) -> Value | Skip:
    """BatchNormalization(Conv(x, W, b)) -> Conv(x, W * s, b * s + t), s = scale / sqrt(var + eps), t = B - mean * s.

    Numerics: weight and bias are computed in float64 and rounded once; the result moves by rounding, about 1e-6 of its
        largest value in float32.
    Source: ONNX BatchNormalization-15, Conv-11, ConvTranspose-11.
    """
    layer = layer_before(node.inputs[0], node, CONVOLUTIONS)
    if isinstance(layer, Skip):
        return layer
    affine = batchnorm_tail(node, op.opset)
    if isinstance(affine, Skip):
        return affine
    scale, shift = affine
    channels = output_channels(layer)
    if channels is None or channels.count != scale.size:
        return skip("the layer does not have as many output channels")
    return absorb(op, layer, scale, shift)
