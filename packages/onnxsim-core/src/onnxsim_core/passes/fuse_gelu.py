"""fuse_gelu: the Gaussian error linear unit in parts becomes Gelu."""

from __future__ import annotations

import math

from ..ir.dtypes import FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import factors, is_polynomial, keeps_rank, one_more_than, polynomial, rank_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_gelu", "make x * 0.5 * (1 + erf(x / sqrt(2))), or the same with tanh, one Gelu (opset 20)")

_SQRT_HALF = math.sqrt(0.5)
_SQRT_TWO_OVER_PI = math.sqrt(2.0 / math.pi)
_ERF = {1: _SQRT_HALF}
_TANH = {1: _SQRT_TWO_OVER_PI, 3: 0.044715 * _SQRT_TWO_OVER_PI}


@rewrites("fuse_gelu", root=("Mul", "Div"), since=20)
def gelu(node: Node, op: Builder) -> Value | Skip:
    """x * 0.5 * (1 + Erf(x / sqrt(2))) -> Gelu(x); Tanh(sqrt(2/pi) * (x + 0.044715 x^3)) gives the approximate one.

    Numerics: same formula, other rounding; a few units in the last place of max(|x|, 1). Where x times the sum
        overflows before it is halved, Gelu stays finite.
    Source: ONNX Gelu-20.
    """
    if op.opset < 20:
        return skip("Gelu exists from opset 20 on")
    coefficient, leaves = factors(node)
    if coefficient != 0.5 or len(leaves) != 2:
        return skip("it is not half a product of two")
    for total, x in (leaves, leaves[::-1]):
        for op_type, wanted, approximate in (("Erf", _ERF, None), ("Tanh", _TANH, b"tanh")):
            inner = one_more_than(total, op_type)
            if inner is None or inner.inputs[0] is None:
                continue
            if not is_polynomial(polynomial(inner.inputs[0], x, rank_of(x), node.graph), wanted, x.dtype):
                return skip("the argument of Erf or Tanh is another one")
            if x.dtype not in (FLOAT, FLOAT16):
                return skip("Gelu runs on float and float16 only")
            if not keeps_rank(node, x):
                return skip("a constant widens the result")
            made: Value = op.Gelu(x, approximate=approximate)
            return made
    return skip("no factor is 1 + Erf or 1 + Tanh")
