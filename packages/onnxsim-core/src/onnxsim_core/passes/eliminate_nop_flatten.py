"""eliminate_nop_flatten: Flatten of what is flat already."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_flatten", "remove Flatten that keeps the shape")


@rewrites("eliminate_nop_flatten", root="Flatten")
def drop_flatten(node: Node, op: Builder) -> Value | Skip:
    """Flatten(x) -> x when x has two axes cut between them.

    Exact. Source: ONNX Flatten-1, -11.
    """
    x = node.input(0)
    if x is None or not same_shape(x, node.outputs[0]):
        return skip("the shape changes or is not known")
    return x
