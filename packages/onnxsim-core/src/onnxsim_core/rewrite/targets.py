"""Constant Reshape targets for symbolic shapes: 0 keeps the input's size on that axis, one -1 is what remains."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.dims import Size, is_positive, known_equal
from ..ir.graph import Shape


def constant_target(source: Shape | None, sizes: Sequence[Size]) -> list[int] | None:
    """A target that makes Reshape give these sizes from a value of shape `source`, whatever the symbols are, or None.

    A -1 is only used next to sizes that cannot be 0: onnxruntime refuses to divide by them.
    """
    target: list[int] = []
    rest = -1
    for axis, size in enumerate(sizes):
        kept = source is not None and axis < len(source) and is_same(source[axis], size)
        if type(size) is int and size:
            target.append(size)
        elif kept:
            target.append(0)
        elif rest < 0:
            rest = axis
            target.append(-1)
        else:
            return None
    if rest >= 0 and not all_positive(sizes, rest):
        return None
    return target


def all_positive(sizes: Sequence[Size], but: int) -> bool:
    """Are all sizes but that one provably at least 1?"""
    for axis, size in enumerate(sizes):
        if axis != but and not is_positive(size):
            return False
    return True


def is_same(a: Size, b: Size) -> bool:
    return a is b or a == b or known_equal(a, b)
