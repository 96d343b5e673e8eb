"""fuse_bn_into_gemm: BatchNormalization after a fully connected layer becomes part of its weight and bias."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import absorb, output_channels
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import batchnorm_tail, layer_before
from .catalog import declare

declare("fuse_bn_into_gemm", "put a BatchNormalization after Gemm or a MatMul of matrices into weight and bias")

_KINDS = frozenset({"Gemm", "MatMul"})


@rewrites("fuse_bn_into_gemm", root="BatchNormalization", after=_KINDS)
def gemm_with_batchnorm(node: Node, op: Builder) -> Value | Skip:
    """BatchNormalization(Gemm(a, B, C)) -> Gemm(a, B * s, beta * C * s + t); a MatMul becomes a Gemm.

    Numerics: weight and bias are computed in float64 and rounded once; the result moves by rounding, about 1e-6 of its
        largest value in float32.
    Source: ONNX BatchNormalization-15, Gemm-13.
    """
    layer = layer_before(node.inputs[0], node, _KINDS)
    if isinstance(layer, Skip):
        return layer
    affine = batchnorm_tail(node, op.opset)
    if isinstance(affine, Skip):
        return affine
    scale, shift = affine
    channels = output_channels(layer)
    if channels is None or channels.rank != 2 or channels.count != scale.size:
        return skip("the result is no matrix with as many columns")
    return absorb(op, layer, scale, shift)
