"""fuse_neg_into_add: adding what was negated is subtracting it."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_neg_into_add", "make Add of Neg a Sub, and Sub of Neg an Add")


@rewrites("fuse_neg_into_add", root=("Add", "Sub"), after=("Neg",))
def subtract(node: Node, op: Builder) -> Value | Skip:
    """Add(x, Neg(y)) -> Sub(x, y); Sub(x, Neg(y)) -> Add(x, y).

    Exact: IEEE 754 defines x - y as x + (-y); integers wrap around the same way. Source: ONNX Add-14, Sub-14, Neg-13.
    """
    if len(node.inputs) != 2 or op.opset < 7:
        return skip("broadcasting follows the rules before opset 7")
    places = (1, 0) if node.op_type == "Add" else (1,)
    for place in places:
        value = node.inputs[place]
        inner = None if value is None else value.producer("Neg")
        if inner is not None and value is not None and is_step(value):
            other = node.inputs[1 - place]
            return op.node("Sub" if node.op_type == "Add" else "Add", [other, inner.input(0)], name=node.name)[0]
    return skip("no operand is a Neg that is read here only")
