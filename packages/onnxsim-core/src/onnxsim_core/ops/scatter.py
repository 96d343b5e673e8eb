"""Operators that write updates into a copy: Scatter, ScatterElements, ScatterND, TensorScatter."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size
from .axes import normalized, positions
from .picking import small_indices, wrapped
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node

REDUCTIONS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


@SHAPES.register("Scatter", "ScatterElements", "ScatterND")
def scatter_shape(node: Node, ctx: Inference) -> None:
    """The shape of what is written into.  Source: ONNX Scatter-9, ScatterElements-11, ScatterND-11."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    ctx.set(node.outputs[0], x.dtype, x.shape, _scattered_data(node, ctx))


def _scattered_data(node: Node, ctx: Inference) -> tuple[Size, ...] | None:
    """Elements after the writing, by scattering the positions of the updates over those of the tensor."""
    data = ctx.data(node.input(0))
    updates = ctx.data(node.input(2))
    if data is None or updates is None or node.text("reduction", "none") != "none":
        return None
    x, indices, new = node.inputs[:3]
    assert x is not None and new is not None
    target, source = positions(data, x.shape), positions(updates, new.shape)
    picks = None if indices is None else small_indices(indices, ctx)
    if target is None or source is None or picks is None:
        return None
    write = scattered_nd if node.op_type == "ScatterND" else scattered_elements
    result = write(node, target, picks, source + len(data), None)
    if result is None:
        return None
    both = data + updates
    return tuple([both[place] for place in result.reshape(-1).tolist()])


def scattered_elements(node: Node, x: Any, indices: Any, updates: Any, reduce: Callable[..., Any] | None) -> Any:
    """x with x[.., indices[.., i, ..], ..] written along the axis, or None when the shapes or an index do not fit."""
    axis = normalized(node.attribute("axis", 0), x.ndim)
    if axis < 0 or indices.ndim != x.ndim or indices.shape != updates.shape:
        return None
    for place, (size, limit) in enumerate(zip(indices.shape, x.shape)):
        if place != axis and size > limit:
            return None
    picks = wrapped(indices, x.shape[axis])
    if picks is None:
        return None
    places = list(np.ogrid[tuple([slice(size) for size in indices.shape])])
    places[axis] = picks
    return _written(x, tuple(places), updates, reduce)


def scattered_nd(node: Node, x: Any, indices: Any, updates: Any, reduce: Callable[..., Any] | None) -> Any:
    """x with the slices x[i1, .., ik, ..] written, or None when the shapes or an index do not fit."""
    depth = indices.shape[-1] if indices.ndim else 0
    if not 0 < depth <= x.ndim or updates.shape != indices.shape[:-1] + x.shape[depth:]:
        return None
    places = []
    for column in range(depth):
        picks = wrapped(indices[..., column], x.shape[column])
        if picks is None:
            return None
        places.append(picks)
    return _written(x, tuple(places), updates, reduce)


def _written(x: Any, places: tuple[Any, ...], updates: Any, reduce: Any) -> Any:
    result = x.copy()
    if reduce is None:
        result[places] = updates
    else:
        reduce.at(result, places, updates)
    return result


@KERNELS.register("Scatter", "ScatterElements", "ScatterND")
def scatter_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Updates written one after the other; of two for one place the later stays, or both go through the reduction."""
    x, indices, updates = arrays
    reduction = node.text("reduction", "none")
    if x.dtype != updates.dtype or indices.dtype.kind != "i":
        return None
    reduce = None
    if reduction != "none":
        reduce = REDUCTIONS.get(reduction)
        # Narrow floats round differently in onnxruntime, bool has its own meaning of sums, and NaN has no order.
        if reduce is None or x.dtype.kind not in "iuf" or x.dtype == np.float16:
            return None
        if reduction in ("max", "min") and x.dtype.kind == "f":
            return None
    write = scattered_nd if node.op_type == "ScatterND" else scattered_elements
    with np.errstate(all="ignore"):
        return write(node, x, indices, updates, reduce)


@SHAPES.register("TensorScatter")
def tensor_scatter_shape(node: Node, ctx: Inference) -> None:
    """The shape of the cache.  Source: ONNX TensorScatter-24."""
    cache = node.input(0)
    if cache is not None and node.outputs:
        ctx.set(node.outputs[0], cache.dtype, cache.shape)


@KERNELS.register("TensorScatter")
def tensor_scatter_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The cache with the update written from a place per batch row on, going round when `mode` is circular."""
    cache, update = arrays[:2]
    starts = arrays[2] if len(arrays) > 2 else None
    axis = normalized(node.attribute("axis", -2), cache.ndim)
    mode = node.text("mode", "linear")
    if axis < 1 or mode not in ("linear", "circular") or update.ndim != cache.ndim or cache.dtype != update.dtype:
        return None
    rows, length = cache.shape[0], cache.shape[axis]
    begins = [0] * rows if starts is None else starts.reshape(-1).tolist()
    if len(begins) != rows or update.shape[:axis] != cache.shape[:axis] or update.shape[axis] > length:
        return None
    result = cache.copy()
    for row, begin in enumerate(begins):
        places = begin + np.arange(update.shape[axis])
        if mode == "circular":
            places %= length
        elif begin < 0 or begin + update.shape[axis] > length:
            return None
        np.moveaxis(result[row], axis - 1, 0)[places] = np.moveaxis(update[row], axis - 1, 0)
    return result
