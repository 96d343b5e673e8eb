"""A constant Pad of the spatial axes, and the window of a convolution or pool that may take it over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .match import constant_array
from .rule import Skip, skip

if TYPE_CHECKING:
    from ..ir.graph import Node
    from .builder import Builder


class Padding:
    """What a Pad adds at the begin and end of each spatial axis, and with which number."""

    __slots__ = ("begins", "ends", "value")

    def __init__(self, begins: tuple[int, ...], ends: tuple[int, ...], value: float) -> None:
        self.begins = begins
        self.ends = ends
        self.value = value


def spatial_padding(pad: Node, op: Builder) -> Padding | Skip:
    """The padding of a Pad that adds a constant number around the spatial axes of [N, C, ...].

    Source: ONNX Pad-1 (paddings), -2 (pads, value), -11 (inputs), -18 (axes).
    """
    x = pad.inputs[0]
    if x is None or x.shape is None or len(x.shape) < 3:
        return skip("the rank of what is padded is not known")
    rank = len(x.shape)
    if pad.text("mode", "constant") != "constant":
        return skip("the Pad does not add a constant")
    amounts = _amounts(pad, op, rank)
    value = _value(pad, op)
    if amounts is None or value is None:
        return skip("what the Pad adds is not known")
    begins, ends = amounts[:rank], amounts[rank:]
    if min(amounts) < 0:
        return skip("the Pad crops")
    if begins[0] or begins[1] or ends[0] or ends[1]:
        return skip("the Pad adds samples or channels")
    return Padding(begins[2:], ends[2:], value)


def _amounts(pad: Node, op: Builder, rank: int) -> tuple[int, ...] | None:
    if op.opset < 11:
        amounts = pad.attribute("pads" if op.opset > 1 else "paddings")
        return amounts if type(amounts) is tuple and len(amounts) == 2 * rank else None
    given = op.ctx.ints(pad.input(1))
    if given is None or pad.input(3) is None:
        return given if given is not None and len(given) == 2 * rank else None
    axes = op.ctx.ints(pad.input(3))
    if axes is None or len(given) != 2 * len(axes):
        return None
    amounts = [0] * (2 * rank)
    for place, raw_axis in enumerate(axes):
        axis = raw_axis + rank if raw_axis < 0 else raw_axis
        if not 0 <= axis < rank:
            return None
        amounts[axis] = given[place]
        amounts[rank + axis] = given[len(axes) + place]
    return tuple(amounts)


def _value(pad: Node, op: Builder) -> float | None:
    if op.opset < 11:
        return float(pad.attribute("value", 0.0))
    if pad.input(2) is None:
        return 0.0
    array = constant_array(pad.input(2))
    return None if array is None or array.size != 1 else float(array.reshape(-1)[0])


def own_pads(window: Node, spatial: int) -> tuple[int, ...] | Skip:
    """The pads a convolution or pool adds itself, when they are numbers."""
    if window.text("auto_pad", "NOTSET") not in ("NOTSET", "VALID", ""):
        return skip("auto_pad computes the pads from the padded size")
    pads = window.attribute("pads")
    if pads is None or window.text("auto_pad", "NOTSET") == "VALID":
        return (0,) * (2 * spatial)
    return pads if type(pads) is tuple and len(pads) == 2 * spatial else skip("the pads do not fit the rank")


def summed(own: Sequence[int], padding: Padding) -> tuple[int, ...]:
    """Own pads and those of the Pad together: all begins, then all ends."""
    return tuple(a + b for a, b in zip(own, padding.begins + padding.ends))


def same_window(op: Builder, window: Node, inputs: list[Any], pads: tuple[int, ...], **changes: Any) -> Any:
    """The window again with these pads, written out."""
    return op.like(window, inputs, pads=pads, auto_pad=None, **changes)
