"""Operators that repeat elements: Expand, Tile."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, mul
from .axes import TRACKED, listed, moved, normalized, positions, static_numel, unknown_shape
from .broadcasting import broadcast_shapes, spread
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value


LONGEST = 1 << 31
"""An array without elements may have an axis as long as that, which takes no memory and means nothing."""


def vector_length(value: Value | None) -> int:
    """Length of a 1-D value, or -1 when not known."""
    if value is None or value.shape is None or len(value.shape) != 1:
        return -1
    size = value.shape[0]
    return size if type(size) is int else -1


@SHAPES.register("Expand")
def expand_shape(node: Node, ctx: Inference) -> None:
    """Broadcast of the input's shape and the one asked for, both ways.

    Negative sizes mean nothing; onnxruntime takes some of them for 1 where it expands text.  Source: ONNX Expand-8, -13.
    """
    x, wanted = node.input(0), node.input(1)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    target = ctx.data(wanted)
    shape = x.shape
    if shape is None:
        ctx.set(y, x.dtype)
        return
    if target is None:
        rank = vector_length(wanted)
        if 0 <= rank < 64:
            target = unknown_shape(ctx, rank)
        else:
            ctx.set(y, x.dtype)
            return
    result = broadcast_shapes(shape, target)
    if result is None or any(type(size) is int and size < 0 for size in result):
        ctx.set(y, x.dtype)
        return
    data = ctx.data(x)
    if data is not None:
        data = spread(data, shape, result) if 0 <= static_numel(result) <= TRACKED else None
    ctx.set(y, x.dtype, result, data)


@KERNELS.register("Expand")
def expand_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The array broadcast to the shape both agree on."""
    x = arrays[0]
    shape: Any = broadcast_shapes(x.shape, tuple(arrays[1].reshape(-1).tolist()))
    if shape is None or any(size < 0 for size in shape):
        return None
    return np.broadcast_to(x, shape).copy()


@SHAPES.register("Tile")
def tile_shape(node: Node, ctx: Inference) -> None:
    """Each size times its repeats.  Source: ONNX Tile-1 (tiles along one axis), -6, -13."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    y = node.outputs[0]
    shape = x.shape
    if shape is None:
        ctx.set(y, x.dtype)
        return
    repeats = _repeats(node, len(shape), ctx)
    if repeats is None:
        ctx.set(y, x.dtype, unknown_shape(ctx, len(shape)))
        return
    result = tuple([mul(size, times) for size, times in zip(shape, repeats)])
    data = ctx.data(x)
    if data is not None:
        total = static_numel(result)
        where = positions(data, shape) if 0 <= total <= TRACKED else None
        data = None if where is None else moved(data, np.tile(where, repeats))  # type: ignore[arg-type]
    ctx.set(y, x.dtype, result, data)


def _repeats(node: Node, rank: int, ctx: Inference) -> tuple[Size, ...] | None:
    """How often each axis repeats."""
    given = ctx.data(node.input(1))
    if given is None or any(type(times) is int and times < 0 for times in given):
        return None
    if ctx.opset < 6:
        axis = ctx.ints(node.input(2))
        if axis is None or len(axis) != 1 or len(given) != 1 or normalized(axis[0], rank) < 0:
            return None
        place = normalized(axis[0], rank)
        return (1,) * place + given + (1,) * (rank - place - 1)
    return given if len(given) == rank else None


@KERNELS.register("Tile", since=6)
def tile_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The array repeated along every axis."""
    x, repeats = arrays[0], listed(arrays[1])
    if repeats is None or len(repeats) != x.ndim or any(times < 0 for times in repeats):
        return None
    dims = [size * times for size, times in zip(x.shape, repeats)]
    if 0 in dims:
        return np.zeros(dims, x.dtype) if max(dims) < LONGEST else None
    return np.tile(x, repeats)
