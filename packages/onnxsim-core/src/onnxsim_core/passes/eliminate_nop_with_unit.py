"""eliminate_nop_with_unit: operators that do nothing because their other operand is 0, 1, True or False."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import is_filled_with, same_shape, uniform
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_with_unit", "remove x + 0, x * 1, x / 1, x ** 1, x and True, x or False")

UNITS = {"Add": 0, "Sub": 0, "Mul": 1, "Div": 1, "Pow": 1, "And": 1, "Or": 0, "Xor": 0}
_ONE_SIDED = ("Sub", "Div", "Pow")
_SEES_SIGN_OF_ZERO = ("Div", "Reciprocal", "Pow", "Atan")
_FLOATS = (1, 10, 11, 16)


@rewrites("eliminate_nop_with_unit", root=tuple(UNITS))
def drop_unit(node: Node, op: Builder) -> Value | Skip:
    """Add(x, 0) -> x, Sub(x, 0) -> x, Mul(x, 1) -> x, ... when the result has the shape of x.

    Numerics: exact but for -0.0 + 0.0, which is 0.0 and becomes -0.0; kept where a division could see the difference.
    Source: ONNX Add-7, IEEE 754.
    """
    if len(node.inputs) != 2 or op.opset < 7:
        return skip("broadcasting follows the rules before opset 7")
    op_type = node.op_type
    unit = UNITS[op_type]
    a, b = node.input(0), node.input(1)
    if b is not None and _is_all(b, unit):
        x, constant = a, b
    elif op_type not in _ONE_SIDED and a is not None and _is_all(a, unit):
        x, constant = b, a
    else:
        return skip("no operand is the neutral element")
    if x is None or not (_is_scalar(constant) or same_shape(x, node.outputs[0])):
        return skip("the operand widens the result")
    if op_type == "Add" and x.dtype in _FLOATS:
        for user in node.outputs[0].uses:
            if user.op_type in _SEES_SIGN_OF_ZERO or user.domain or user.bodies:
                op.retry_without(user)
                return skip("a reader tells 0.0 from -0.0")
    return x


def _is_scalar(value: Value) -> bool:
    return value.shape is not None and not value.shape


def _is_all(value: Value, number: int) -> bool:
    """A constant of that number everywhere, stored or generated."""
    if value.node is None:
        return is_filled_with(value, number)
    scalar = uniform(value)
    return scalar is not None and bool(scalar == number)
