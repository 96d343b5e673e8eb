"""eliminate_nop_dropout: Dropout that drops nothing."""

from __future__ import annotations

from ..fold.policy import runs_dropout_training
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_dropout", "remove Dropout at inference")


@rewrites("eliminate_nop_dropout", root="Dropout")
def drop_dropout(node: Node, op: Builder) -> Value | Skip:
    """Dropout(x) -> x at inference, when nobody reads the mask.

    Exact. Source: ONNX Dropout-1, -6 (is_test), -7, -10 (inference only), -12 (training_mode).
    """
    x = node.input(0)
    if x is None:
        return skip("the input is missing")
    if len(node.outputs) > 1 and not node.outputs[1].is_dead:
        return skip("the mask is read")
    if runs_dropout_training(node) or op.opset < 7 and not node.attribute("is_test", 0):
        return skip("it may run in training mode")
    return x
