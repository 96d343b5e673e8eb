"""dilated_conv_to_taps: a dilated Conv is a sum of Convs of one tap each; on request."""

from __future__ import annotations

from itertools import product
from typing import Any

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import constant_array, is_static
from ..rewrite.pads import own_pads
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("dilated_conv_to_taps", "make a dilated Conv a sum of Convs of one tap each, for targets without dilation",
        default=False, instead_of=("fuse_pad_into_conv",))

MOST_TAPS = 25


@rewrites("dilated_conv_to_taps", root="Conv", since=11)
def sum_of_taps(node: Node, op: Builder) -> Value | Skip:
    """Conv<dilations=d>(x, W) -> sum over taps t of Conv(x[t d :: stride], W[.., t]).

    Numerics: the same products are summed in another order; the result moves by rounding.
    Source: ONNX Conv-11, Slice-10.
    """
    x, weight = node.input(0), node.input(1)
    result = node.outputs[0].shape
    dilations = node.attribute("dilations", ())
    if x is None or weight is None or all(step == 1 for step in dilations):
        return skip("it is not dilated")
    if result is None or not is_static(result[2:]) or weight.shape is None or not weight.is_constant:
        return skip("the weight or the sizes of the result are not known")
    kernel = weight.shape[2:]
    taps = list(product(*(range(size) for size in kernel)))  # type: ignore[arg-type]
    pads = own_pads(node, len(kernel))
    if isinstance(pads, Skip):
        return pads
    if not 0 < len(taps) <= MOST_TAPS or min(pads) < 0:
        return skip("there are too many taps, or it crops")
    if any(pads):
        spatial = len(kernel)
        x = op.Pad(x, op.ints((0, 0, *pads[:spatial], 0, 0, *pads[spatial:])))
    array = constant_array(weight)
    strides = node.attribute("strides", (1,) * len(kernel))
    total: Value | None = None
    for tap in taps:
        starts = [place * step for place, step in zip(tap, dilations)]
        part = _tap(node, op, x, array, tap, starts, strides, result[2:], with_bias=total is None)
        total = part if total is None else op.Add(total, part)
    return total  # type: ignore[return-value]


def _tap(node: Node, op: Builder, x: Value, array: Any, tap: tuple[int, ...], starts: list[int],
         strides: tuple[int, ...], sizes: Any, *, with_bias: bool) -> Value:
    axes = range(2, 2 + len(tap))
    ends = [start + (size - 1) * stride + 1 for start, size, stride in zip(starts, sizes, strides)]
    cut = forms.slices(op, x, starts, ends, axes, strides)
    place = (slice(None), slice(None), *(slice(index, index + 1) for index in tap))
    inputs = [cut, op.constant(array[place].copy()), *(node.inputs[2:] if with_bias else ())]
    one = (1,) * len(tap)
    return op.node("Conv", inputs, group=node.attribute("group", 1), kernel_shape=one, strides=one, dilations=one)[0]
