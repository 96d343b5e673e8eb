"""Pad and CenterCropPad: sizes grow or shrink at both ends of an axis."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, add
from .axes import TRACKED, listed, normalized_axes, unknown_shape
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node

MODES = ("constant", "reflect", "edge", "wrap")


def pads_of(node: Node, rank: int, ctx: Inference) -> tuple[Size, ...] | None:
    """How much each axis grows, all begins before all ends, or None when it is not known."""
    if ctx.opset < 11:
        return attribute_pads(node, rank, ctx)
    pads, value = ctx.data(node.input(1)), node.input(3)
    axes = ctx.ints(value)
    return None if pads is None or (value is not None and axes is None) else spread_pads(pads, axes, rank)


def attribute_pads(node: Node, rank: int, ctx: Inference) -> tuple[Size, ...] | None:
    """The pads of versions 1 and 2."""
    pads = node.attribute("pads" if ctx.opset >= 2 else "paddings")
    return pads if type(pads) is tuple and len(pads) == 2 * rank else None


def spread_pads(pads: tuple[Size, ...], raw_axes: Sequence[int] | None, rank: int) -> tuple[Size, ...] | None:
    """Pads of all axes from those of the axes named, or None when they do not fit."""
    if raw_axes is None:
        return pads if len(pads) == 2 * rank else None
    axes = normalized_axes(raw_axes, rank)
    if axes is None or len(pads) != 2 * len(axes):
        return None
    spread: list[Size] = [0] * (2 * rank)
    for index, axis in enumerate(axes):
        spread[axis] = pads[index]
        spread[rank + axis] = pads[len(axes) + index]
    return tuple(spread)


@SHAPES.register("Pad")
def pad_shape(node: Node, ctx: Inference) -> None:
    """Each size grows by what is put (negative: cut off) at its begin and end.

    Source: ONNX Pad-1, -2, -11 (pads is an input), -13, -18 (axes), -19 (wrap).
    """
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None:
        ctx.set(y, x.dtype)
        return
    rank = len(shape)
    pads = pads_of(node, rank, ctx)
    if pads is None:
        ctx.set(y, x.dtype, _untouched(node, shape, ctx))
        return
    result = []
    for axis, size in enumerate(shape):
        grown = add(add(size, pads[axis]), pads[rank + axis])
        if type(grown) is int and grown < 0:
            return
        result.append(grown)
    ctx.set(y, x.dtype, tuple(result), _padded_data(node, pads, ctx) if rank == 1 else None)


def _untouched(node: Node, shape: tuple[Size, ...], ctx: Inference) -> tuple[Size, ...]:
    """The shape when only the axes to be padded are known, if those."""
    axes = ctx.ints(node.input(3))
    known = None if axes is None else normalized_axes(axes, len(shape))
    if known is None:
        return unknown_shape(ctx, len(shape))
    return tuple([ctx.fresh() if axis in known else size for axis, size in enumerate(shape)])


def _padded_data(node: Node, pads: tuple[Size, ...], ctx: Inference) -> tuple[Size, ...] | None:
    """Elements of a vector with constants around it."""
    data = ctx.data(node.input(0))
    begin, end = pads
    if data is None or type(begin) is not int or type(end) is not int or node.text("mode", "constant") != "constant":
        return None
    fill = _fill(node, ctx)
    if fill is None or len(data) + begin + end > TRACKED:
        return None
    stop = len(data) + end
    return tuple([data[place] if 0 <= place < len(data) else fill for place in range(-begin, stop)])


def _fill(node: Node, ctx: Inference) -> int | None:
    if ctx.opset < 11:
        number = node.attribute("value", 0.0)
        return int(number) if type(number) is float and number.is_integer() else None
    value = node.input(2)
    if value is None:
        return 0
    found = ctx.ints(value)
    return found[0] if found is not None and len(found) == 1 else None


@KERNELS.register("Pad", since=2)
def pad_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The array cut where a pad is negative, then padded; a constant, or itself mirrored, clamped or repeated."""
    x = arrays[0]
    pads: Any = attribute_pads(node, x.ndim, ctx)
    if ctx.opset >= 11:
        given, axes = listed(arrays[1]), arrays[3] if len(arrays) > 3 else None
        if given is None or axes is not None and axes.ndim != 1:
            return None
        pads = spread_pads(given, None if axes is None else axes.tolist(), x.ndim)
    mode: Any = node.text("mode", "constant")
    if pads is None or mode not in MODES:
        return None
    before, after = pads[: x.ndim], pads[x.ndim :]
    for size, low, high in zip(x.shape, before, after):
        left = size + min(low, 0) + min(high, 0)
        if left < 0 or (left == 0 and mode != "constant") or (mode == "reflect" and max(low, high, 0) >= max(left, 1)):
            return None
    cut = x[tuple([slice(max(-low, 0), size - max(-high, 0)) for size, low, high in zip(x.shape, before, after)])]
    width = [(max(low, 0), max(high, 0)) for low, high in zip(before, after)]
    if mode != "constant":
        return np.pad(cut, width, mode=mode)
    fill = _fill_array(node, arrays, x.dtype, ctx)
    if fill is None:
        return None
    result = np.full([size + sum(grown) for size, grown in zip(cut.shape, width)], fill, x.dtype)
    result[tuple([slice(low, low + size) for size, (low, _) in zip(cut.shape, width)])] = cut
    return result


