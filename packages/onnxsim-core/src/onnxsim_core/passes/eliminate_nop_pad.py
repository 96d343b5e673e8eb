"""eliminate_nop_pad: Pad by nothing."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_pad", "remove Pad whose amounts are all 0")


@rewrites("eliminate_nop_pad", root="Pad")
def drop_pad(node: Node, op: Builder) -> Value | Skip:
    """Pad(x, 0, .., 0) -> x in every mode.

    Exact. Source: ONNX Pad-1 (paddings), -2 (pads), -11 (pads is an input).
    """
    x = node.input(0)
    pads = node.attribute("pads", node.attribute("paddings"))
    if pads is None:
        pads = op.ctx.ints(node.input(1))
    if x is None or type(pads) is not tuple:
        return skip("the amounts are not known")
    return skip("it pads or crops") if any(pads) else x
