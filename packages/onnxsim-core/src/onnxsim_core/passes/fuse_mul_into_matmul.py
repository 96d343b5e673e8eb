"""fuse_mul_into_matmul: a constant that multiplies a product becomes part of the constant factor."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import absorb
from ..rewrite.rule import Skip, rewrites
from ..rewrite.tails import MULTIPLICATIVE, tail
from .catalog import declare

declare("fuse_mul_into_matmul", "put a constant that multiplies the product of a MatMul into its constant factor")

_KINDS = frozenset({"MatMul"})


@rewrites("fuse_mul_into_matmul", root=MULTIPLICATIVE)
def scaled_matmul(node: Node, op: Builder) -> Value | Skip:
    """MatMul(x, W) * c -> MatMul(x, W * c); also / c and Neg. c is one number or one per column.

    Numerics: the factor is multiplied in float64 and rounded once; the result moves by rounding. A factor that would
        leave the range of its type is left alone.
    Source: ONNX MatMul-13, Mul-14.
    """
    found = tail(node, _KINDS)
    return found if isinstance(found, Skip) else absorb(op, *found)
