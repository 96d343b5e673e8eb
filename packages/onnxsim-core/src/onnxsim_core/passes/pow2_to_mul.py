"""pow2_to_mul: a square is written as a product; on request."""

from __future__ import annotations

from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import is_filled_with, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("pow2_to_mul", "write Pow(x, 2) as Mul(x, x), for targets without Pow", default=False)


@rewrites("pow2_to_mul", root="Pow", since=7)
def square_as_product(node: Node, op: Builder) -> Value | Skip:
    """Pow(x, 2) -> Mul(x, x) in float types, when the exponent does not widen the result.

    Numerics: a product is rounded once, Pow by up to one unit more.
    Source: ONNX Pow-7, -12, -13, Mul-7.
    """
    x, exponent = node.input(0), node.input(1)
    if x is None or x.dtype not in (FLOAT, DOUBLE, FLOAT16):
        return skip("the base is no float")
    if not is_filled_with(exponent, 2):
        return skip("the exponent is not 2")
    if not same_shape(x, node.outputs[0]):
        return skip("the exponent widens the result")
    made: Value = op.Mul(x, x)
    return made
