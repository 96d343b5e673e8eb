"""eliminate_nop_variadic: Sum, Mean, Max and Min of one input."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_variadic", "remove Sum, Mean, Max and Min of one input")


@rewrites("eliminate_nop_variadic", root=("Sum", "Mean", "Max", "Min"))
def drop_of_one(node: Node, op: Builder) -> Value | Skip:
    """Sum(x) -> x; Max(x, x) -> x.

    Exact. Source: ONNX Sum-8, Mean-8, Max-8, Min-8.
    """
    x = node.input(0)
    others = node.inputs[1:]
    if x is None or others and (node.op_type in ("Sum", "Mean") or any(other is not x for other in others)):
        return skip("there are several inputs")
    return x
