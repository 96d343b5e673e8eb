"""fuse_mish: x times the tanh of its softplus becomes Mish."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_mish", "make x * Tanh(Softplus(x)) one Mish (opset 18)")


@rewrites("fuse_mish", root="Mul", since=18, after=("Tanh",))
def mish(node: Node, op: Builder) -> Value | Skip:
    """x * Tanh(Softplus(x)) -> Mish(x).

    Exact: Mish is defined as this product.
    Source: ONNX Mish-18.
    """
    if op.opset < 18:
        return skip("Mish exists from opset 18 on")
    a, b = node.input(0), node.input(1)
    assert a is not None and b is not None
    for gate, x in ((a, b), (b, a)):
        tanh = gate.producer("Tanh")
        inner = None if tanh is None else tanh.inputs[0]
        softplus = None if inner is None else inner.producer("Softplus")
        if inner is None or softplus is None or softplus.inputs[0] is not x:
            continue
        if not is_step(gate) or not is_step(inner):
            return skip("the gate has other readers")
        made: Value = op.Mish(x)
        return made
    return skip("it is not x times Tanh(Softplus(x))")
