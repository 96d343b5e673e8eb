"""fuse_hard_sigmoid: a clipped line becomes HardSigmoid."""

from __future__ import annotations

from ..ir.dtypes import BFLOAT16, FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import (
    clip_bounds,
    factors,
    is_near,
    is_product_with,
    is_step,
    keeps_rank,
    number,
    polynomial,
    rank_of,
)
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_hard_sigmoid", "make Clip(x + 3, 0, 6) / 6 one HardSigmoid")

TYPES = (FLOAT, FLOAT16, BFLOAT16)
"""What the runtime's HardSigmoid takes; it has none for double."""


def clipped_line(clip: Node, op: Builder) -> tuple[Value, float, float, float] | Skip:
    """(x, a, b, top) of Clip(a * x + b, 0, top)."""
    bounds = clip_bounds(clip, op.ctx)
    if bounds is None or bounds[0] != 0.0 or not 0.0 < bounds[1] < 1e6:
        return skip("Clip is not from 0 to a number")
    line = clip.inputs[0]
    node = None if line is None else line.producer("Add") or line.producer("Sub")
    if line is None or node is None or not is_step(line):
        return skip("what is clipped is no sum of its own")
    for x in node.inputs:
        if x is None or number(x, rank_of(line)) is not None:
            continue
        scaled = x.producer("Mul") or x.producer("Div")
        if scaled is not None and is_step(x):
            inner = [v for v in scaled.inputs if v is not None and number(v, rank_of(line)) is None]
            x = inner[0] if len(inner) == 1 else x
        found = polynomial(line, x, rank_of(x), op.graph)
        if found is not None and set(found) == {0, 1}:
            return x, found[1], found[0], bounds[1]
    return skip("what is clipped is no line of one value")


@rewrites("fuse_hard_sigmoid", root=("Mul", "Div"))
def hard_sigmoid(node: Node, op: Builder) -> Value | Skip:
    """Clip(a * x + b, 0, m) / m -> HardSigmoid<alpha=a/m, beta=b/m>(x).

    Numerics: same line, other rounding; one or two units in the last place of 1.
    Source: ONNX HardSigmoid-6: max(0, min(1, alpha * x + beta)).
    """
    if op.opset < 6 or node.outputs[0].dtype not in TYPES:
        return skip("the runtime's HardSigmoid does not take this type")
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
    if op.opset < 6 or dtype not in TYPES:
        return skip("the runtime's HardSigmoid does not take this type")
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