def _fill_array(node: Node, arrays: list[Any], dtype: Any, ctx: Inference) -> Any:
    if ctx.opset < 11:
        return np.asarray(node.attribute("value", 0.0)).astype(dtype)
    value = arrays[2] if len(arrays) > 2 else None
    if value is None:
        return None if dtype.kind == "O" else np.zeros((), dtype)
    return value.reshape(()) if value.size == 1 and value.dtype == dtype else None


# --- CenterCropPad ---------------------------------------------------------------------------------------------------
def crop_target(node: Node, shape: tuple[Size, ...], target: tuple[Size, ...] | None) -> dict[int, Size] | None:
    """The size asked for, by axis."""
    raw = node.attribute("axes")
    axes = list(range(len(shape))) if raw is None else normalized_axes(raw, len(shape)) if type(raw) is tuple else None
    return dict(zip(axes, target)) if axes is not None and target is not None and len(axes) == len(target) else None


@SHAPES.register("CenterCropPad")
def center_crop_pad_shape(node: Node, ctx: Inference) -> None:
    """The sizes asked for, on the axes named (default all).  Source: ONNX CenterCropPad-18."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is None:
        ctx.set(node.outputs[0], x.dtype)
        return
    target = crop_target(node, shape, ctx.data(node.input(1)))
    if target is None:
        ctx.set(node.outputs[0], x.dtype, unknown_shape(ctx, len(shape)))
    else:
        ctx.set(node.outputs[0], x.dtype, tuple([target.get(axis, size) for axis, size in enumerate(shape)]))


@KERNELS.register("CenterCropPad", since=18)
def center_crop_pad_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The middle of the array, or the array in the middle of zeros; the odd element falls to the end."""
    x = arrays[0]
    target: Any = crop_target(node, x.shape, listed(arrays[1]))
    if target is None or x.dtype.kind == "O" or any(size < 0 for size in target.values()):
        return None
    result = np.zeros([target.get(axis, size) for axis, size in enumerate(x.shape)], x.dtype)
    source, place = [], []
    for axis, size in enumerate(x.shape):
        wanted = target.get(axis, size)
        kept = min(size, wanted)
        source.append(slice((size - kept) // 2, (size - kept) // 2 + kept))
        place.append(slice((wanted - kept) // 2, (wanted - kept) // 2 + kept))
    result[tuple(place)] = x[tuple(source)]
    return result
