"""Axes, sizes and positions: what the rules of data-moving operators share.

An operator that only moves elements moves the elements of a partial value the same way. Its kernel is therefore run
once more on the *positions* 0, 1, 2, ... of the input, and the result says which element goes where (`moved`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, known_different, mul

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Value

TRACKED = 256
"""Most elements a partial value may have."""


def normalized(raw_axis: Any, rank: int) -> int:
    """The axis counted from the front, or -1 when there is no such axis (or it is no int)."""
    if type(raw_axis) is not int:
        return -1
    if raw_axis < 0:
        raw_axis += rank
    return raw_axis if 0 <= raw_axis < rank else -1


def normalized_axes(raw_axes: Any, rank: int) -> list[int] | None:
    """Axes counted from the front in the order given, or None when one is missing, doubled or no int."""
    result: list[int] = []
    for raw_axis in raw_axes:
        axis = normalized(raw_axis, rank)
        if axis < 0 or axis in result:
            return None
        result.append(axis)
    return result


def listed(array: Any) -> tuple[int, ...] | None:
    """The numbers of an array with one axis, as axes, sizes and bounds come; None for other ranks and for none."""
    return None if array is None or array.ndim != 1 else tuple(array.tolist())


def unknown_shape(ctx: Inference, rank: int) -> tuple[Size, ...]:
    """A shape of which only the rank is known."""
    return tuple([ctx.fresh() for _ in range(rank)])


def static_numel(shape: Sequence[Size] | None) -> int:
    """Number of elements, or -1 when a size is symbolic or the rank unknown."""
    if shape is None:
        return -1
    total = 1
    for size in shape:
        if type(size) is not int:
            return -1
        total *= size
    return total


def numel(shape: Sequence[Size]) -> Size:
    """Number of elements, symbolic where it must be."""
    total: Size = 1
    for size in shape:
        total = mul(total, size)
    return total


def length(value: Value | None) -> int:
    """Number of elements of a vector (or scalar) of known size, else -1."""
    if value is None or value.shape is None or len(value.shape) > 1:
        return -1
    return static_numel(value.shape)


def more_telling(a: Size, b: Size, ctx: Inference) -> Size:
    """Of two names of one size, the number, else the one without nameless symbols."""
    if type(a) is int or a == b:
        return a
    if type(b) is int:
        return b
    return b if ctx.symbols.is_anonymous(a) and not ctx.symbols.is_anonymous(b) else a


def is_not_one(size: Size) -> bool:
    """Provably different from 1."""
    return size != 1 if type(size) is int else known_different(size, 1)


def positions(data: Sequence[Size] | None, shape: Sequence[Size] | None) -> Any:
    """Positions 0, 1, 2, ... in the tensor's shape, or None when the elements or the shape are not known."""
    if data is None or shape is None or static_numel(shape) != len(data):
        return None
    return np.arange(len(data)).reshape(shape)


def moved(data: Sequence[Size], where: Any) -> tuple[Size, ...] | None:
    """The elements at an array of positions, or None when they are too many to track."""
    if where.size > TRACKED:
        return None
    return tuple([data[position] for position in where.reshape(-1).tolist()])
