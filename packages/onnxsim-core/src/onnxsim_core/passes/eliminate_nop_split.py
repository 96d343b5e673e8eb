"""eliminate_nop_split: Split into one piece."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_split", "remove Split into one piece")


@rewrites("eliminate_nop_split", root="Split")
def drop_split(node: Node, op: Builder) -> Value | Skip:
    """Split(x) with one output -> x.

    Exact. Source: ONNX Split-2, -13, -18; the sizes add up to the axis.
    """
    x = node.input(0)
    if len(node.outputs) != 1:
        return skip("there are several pieces")
    return x if x is not None and same_shape(x, node.outputs[0]) else skip("the shape changes or is not known")
