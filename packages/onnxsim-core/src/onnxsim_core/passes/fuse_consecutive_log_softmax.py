"""fuse_consecutive_log_softmax: Log of Softmax."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_log_softmax", "make Log of Softmax a LogSoftmax; finite where Log would give -inf",
        default=False)


@rewrites("fuse_consecutive_log_softmax", root="Log")
def log_softmax(node: Node, op: Builder) -> Value | Skip:
    """Log(Softmax(x, axis)) -> LogSoftmax(x, axis).

    Numerics: more accurate; where Softmax underflows to 0, the result is a large negative number and not -inf. That is
    why it is off by default. Source: ONNX LogSoftmax-13.
    """
    value = node.input(0)
    inner = None if value is None else value.producer("Softmax")
    if value is None or inner is None or not is_step(value):
        return skip("input is not made by a Softmax that is read here only")
    return op.node("LogSoftmax", inner.inputs, axis=inner.attribute("axis"))[0]
