"""eliminate_zero_state: recurrent layers start at zero by themselves."""

from __future__ import annotations

import numpy as np

from ..ir.dims import Size, known_different
from ..ir.graph import Node, Value
from ..ops.recurrent import hidden_size
from ..rewrite.builder import Builder
from ..rewrite.layers import float64, is_real
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.zeros import is_zero
from .catalog import declare

declare("eliminate_zero_state", "leave out initial states of LSTM, GRU and RNN that are zero, with what makes them")

_STATES = (5, 6)


@rewrites("eliminate_zero_state", root=("LSTM", "GRU", "RNN"), since=7)
def leave_out_zero_state(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """LSTM(x, w, r, b, lengths, 0, 0, p) -> LSTM(x, w, r, b, lengths, , , p), and GRU and RNN likewise.

    A state of the wrong shape stays, for the runtime to refuse; one that fits for some sizes only is left out.

    Numerics: exact for LSTM and GRU; a state of -0.0 is kept. Without a state, onnxruntime spares an RNN the first
    product with r. That is done for finite r only, where the product could turn a sum of -0.0 into 0.0, no more.
    Source: ONNX LSTM-7, GRU-7, RNN-7: what is not specified is assumed to be 0.
    """
    zero = [index for index in _STATES if is_zero(node.input(index))]
    if not zero:
        return skip("no initial state is known to be zero")
    if any(_is_misshapen(node, node.inputs[index], op) for index in zero):
        return skip("an initial state has another shape than it must have")
    if node.op_type == "RNN" and not _is_finite(node.input(2)):
        return skip("zero times the recurrence weights may not be zero")
    inputs = [None if index in zero else value for index, value in enumerate(node.inputs)]
    return op.anew(node, inputs)


def _is_misshapen(node: Node, state: Value | None, op: Builder) -> bool:
    """Is it known not to be [directions, batch, hidden], or [batch, directions, hidden] with layout=1?"""
    shape = None if state is None else state.shape
    x = node.input(0)
    if shape is None or x is None or x.shape is None:
        return False
    if len(shape) != 3 or len(x.shape) != 3:
        return True
    directions: Size = 2 if node.text("direction").lower() == "bidirectional" else 1
    hidden = hidden_size(node, op.ctx)
    if node.attribute("layout", 0):
        wanted = (x.shape[0], directions, hidden)
    else:
        wanted = (directions, x.shape[1], hidden)
    return any(known_different(own, size) for own, size in zip(shape, wanted))


def _is_finite(weights: Value | None) -> bool:
    if weights is None or not weights.is_constant or not is_real(weights):
        return False
    return bool(np.isfinite(float64(weights)).all())
