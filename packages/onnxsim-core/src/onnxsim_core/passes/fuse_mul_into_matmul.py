"""fuse_mul_into_matmul: constants that multiply a product, or both its factors, become part of one factor."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import DOUBLE, FLOAT, numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import number, rank_of
from ..rewrite.layers import NOT_REAL, absorb, along_channels, float64, is_real, output_channels, vector
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import MULTIPLICATIVE, layer_before, operand_and_constant, tail
from .catalog import declare

declare("fuse_mul_into_matmul", "put a constant that multiplies the product of a MatMul into its constant factor")

_KINDS = frozenset({"MatMul"})
_SMALLEST = 2.0**-20


@rewrites("fuse_mul_into_matmul", root=MULTIPLICATIVE, after=_KINDS)
def scaled_matmul(node: Node, op: Builder) -> Value | Skip:
    """MatMul(x, W) * c -> MatMul(x, W * c); also / c and Neg. c is one number or one per column.

    Numerics: the factor is multiplied in float64 and rounded once; the result moves by rounding. A factor that would
        leave the range of its type is left alone.
    Source: ONNX MatMul-13, Mul-14.
    """
    found = tail(node, _KINDS)
    return found if isinstance(found, Skip) else absorb(op, *found)


@rewrites("fuse_mul_into_matmul", root=("Mul", "Div"), after=("Add",))
def scaled_sum(node: Node, op: Builder) -> Value | Skip:
    """(MatMul(x, W) + b) * c -> MatMul(x, W * c) + b * c, for a constant b and one number c or one per column.

    Numerics: weight and bias are multiplied in float64 and rounded once; the result moves by rounding.
    Source: ONNX MatMul-13, Add-14, Mul-14.
    """
    found = operand_and_constant(node)
    total = None if found is None else found[0].producer("Add")
    inner = None if total is None else operand_and_constant(total)
    if found is None or total is None or inner is None:
        return skip("it is no scaled sum of a product and a constant")
    if not found[0].is_used_once or total.graph is not node.graph:
        return skip("the sum has other readers")
    if not is_real(found[1]) or not is_real(inner[1]):
        return NOT_REAL
    layer = layer_before(inner[0], total, _KINDS)
    if isinstance(layer, Skip):
        return layer
    channels = output_channels(layer)
    factor = None if channels is None else along_channels(found[1], channels)
    if factor is None or node.op_type == "Div" and (found[2] or not factor.all()):
        return skip("the constant does not run along the output channels")
    if node.op_type == "Div":
        factor = 1.0 / factor
    bias = inner[1]
    with np.errstate(all="ignore"):
        scaled_bias = float64(bias) * factor.reshape(-1 if factor.size > 1 else ())
    if not np.isfinite(factor).all() or scaled_bias.size > 2 * max(factor.size, float64(bias).size):
        return skip("the new bias would be larger than bias and constant")
    new_bias = vector(op, scaled_bias, bias.dtype, bias.name, bias)
    if isinstance(new_bias, Skip):
        return new_bias
    product = absorb(op, layer, factor, None)
    return product if isinstance(product, Skip) else op.like(total, [product, new_bias])


@rewrites("fuse_mul_into_matmul", root="MatMul", after=("Mul", "Div"))
def one_scale_of_two(node: Node, op: Builder) -> Value | Skip:
    """MatMul(x * a, y * b) -> MatMul(x * (a * b), y) for numbers a and b between 2^-20 and 1.

    Attention is exported so, each side scaled by the fourth root of the head size.

    Numerics: nothing grows, so nothing overflows that did not; a * b is rounded once and the result moves by rounding.
    Source: ONNX MatMul-13, Mul-14.
    """
    if op.opset < 7:
        return skip("operands broadcast by attributes before opset 7")
    left, right = _scaled(node.inputs[0], node), _scaled(node.inputs[1], node)
    if left is None or right is None:
        return skip("its factors are not both scaled by a number")
    x, a = left
    y, b = right
    dtype = x.dtype
    if dtype not in (FLOAT, DOUBLE):
        return skip("the type has too few digits")
    if not all(_SMALLEST <= abs(c) <= 1.0 for c in (a, b, a * b)):
        return skip("a scale is above 1 or close to 0")
    scale = op.constant(np.asarray(a * b, numpy_dtype(dtype)), f"{x.name}_scale")
    return op.like(node, [op.Mul(x, scale), y])


def _scaled(value: Value | None, reader: Node) -> tuple[Value, float] | None:
    """(x, a) of x * a or x / (1 / a) that only the reader reads, when the constant widens nothing."""
    scaling = None if value is None else value.producer("Mul") or value.producer("Div")
    found = None if scaling is None else operand_and_constant(scaling)
    if value is None or scaling is None or found is None or not value.is_used_once or scaling.graph is not reader.graph:
        return None
    x, constant, first = found
    c = number(constant, rank_of(x))
    if c is None or not np.isfinite(c) or scaling.op_type == "Div" and (first or c == 0.0):
        return None
    return x, (1.0 / c if scaling.op_type == "Div" else c)
