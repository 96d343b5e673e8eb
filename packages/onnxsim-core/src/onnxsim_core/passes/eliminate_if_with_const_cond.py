"""eliminate_if_with_const_cond: the branch that always runs stands where its If stood."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.inline import inline_body
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_if_with_const_cond", "put the branch an If always takes in its place")


@rewrites("eliminate_if_with_const_cond", root="If")
def inline_taken_branch(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """If(constant) -> the nodes of the branch it takes.

    Exact: the same nodes run; the other branch never did.
    Source: ONNX If-1.
    """
    condition = node.input(0)
    known = None if condition is None else op.ctx.data(condition)
    if known is None or len(known) != 1 or type(known[0]) is not int:
        return skip("the condition is not constant")
    body = (node.bodies or {}).get("then_branch" if known[0] else "else_branch")
    if body is None or len(body.outputs) != len(node.outputs):
        return skip("the branch does not give what the If promises")
    if body.sparse:
        return skip("the branch owns a sparse initializer")
    return tuple(inline_body(op, body, ()))
