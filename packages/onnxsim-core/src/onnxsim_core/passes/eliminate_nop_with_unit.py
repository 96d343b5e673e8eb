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
_FLOATS = (1, 10, 11, 16)


@rewrites("eliminate_nop_with_unit", root=tuple(UNITS))
def drop_unit(node: Node, op: Builder) -> Value | Skip:
    """Add(x, 0) -> x, Sub(x, 0) -> x, Mul(x, 1) -> x, ... when the result has the shape of x.

    Numerics: exact but for -0.0 + 0.0, which is 0.0 and becomes -0.0; kept where a division by it could see the difference.
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
            if _sees_sign_of_zero(user, node.outputs[0]):
                op.retry_without(user)
                exponent = user.input(1) if user.op_type == "Pow" else None
                if exponent is not None and exponent.node is not None:
                    op.retry_without(exponent.node)  # it may turn out to be a constant
                return skip("a reader tells 0.0 from -0.0")
    return x


def _sees_sign_of_zero(user: Node, value: Value) -> bool:
    """May the reader give other numbers for -0.0 than for 0.0, not just zeros of another sign?"""
    op_type = user.op_type
    if user.domain or user.bodies:
        return True
    if op_type == "Div":
        return user.input(1) is value
    if op_type == "Pow":
        exponent = user.input(1)
        number = None if exponent is None else uniform(exponent)
        return user.input(0) is value and not (number is not None and number >= 0)
    return op_type in ("Reciprocal", "Atan")


def _is_scalar(value: Value) -> bool:
    return value.shape is not None and not value.shape


def _is_all(value: Value, number: int) -> bool:
    """A constant of that number everywhere, stored or generated."""
    if value.node is None:
        return is_filled_with(value, number)
    scalar = uniform(value)
    return scalar is not None and bool(scalar == number)
