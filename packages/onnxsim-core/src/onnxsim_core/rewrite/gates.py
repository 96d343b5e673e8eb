"""Reading hard gates: a line clipped from 0 on, and the types HardSigmoid and HardSwish take."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir.dtypes import BFLOAT16, FLOAT, FLOAT16
from .expressions import clip_bounds, is_step, number, polynomial, rank_of
from .rule import Skip, skip

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from .builder import Builder


def has_hard_gates(dtype: int, opset: int) -> bool:
    """Do HardSigmoid and HardSwish take the type?  Source: ONNX HardSigmoid-6, -22 (bfloat16); double runs nowhere."""
    return dtype in (FLOAT, FLOAT16) or dtype == BFLOAT16 and opset >= 22


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
