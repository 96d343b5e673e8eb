"""adjust_add: the constant of an Add comes second; off by default."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import operand_and_constant
from .catalog import declare

declare("adjust_add", "put the constant of an Add second; off: it changes no result and no count", default=False)


@rewrites("adjust_add", root="Add")
def constant_second(node: Node, op: Builder) -> Value | Skip:
    """Add(constant, x) -> Add(x, constant).

    Exact: addition is commutative.
    Source: ONNX Add-14.
    """
    found = operand_and_constant(node)
    if found is None or not found[2]:
        return skip("no constant comes first")
    return op.like(node, found[:2])
