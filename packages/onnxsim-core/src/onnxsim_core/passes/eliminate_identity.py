"""eliminate_identity: Identity(x) is x."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_identity", "remove Identity")


@rewrites("eliminate_identity", root="Identity")
def drop_identity(node: Node, op: Builder) -> Value | Skip:
    """Identity(x) -> x.

    Exact. Source: ONNX Identity-1, -14 (sequences), -16 (optionals).
    """
    x = node.input(0)
    return skip("the input is missing") if x is None else x
