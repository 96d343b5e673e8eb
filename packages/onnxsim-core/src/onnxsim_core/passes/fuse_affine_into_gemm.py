"""fuse_affine_into_gemm: constants that scale or shift the columns become part of the matrix and the bias."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import absorb
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import ADDITIVE, MULTIPLICATIVE, tail
from .catalog import declare

declare("fuse_affine_into_gemm", "put constants that scale or shift the columns of a Gemm into it")

_KINDS = frozenset({"Gemm"})


@rewrites("fuse_affine_into_gemm", root=MULTIPLICATIVE + ADDITIVE, after=_KINDS)
def affine_gemm(node: Node, op: Builder) -> Value | Skip:
    """Gemm(a, B, C) * s + t -> Gemm(a, B * s, beta * C * s + t); s and t are one number or one per column.

    A scale of a matrix that is not constant goes into alpha, and into beta where C is not constant.

    Numerics: computed in float64 and rounded once; the result moves by rounding.
    Source: ONNX Gemm-7, -11, -13.
    """
    if op.opset < 7:
        return skip("Gemm broadcasts its bias from opset 7 on")
    found = tail(node, _KINDS)
    return found if isinstance(found, Skip) else absorb(op, *found)
