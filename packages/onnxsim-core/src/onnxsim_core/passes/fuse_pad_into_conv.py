"""fuse_pad_into_conv: zeros padded before a Conv become its pads."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.pads import own_pads, same_window, spatial_padding, summed
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_pad_into_conv", "turn a Pad with zeros before a Conv into the Conv's pads")


@rewrites("fuse_pad_into_conv", root="Conv", after=("Pad",))
def padded_convolution(node: Node, op: Builder) -> Value | Skip:
    """Conv(Pad(x, zeros)) -> Conv<pads + the Pad's>(x). The Pad may have other readers; a Conv pads for free.

    Numerics: the same products are summed; the result moves by rounding at most.
    Source: ONNX Conv-11, Pad-18.
    """
    x = node.inputs[0]
    pad = None if x is None else x.producer("Pad")
    if pad is None:
        return skip("the input is not made by a Pad")
    padding = spatial_padding(pad, op)
    if isinstance(padding, Skip):
        return padding
    if padding.value != 0:
        return skip("the Pad does not add zeros")
    own = own_pads(node, len(padding.begins))
    if isinstance(own, Skip):
        return own
    made: Value = same_window(op, node, [pad.inputs[0], *node.inputs[1:]], summed(own, padding))
    return made
