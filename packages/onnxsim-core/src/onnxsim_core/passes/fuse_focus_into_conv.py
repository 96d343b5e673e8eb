"""fuse_focus_into_conv: a Conv of an image taken apart into interleaved images becomes one Conv with strides."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..ir.tensors import Tensor
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.pads import own_pads
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_focus_into_conv", "make a Conv of x[::2, ::2], x[1::2, ::2] ... joined one Conv with strides; off: "
        "compilers look for the block", default=False)

_TYPES = (FLOAT, DOUBLE, FLOAT16)
_END = (1 << 31) - 1
"""From here on an end is beyond every size."""


@rewrites("fuse_focus_into_conv", root="Conv")
def strided_convolution(node: Node, op: Builder) -> Value | Skip:
    """Conv(Concat(x[a::2, b::2] for every a, b), W) -> Conv<strides * 2, pads * 2>(x, W with its taps interleaved).

    Tap i of the image with offset a becomes tap 2 i + a. The concatenation exists only where all sizes are the same, so
    the height and width of x are even. In float types only; a quantized weight is left alone.

    Numerics: the same products are summed in another order; the result moves by rounding.
    Source: ONNX Conv-11, Slice-10, Concat-13.
    """
    joined, weight = node.inputs[0], node.inputs[1]
    concat = None if joined is None else joined.producer("Concat")
    if joined is None or concat is None or weight is None or len(concat.inputs) != 4:
        return skip("the input is no concatenation of four")
    if concat.attribute("axis") not in (1, -3) or not is_step(joined):
        return skip("the parts are not joined along the channels, for this Conv alone")
    found = _offsets(concat, op)
    if isinstance(found, Skip):
        return found
    x, offsets = found
    tensor = weight.tensor
    if tensor is None or not weight.is_constant or tensor.dtype not in _TYPES or len(tensor.dims) != 4:
        return skip("the weight is no constant of floats")
    channels = x.shape[1] if x.shape is not None and len(x.shape) == 4 else None
    if type(channels) is not int or tensor.dims[1] != 4 * channels or node.attribute("group", 1) != 1:
        return skip("the weight does not take all channels at once")
    if any(d != 1 for d in node.attribute("dilations", (1, 1))):
        return skip("the Conv is dilated")
    pads = own_pads(node, 2)
    if isinstance(pads, Skip):
        return pads
    if not op.affordable(tensor.nbytes, weight):
        return skip("the new weight would make the model grow")
    taps = op.constant(interleaved(tensor, offsets, channels), weight.name)
    strides = node.attribute("strides", (1, 1))
    return op.like(node, [x, taps, *node.inputs[2:]], auto_pad=None, dilations=None,
                   kernel_shape=tuple(2 * size for size in tensor.dims[2:]),
                   pads=tuple(2 * amount for amount in pads), strides=tuple(2 * step for step in strides))


def interleaved(tensor: Tensor, offsets: list[tuple[int, int]], channels: int) -> Any:
    """[M, 4 C, k, l] -> [M, C, 2 k, 2 l]."""
    array = tensor.numpy()
    m, _, k, l_ = tensor.dims
    result = np.empty((m, channels, 2 * k, 2 * l_), array.dtype)
    for place, (row, column) in enumerate(offsets):
        result[:, :, row::2, column::2] = array[:, place * channels:(place + 1) * channels]
    return result


def _offsets(concat: Node, op: Builder) -> tuple[Value, list[tuple[int, int]]] | Skip:
    """The image and, in the order of the parts, where the rows and columns of each start."""
    x: Value | None = None
    offsets: list[tuple[int, int]] = []
    for part in concat.inputs:
        piece = None if part is None else part.producer("Slice")
        source = None if piece is None else piece.inputs[0]
        start = None if piece is None else _start(piece, op)
        if source is None or start is None or x is not None and x is not source:
            return skip("the parts are not every second row and column of one image")
        x = source
        offsets.append(start)
    if x is None or len(set(offsets)) != 4:
        return skip("the parts are not every second row and column of one image")
    return x, offsets


def _start(piece: Node, op: Builder) -> tuple[int, int] | None:
    """Where a Slice with steps 2 along height and width starts, when it goes to the end."""
    x = piece.inputs[0]
    values = [op.ctx.ints(value) or () for value in piece.inputs[1:]]
    if len(values) != 4 or x is None or x.shape is None or len(x.shape) != 4:
        return None
    starts, ends, raw_axes, steps = values
    axes = tuple(axis % 4 for axis in raw_axes)
    if steps != (2, 2) or sorted(axes) != [2, 3] or len(starts) != 2 or not set(starts) <= {0, 1}:
        return None
    for end, axis in zip(ends, axes):
        size = x.shape[axis]
        if end < (size if type(size) is int else _END):
            return None
    return (starts[0], starts[1]) if axes == (2, 3) else (starts[1], starts[0])
