"""eliminate_consecutive_inverses: what is undone at once."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_consecutive_inverses", "remove Neg of Neg, Not of Not")


@rewrites("eliminate_consecutive_inverses", root=("Neg", "Not"))
def drop_both(node: Node, op: Builder) -> Value | Skip:
    """Neg(Neg(x)) -> x; Not(Not(x)) -> x.

    Exact: a sign bit turned twice, also of NaN and of the smallest integer. Source: ONNX Neg-13, Not-1.
    """
    x = node.input(0)
    inner = None if x is None else x.producer(node.op_type)
    source = None if inner is None else inner.input(0)
    return skip("the input is not made by its inverse") if source is None else source
