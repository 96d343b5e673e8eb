"""eliminate_nop_expand: Expand to the shape the value has."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_expand", "remove Expand to the shape the value has")


@rewrites("eliminate_nop_expand", root="Expand")
def drop_expand(node: Node, op: Builder) -> Value | Skip:
    """Expand(x, shape) -> x when the result has the shape of x.

    Exact. Source: ONNX Expand-8: a size 1 in the target keeps the input's size.
    """
    x = node.input(0)
    if x is None or not same_shape(x, node.outputs[0]):
        return skip("the shape changes or is not known")
    return x
