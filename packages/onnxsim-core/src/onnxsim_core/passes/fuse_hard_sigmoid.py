"""fuse_hard_sigmoid: a clipped line becomes HardSigmoid."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import factors, is_near, is_product_with, is_step, keeps_rank
from ..rewrite.gates import clipped_line, has_hard_gates
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_hard_sigmoid", "make Clip(x + 3, 0, 6) / 6 one HardSigmoid")


@rewrites("fuse_hard_sigmoid", root=("Mul", "Div"), after=("Clip", "Mul", "Div"))
def hard_sigmoid(node: Node, op: Builder) -> Value | Skip:
    """Clip(a * x + b, 0, m) / m -> HardSigmoid<alpha=a/m, beta=b/m>(x).

    Numerics: same line, other rounding; one or two units in the last place of 1.
    Source: ONNX HardSigmoid-6: max(0, min(1, alpha * x + beta)).
    """
    if op.opset < 6 or not has_hard_gates(node.outputs[0].dtype, op.opset):
        return skip("HardSigmoid does not take this type")
    if not is_product_with(node, "Clip"):
        return skip("it is not a number times a Clip")
    coefficient, leaves = factors(node)
    clip = leaves[0].producer("Clip") if len(leaves) == 1 else None
    if clip is None or not is_step(leaves[0]):
        return skip("it is not a number times a Clip")
    line = clipped_line(clip, op)
    if isinstance(line, Skip):
        return line
    x, a, b, top = line
    if not is_near(coefficient * top, 1.0, node.outputs[0].dtype):
        return skip("the result does not end at 1")
    if not keeps_rank(node, x):
        return skip("a constant widens the result")
    made: Value = op.HardSigmoid(x, alpha=a / top, beta=b / top)
    return made


@rewrites("fuse_hard_sigmoid", root="Clip")
def hard_sigmoid_up_to_one(node: Node, op: Builder) -> Value | Skip:
    """Clip(x / 5 + 0.5, 0, 1) -> HardSigmoid<alpha=0.2, beta=0.5>(x); also with x / 6. Other slopes are no gates.

    Numerics: same line, other rounding; one or two units in the last place of 1.
    Source: ONNX HardSigmoid-6: max(0, min(1, alpha * x + beta)).
    """
    dtype = node.outputs[0].dtype
    if op.opset < 6 or not has_hard_gates(dtype, op.opset):
        return skip("HardSigmoid does not take this type")
    line = clipped_line(node, op)
    if isinstance(line, Skip):
        return line
    x, a, b, top = line
    if top != 1.0 or b != 0.5 or not (is_near(a, 0.2, dtype) or is_near(a, 1.0 / 6.0, dtype)):
        return skip("the line is no hard sigmoid's")
    if not keeps_rank(node, x):
        return skip("a constant widens the result")
    made: Value = op.HardSigmoid(x, alpha=a, beta=b)
    return made
