"""Recurrent layers: RNN, GRU and LSTM."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, exact_div
from ..ir.graph import Node
from .attributes import integer, word
from .registry import SHAPES

_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@SHAPES.register("RNN", "GRU", "LSTM")
def recurrent_shape(node: Node, ctx: Any) -> None:
    """X [seq, batch, in] -> Y [seq, directions, batch, hidden], Y_h and Y_c [directions, batch, hidden].

    With layout=1 the batch comes first: X [batch, seq, in], Y [batch, seq, directions, hidden], Y_h [batch, directions,
    hidden].
    Source: ONNX RNN-1..22, GRU-1..22, LSTM-1..22.
    """
    x = node.input(0)
    if x is None:
        return
    shape = x.shape
    y: list[Size] | None = None
    last: list[Size] | None = None
    if shape is not None and len(shape) == 3:
        directions = 2 if word(node, "direction", b"forward").lower() == b"bidirectional" else 1
        hidden = hidden_size(node, ctx)
        if integer(node, "layout", 0):
            batch, steps = shape[0], shape[1]
            y, last = [batch, steps, directions, hidden], [batch, directions, hidden]
        else:
            steps, batch = shape[0], shape[1]
            y, last = [steps, directions, batch, hidden], [directions, batch, hidden]
    for index, value in enumerate(node.outputs[:3]):
        ctx.set(value, x.dtype, last if index else y)


def hidden_size(node: Node, ctx: Any) -> Size:
    """The attribute, else what the recurrence weights R [directions, gates * hidden, hidden] say."""
    stated = integer(node, "hidden_size", -1)
    if stated >= 0:
        return stated
    weights = node.input(2)
    if weights is not None and weights.shape is not None and len(weights.shape) == 3:
        return weights.shape[2]
    inputs = node.input(1)
    if inputs is not None and inputs.shape is not None and len(inputs.shape) == 3:
        hidden = exact_div(inputs.shape[1], _GATES[node.op_type])
        if hidden is not None:
            return hidden
    size: Size = ctx.fresh()
    return size
