"""rank0_to_rank1: scalar constants next to tensors get an axis; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.carrying import BROADCAST
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rank0_to_rank1", "give scalar constants next to tensors an axis of size 1, for targets without scalars",
        default=False)


@rewrites("rank0_to_rank1", root=tuple(sorted(BROADCAST)), since=7)
def constant_with_an_axis(node: Node, op: Builder) -> Value | Skip:
    """Add(x, constant []) -> Add(x, constant [1]) where x has an axis.

    Exact: the result has the same shape. Source: ONNX "Multidirectional broadcasting".
    """
    inputs = list(node.inputs)
    ranks = [len(value.shape) for value in inputs if value is not None and value.shape is not None]
    if not ranks or not max(ranks):
        return skip("no other operand is known to have an axis")
    changed = False
    for place, value in enumerate(inputs):
        if value is not None and value.is_constant and value.shape == ():
            inputs[place] = op.constant(value.tensor.reshaped((1,)), value.name)  # type: ignore[union-attr]
            changed = True
    return op.like(node, inputs) if changed else skip("no operand is a scalar constant")
