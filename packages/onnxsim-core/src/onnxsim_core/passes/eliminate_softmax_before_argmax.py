"""eliminate_softmax_before_argmax: Softmax before ArgMax over the same axis."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_softmax_before_argmax", "remove Softmax before ArgMax; what rounding made equal is then told apart",
        default=False)


@rewrites("eliminate_softmax_before_argmax", root="ArgMax")
def drop_softmax_before_argmax(node: Node, op: Builder) -> Value | Skip:
    """ArgMax(Softmax(x)) -> ArgMax(x) over the same axis.

    Numerics: elements so close that their Softmax rounds to one number were a tie, and are none any more.
    Source: ONNX Softmax-13.
    """
    x = node.input(0)
    inner = None if x is None else x.producer("Softmax") or x.producer("LogSoftmax")
    if x is None or inner is None:
        return skip("input is not made by a Softmax")
    if op.opset < 13 or x.shape is None or axis_of(node, len(x.shape), 0) != axis_of(inner, len(x.shape), -1):
        return skip("the axes differ or the rank is unknown")
    return op.like(node, [inner.input(0)])
