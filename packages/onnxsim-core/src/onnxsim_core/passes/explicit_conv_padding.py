"""explicit_conv_padding: what a Conv pads is padded by a Pad before it; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.pads import own_pads
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("explicit_conv_padding", "let a Pad do what a Conv pads, for targets whose Conv does not pad", default=False,
        instead_of=("fuse_pad_into_conv",))


@rewrites("explicit_conv_padding", root="Conv")
def pad_before(node: Node, op: Builder) -> Value | Skip:
    """Conv<pads>(x) -> Conv(Pad(x, pads)).

    Numerics: the same products are summed; the result moves by rounding at most.
    Source: ONNX Conv-11, Pad-2, -11.
    """
    x = node.input(0)
    if x is None or x.shape is None or len(x.shape) < 3:
        return skip("the rank is not known")
    spatial = len(x.shape) - 2
    pads = own_pads(node, spatial)
    if isinstance(pads, Skip):
        return pads
    if not any(pads):
        return skip("it pads nothing")
    if min(pads) < 0:
        return skip("it crops")
    amounts = (0, 0, *pads[:spatial], 0, 0, *pads[spatial:])
    if op.opset >= 11:
        padded = op.Pad(x, op.ints(amounts))
    else:
        padded = op.Pad(x, **{"pads" if op.opset > 1 else "paddings": amounts})
    return op.like(node, [padded, *node.inputs[1:]], auto_pad=None, pads=(0,) * (2 * spatial))
