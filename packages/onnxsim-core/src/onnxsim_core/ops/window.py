"""Output sizes of sliding windows: convolutions and pools share the arithmetic and the attributes."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..ir.dims import Size, add, ceildiv, floordiv, mul, sub
from ..ir.graph import Node


class Window(NamedTuple):
    """Attributes of a sliding window over `rank` spatial axes, with defaults filled in."""

    kernel: tuple[Size, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[int, ...]
    auto_pad: bytes


def window(node: Node, rank: int, kernel: tuple[Size, ...]) -> Window | None:
    """The node's window, or None when an attribute does not fit the rank."""
    strides = node.attribute("strides") or (1,) * rank
    dilations = node.attribute("dilations") or (1,) * rank
    pads = node.attribute("pads") or (0,) * (2 * rank)
    if len(kernel) != rank or len(strides) != rank or len(dilations) != rank or len(pads) != 2 * rank:
        return None
    for stride in strides:
        if stride < 1:
            return None
    return Window(kernel, strides, dilations, pads, node.attribute("auto_pad", b"NOTSET"))


def extent(kernel: Size, dilation: int) -> Size:
    """Input elements a dilated kernel covers."""
    if type(kernel) is int:
        return (kernel - 1) * dilation + 1
    return add(mul(sub(kernel, 1), dilation), 1)


def slid(size: Size, win: Window, axis: int, ceil_mode: bool = False) -> Size:
    """Output size along one spatial axis."""
    stride = win.strides[axis]
    if win.auto_pad in (b"SAME_UPPER", b"SAME_LOWER"):
        return -(-size // stride) if type(size) is int else ceildiv(size, stride)
    covered = extent(win.kernel[axis], win.dilations[axis])
    pad = 0
    if win.auto_pad != b"VALID":
        pad = win.pads[axis] + win.pads[axis + len(win.strides)]
    room = sub(add(size, pad), covered)
    return add(ceildiv(room, stride) if ceil_mode else floordiv(room, stride), 1)


def slid_shape(shape: tuple[Any, ...], win: Window, ceil_mode: bool = False) -> list[Size]:
    """Output sizes along all spatial axes of a [N, C, *spatial] shape."""
    return [slid(shape[axis + 2], win, axis, ceil_mode) for axis in range(len(win.strides))]
