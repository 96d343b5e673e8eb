"""fuse_pad_into_pool: what is padded before a pool becomes its pads, where the pool's own padding means the same."""

from __future__ import annotations

from ..ir.dims import Size
from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16, INT8, UINT8
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.pads import Padding, own_pads, same_window, spatial_padding, summed
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_pad_into_pool", "turn a Pad before MaxPool (lowest number) or AveragePool (zeros) into the pool's pads")

_LOWEST = {FLOAT: -3.4028234663852886e38, DOUBLE: -1.7976931348623157e308, FLOAT16: -65504.0, INT8: -128.0, UINT8: 0.0}


@rewrites("fuse_pad_into_pool", root="MaxPool")
def padded_max_pool(node: Node, op: Builder) -> Value | Skip:
    """MaxPool(Pad(x, lowest number or -inf)) -> MaxPool<pads + the Pad's>(x), where ceil_mode adds no window.

    Exact: padding never is the largest of a window that has an element of x, and every window has one. (Of a window at
        the edge that holds nothing but -inf, onnxruntime gives the lowest finite number; whether a NaN in a window wins
        depends on where it lies, before as after.)
    Source: ONNX MaxPool-12 (padding is -inf); onnxruntime wants each pad smaller than the kernel.
    """
    if len(node.outputs) > 1:
        return skip("the indices count padded elements")
    found = _window(node, op)
    if isinstance(found, Skip):
        return found
    pad, padding, pads = found
    dilations = node.attribute("dilations")
    if dilations is not None and any(d != 1 for d in dilations):
        return skip("a dilated window may miss the input altogether")
    lowest = _LOWEST.get(node.outputs[0].dtype)
    if lowest is None or not padding.value <= lowest:
        return skip("the Pad does not add the lowest number")
    made: Value = same_window(op, node, [pad.inputs[0]], pads, ceil_mode=None)
    return made


@rewrites("fuse_pad_into_pool", root="AveragePool")
def padded_average_pool(node: Node, op: Builder) -> Value | Skip:
    """AveragePool(Pad(x, zeros)) -> AveragePool<pads + the Pad's, count_include_pad=1>(x), where ceil_mode adds no window.

    Numerics: sums of the same numbers; the result moves by rounding at most.
    Source: ONNX AveragePool-7, -10, -11, -19.
    """
    if op.opset < 7:
        return skip("AveragePool counts its padding from opset 7 on")
    found = _window(node, op)
    if isinstance(found, Skip):
        return found
    pad, padding, pads = found
    if padding.value != 0:
        return skip("the Pad does not add zeros")
    if not node.attribute("count_include_pad", 0) and pads != padding.begins + padding.ends:
        return skip("the pool leaves its own padding out of the average")
    made: Value = same_window(op, node, [pad.inputs[0]], pads, count_include_pad=1, ceil_mode=None)
    return made


def _window(node: Node, op: Builder) -> tuple[Node, Padding, tuple[int, ...]] | Skip:
    """The Pad before a pool, what it adds, and the pads of both together."""
    x = node.inputs[0]
    pad = None if x is None else x.producer("Pad")
    if pad is None:
        return skip("the input is not made by a Pad")
    padding = spatial_padding(pad, op)
    if isinstance(padding, Skip):
        return padding
    own = own_pads(node, len(padding.begins))
    if isinstance(own, Skip):
        return own
    padded = x.shape[2:] if x is not None and x.shape is not None else ()
    if node.attribute("ceil_mode", 0) and not _ends_with_windows(node, padded, own):
        return skip("ceil_mode lets windows reach beyond the padding")
    pads = summed(own, padding)
    kernel = node.attribute("kernel_shape")
    if type(kernel) is not tuple or any(amount >= size for amount, size in zip(pads, kernel * 2)):
        return skip("the pads are not smaller than the kernel")
    if any(type(size) is int and size < reach for size, reach in zip(padded, kernel)):
        return skip("the kernel is larger than what is padded")
    return pad, padding, pads


def _ends_with_windows(node: Node, padded: tuple[Size, ...], own: tuple[int, ...]) -> bool:
    """Does the last window of each axis end where the padding ends, so that there is nothing to round up?"""
    spatial = len(padded)
    ones = (1,) * spatial
    kernel = node.attribute("kernel_shape")
    strides, dilations = node.attribute("strides", ones), node.attribute("dilations", ones)
    if any(type(numbers) is not tuple or len(numbers) != spatial for numbers in (kernel, strides, dilations)):
        return False
    for axis, size in enumerate(padded):
        if strides[axis] == 1:
            continue
        if type(size) is not int or strides[axis] < 1:
            return False
        if (size + own[axis] + own[spatial + axis] - dilations[axis] * (kernel[axis] - 1) - 1) % strides[axis]:
            return False
    return True
