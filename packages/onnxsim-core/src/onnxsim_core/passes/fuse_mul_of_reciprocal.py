"""fuse_mul_of_reciprocal: a product with 1 / sqrt(v) becomes a quotient."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import number, rank_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_mul_of_reciprocal", "make x * (1 / Sqrt(v)) one Div")


@rewrites("fuse_mul_of_reciprocal", root="Mul", after=("Reciprocal", "Div"))
def quotient(node: Node, op: Builder) -> Value | Skip:
    """x * (1 / Sqrt(v)) -> x / Sqrt(v); also with Reciprocal. RMS normalizations are exported so.

    Numerics: one rounding less. A square root lies so far inside the range of its type that its inverse neither
        overflows nor vanishes; 0 and infinity give the same infinities and NaN. Of other divisors that cannot be said.
    Source: ONNX Div-14, Reciprocal-13.
    """
    if op.opset < 7:
        return skip("operands broadcast by attributes before opset 7")
    a, b = node.input(0), node.input(1)
    assert a is not None and b is not None
    for x, inverse in ((a, b), (b, a)):
        root = _inverted(inverse)
        if root is None:
            continue
        if root.producer("Sqrt") is None:
            return skip("what is inverted is no square root")
        if not inverse.is_used_once or inverse.graph is not node.graph:
            return skip("the inverse has other readers")
        made: Value = op.Div(x, root)
        return made
    return skip("no operand is an inverse")


def _inverted(value: Value) -> Value | None:
    node = value.node
    if node is None or node.domain:
        return None
    if node.op_type == "Reciprocal":
        return node.inputs[0]
    if node.op_type == "Div" and number(node.inputs[0], rank_of(node.inputs[1])) == 1.0:
        return node.inputs[1]
    return None
