"""rewrite_where: a Where that chooses by a negated condition, and one whose choice is settled."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import is_filled_with, made_by, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_where", "swap the branches of a Where on Not; drop a Where whose choice is settled")


@rewrites("rewrite_where", root="Where")
def swap_branches(node: Node, op: Builder) -> Value | Skip:
    """Where(Not(c), a, b) -> Where(c, b, a).

    Exact. Source: ONNX Where-9, Not-1.
    """
    condition, a, b = node.input(0), node.input(1), node.input(2)
    negation = made_by(condition, "Not")
    if negation is None:
        return skip("the condition is not made by Not")
    return op.like(node, [negation.input(0), b, a])


@rewrites("rewrite_where", root="Where")
def take_settled_branch(node: Node, op: Builder) -> Value | Skip:
    """Where(True, a, b) -> a; Where(False, a, b) -> b; Where(c, a, a) -> a, when that branch has the result's shape.

    Exact. Source: ONNX Where-9.
    """
    condition, a, b = node.input(0), node.input(1), node.input(2)
    if a is b:
        chosen = a
    elif is_filled_with(condition, 1):
        chosen = a
    elif is_filled_with(condition, 0):
        chosen = b
    else:
        return skip("the choice is not settled")
    if chosen is None or not same_shape(chosen, node.outputs[0]):
        return skip("the branch is widened")
    return chosen
