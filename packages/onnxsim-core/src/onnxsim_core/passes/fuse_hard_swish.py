"""fuse_hard_swish: x times its hard sigmoid becomes HardSwish."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import factors, is_near, is_product_with, is_step, keeps_rank
from ..rewrite.gates import clipped_line, has_hard_gates
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_hard_swish", "make x * Clip(x + 3, 0, 6) / 6 one HardSwish (opset 14), or Mul and HardSigmoid before")

_SIXTH = 1.0 / 6.0


@rewrites("fuse_hard_swish", root="Mul", since=14, after=("HardSigmoid",))
def hard_swish(node: Node, op: Builder) -> Value | Skip:
    """x * HardSigmoid<alpha=1/6, beta=0.5>(x) -> HardSwish(x).

    Exact: HardSwish is defined as this product.
    Source: ONNX HardSwish-14.
    """
    if op.opset < 14:
        return skip("HardSwish exists from opset 14 on")
    if not has_hard_gates(node.outputs[0].dtype, op.opset):
        return skip("HardSwish does not take this type")
    a, b = node.input(0), node.input(1)
    assert a is not None and b is not None
    for gate, x in ((a, b), (b, a)):
        inner = gate.producer("HardSigmoid")
        if inner is None or inner.inputs[0] is not x:
            continue
        if not is_step(gate):
            return skip("the gate has other readers")
        if not is_near(inner.attribute("alpha", 0.2), _SIXTH, 1) or inner.attribute("beta", 0.5) != 0.5:
            return skip("the gate has another slope")
        made: Value = op.HardSwish(x)
        return made
    return skip("it is not x times its HardSigmoid")


@rewrites("fuse_hard_swish", root=("Mul", "Div"), after=("Clip", "Mul", "Div"))
def hard_swish_in_parts(node: Node, op: Builder) -> Value | Skip:
    """x * Clip(x + 3, 0, 6) / 6 -> HardSwish(x); before opset 14 x * HardSigmoid<alpha=1/6, beta=0.5>(x).

    Numerics: same formula, other rounding; a few units in the last place. Where six times x overflows before it is
        divided, HardSwish stays finite.
    Source: ONNX HardSwish-14, HardSigmoid-6.
    """
    if op.opset < 6 or not has_hard_gates(node.outputs[0].dtype, op.opset):
        return skip("HardSwish does not take this type")
    if not is_product_with(node, "Clip"):
        return skip("no factor is a Clip")
    coefficient, leaves = factors(node)
    if len(leaves) != 2 or not is_near(coefficient, _SIXTH, node.outputs[0].dtype):
        return skip("it is not a sixth of a product of two")
    for gate, x in (leaves, leaves[::-1]):
        clip = gate.producer("Clip")
        if clip is None:
            continue
        line = clipped_line(clip, op)
        if isinstance(line, Skip):
            return line
        if line[0] is not x or line[1:] != (1.0, 3.0, 6.0) or not is_step(gate):
            return skip("the gate is another one")
        if not keeps_rank(node, x):
            return skip("a constant widens the result")
        made: Value = op.HardSwish(x) if op.opset >= 14 else op.Mul(x, op.HardSigmoid(x, alpha=_SIXTH, beta=0.5))
        return made
    return skip("no factor is a Clip")
