"""Numpy-style broadcasting of shapes, and of small integer tensors tracked element by element."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..ir.dims import Size, broadcast
from ..ir.graph import Node
from .precision import Array

Shape = tuple[Size, ...]
Data = tuple[Size, ...]
PAIRS_LIMIT = 256
"""Two small tensors may make a large one, whose elements nobody follows."""


def broadcast_shapes(a: Shape, b: Shape) -> Shape | None:
    """The shape both broadcast to, or None when they provably do not."""
    if a == b:
        return a
    if len(a) < len(b):
        a, b = b, a
    result = list(a)
    offset = len(a) - len(b)
    for index, right in enumerate(b, offset):
        left = result[index]
        if left is right or type(right) is int and right == 1:
            continue
        if type(left) is int and type(right) is int:
            if left == 1:
                result[index] = right
            elif left != right:
                return None
        else:
            size = broadcast(left, right)
            if size is None:
                return None
            result[index] = size
    return tuple(result)


def broadcast_many(shapes: Iterable[Shape | None]) -> Shape | None:
    """The shape all broadcast to; None when one is unknown or they do not."""
    result: Shape | None = ()
    for shape in shapes:
        if shape is None or result is None:
            return None
        result = broadcast_shapes(result, shape)
    return result


def spread(data: Data, shape: Shape | None, target: Shape) -> Data | None:
    """Row-major elements of `data` (of that shape) broadcast to the static shape `target`; None when unknown."""
    if shape == target:
        return data
    count = static_count(target)
    if count is None:
        return None
    if len(data) == 1:
        return data * count
    if shape is None or static_count(shape) != len(data):
        return None
    picks = [0]
    steps: list[tuple[int, int]] = []
    stride = 1
    for back, wide in enumerate(reversed(target), 1):
        size = shape[-back] if back <= len(shape) else 1
        assert type(wide) is int and type(size) is int
        steps.append((wide, stride if size != 1 else 0))
        stride *= size
    for wide, step in reversed(steps):
        picks = [base + step * index for base in picks for index in range(wide)]
    return tuple([data[pick] for pick in picks])


def static_count(shape: Shape) -> int | None:
    """Number of elements of a shape without symbols, else None."""
    count = 1
    for size in shape:
        if type(size) is not int:
            return None
        count *= size
    return count


def pairs(a: Data, a_shape: Shape | None, b: Data, b_shape: Shape | None) -> Sequence[tuple[Size, Size]] | None:
    """Elements of two small tensors side by side under broadcasting, or None when they cannot be lined up."""
    if a_shape is None or b_shape is None:
        return None
    if a_shape == b_shape:
        return list(zip(a, b))
    target = broadcast_shapes(a_shape, b_shape)
    if target is None or (static_count(target) or 0) > PAIRS_LIMIT:
        return None
    left, right = spread(a, a_shape, target), spread(b, b_shape, target)
    return None if left is None or right is None or len(left) != len(right) else list(zip(left, right))


def aligned(node: Node, a: Array, b: Array, ctx: Any) -> tuple[Array, Array] | None:
    """Both operands ready for numpy's broadcasting, or None when they do not fit.

    Before opset 7 the second operand lies along the axes of the first from attribute `axis` on, by default the last.
    """
    if ctx.opset < 7 and a.shape != b.shape:
        after = a.ndim - b.ndim - node.attribute("axis", a.ndim - b.ndim)
        if not node.attribute("broadcast", 0) or after < 0:
            return None
        b = b.reshape(b.shape + (1,) * after)
        return (a, b) if broadcast_shapes(a.shape, b.shape) == a.shape else None
    return None if broadcast_shapes(a.shape, b.shape) is None else (a, b)
