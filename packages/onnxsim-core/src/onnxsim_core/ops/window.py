"""Output sizes of sliding windows: convolutions and pools share the arithmetic and the attributes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..ir.dims import Size, add, ceildiv, floordiv, maximum, minimum, mul, sub, truncdiv
from ..ir.graph import Node

_SAME = (b"SAME_UPPER", b"SAME_LOWER")


class Window(NamedTuple):
    """Attributes of a sliding window, with defaults filled in; one entry per spatial axis, two in `pads`."""

    kernel: tuple[Size, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    is_same: bool


def window(node: Node, rank: int, kernel: tuple[Size, ...]) -> Window | None:
    """The node's window, or None when an attribute does not fit the rank or is no step."""
    strides = node.attribute("strides") or (1,) * rank
    dilations = node.attribute("dilations") or (1,) * rank
    auto_pad = node.attribute("auto_pad", b"NOTSET")
    pads = node.attribute("pads") or (0,) * (2 * rank)
    if auto_pad == b"VALID":
        pads = (0,) * (2 * rank)
    if len(kernel) != rank or len(strides) != rank or len(dilations) != rank or len(pads) != 2 * rank:
        return None
    for step in (*strides, *dilations):
        if step < 1:
            return None
    return Window(kernel, strides, dilations, pads, auto_pad in _SAME)


def slid_shape(shape: tuple[Any, ...], win: Window, rule: Callable[[Size, Window, int], Size | None]) -> list[Any]:
    """What `rule` makes of each spatial size of a [N, C, *spatial] shape."""
    return [rule(size, win, axis) for axis, size in enumerate(shape[2:])]


def covered(win: Window, axis: int) -> Size:
    """Input elements that one position of the window spans."""
    kernel, dilation = win.kernel[axis], win.dilations[axis]
    if type(kernel) is int:
        return (kernel - 1) * dilation + 1
    return add(mul(kernel, dilation), 1 - dilation)


def convolved(size: Size, win: Window, axis: int) -> Size:
    """floor((size + pads - covered) / stride) + 1, and ceil(size / stride) for SAME.

    Source: ONNX Conv-11. onnxruntime refuses a window larger than the padded input.
    """
    stride = win.strides[axis]
    if win.is_same:
        return ceildiv(size, stride)
    pads = win.pads[axis] + win.pads[axis + len(win.strides)]
    return add(floordiv(add(size, sub(pads, covered(win, axis))), stride), 1)


def pooled(size: Size, win: Window, axis: int) -> Size | None:
    """trunc((size + pads - covered) / stride) + 1, and ceil(size / stride) for SAME; None when not known.

    Source: onnxruntime's pools, which divide as C does and refuse empty spatial axes.
    """
    stride = win.strides[axis]
    span = covered(win, axis)
    pads = win.pads[axis] + win.pads[axis + len(win.strides)]
    if win.is_same:
        return _pooled_alike(size, win, axis)
    rest = sub(pads, span)
    if type(size) is int or type(rest) is not int:
        return add(truncdiv(add(size, rest), stride), 1)
    if rest >= -1 or stride == 1:
        return add(floordiv(add(size, rest), stride), 1)
    if rest >= -stride:
        # Negative numerators above -stride are rounded up to 0.
        return add(maximum(floordiv(add(size, rest), stride), 0), 1)
    return add(truncdiv(add(size, rest), stride), 1)


def pooled_up(size: Size, win: Window, axis: int) -> Size | None:
    """ceil((size + pads - covered) / stride) + 1, less one when the last window would start in the padding at the end.

    Source: onnxruntime's pools with ceil_mode.
    """
    stride = win.strides[axis]
    span = covered(win, axis)
    head, tail = win.pads[axis], win.pads[axis + len(win.strides)]
    if win.is_same:
        return _pooled_alike(size, win, axis)
    count = add(ceildiv(add(size, sub(head + tail, span)), stride), 1)
    slack = sub(span, tail)
    if type(slack) is int and slack >= stride:
        return count
    return minimum(count, ceildiv(add(size, head), stride))


def _pooled_alike(size: Size, win: Window, axis: int) -> Size | None:
    """ceil(size / stride); unknown under dilation, where onnxruntime pads as if the window had no holes."""
    return ceildiv(size, win.strides[axis]) if win.dilations[axis] == 1 else None


def transposed(size: Size, win: Window, axis: int, output_padding: int = 0) -> Size:
    """stride * (size - 1) + output_padding + covered - pads, and for SAME stride * size where the window is that large.

    Source: ONNX ConvTranspose-11; onnxruntime never pads by a negative amount.
    """
    stride = win.strides[axis]
    span = add(covered(win, axis), output_padding)
    if win.is_same:
        return add(mul(size, stride), sub(minimum(span, stride), stride))
    pads = win.pads[axis] + win.pads[axis + len(win.strides)]
    return add(mul(size, stride), sub(span, stride + pads))
