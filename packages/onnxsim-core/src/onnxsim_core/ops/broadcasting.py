"""Numpy-style broadcasting of shapes, and of small integer tensors tracked element by element."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..ir.dims import Dim, Size, broadcast

Shape = tuple[Size, ...]
Data = tuple[Size, ...]


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
    stride = 1
    steps: list[tuple[int, int]] = []
    for back in range(1, len(target) + 1):
        size = shape[-back] if back <= len(shape) else 1
        steps.append((target[-back], stride if size != 1 else 0))  # type: ignore[arg-type]
        stride *= size  # type: ignore[operator]
    for size, step in reversed(steps):
        picks = [base + step * index for base in picks for index in range(size)]
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
    if target is None:
        return None
    left, right = spread(a, a_shape, target), spread(b, b_shape, target)
    return None if left is None or right is None or len(left) != len(right) else list(zip(left, right))


def is_static(data: Iterable[Size]) -> bool:
    """True when no element is symbolic."""
    for element in data:
        if isinstance(element, Dim):
            return False
    return True
