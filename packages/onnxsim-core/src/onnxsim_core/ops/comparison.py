"""Comparisons, logic and bit operations, all broadcasting."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import Size, is_nonneg, is_positive, known_different, known_equal, sub
from ..ir.dtypes import BOOL, INT32, INT64
from ..ir.graph import Node
from .broadcasting import aligned, broadcast_shapes, pairs
from .precision import Array, is_real, widened
from .registry import KERNELS, SHAPES


@SHAPES.register("Equal", "Less", "Greater", "And", "Or", "Xor", since=7)
@SHAPES.register("LessOrEqual", "GreaterOrEqual", since=12)
def comparison_shape(node: Node, ctx: Any) -> None:
    """[a..] op [b..] -> bool of the broadcast shape; what is provable about sizes is followed."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    if a.shape is None or b.shape is None:
        ctx.set(node.outputs[0], BOOL)
        return
    data = None
    if a.dtype in (INT64, INT32, BOOL):
        left, right = ctx.data(a), ctx.data(b)
        if left is not None and right is not None:
            data = _decided(node.op_type, pairs(left, a.shape, right, b.shape))
    ctx.set(node.outputs[0], BOOL, broadcast_shapes(a.shape, b.shape), data)


@SHAPES.register("Equal", "Less", "Greater", "And", "Or", "Xor", since=1)
def one_sided_shape(node: Node, ctx: Any) -> None:
    """Before opset 7 the second operand is stretched to the first."""
    a = node.input(0)
    if a is not None and node.outputs:
        ctx.set(node.outputs[0], BOOL, a.shape)


@SHAPES.register("BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", since=1)
def bitwise_shape(node: Node, ctx: Any) -> None:
    """[a..] op [b..] -> the broadcast of both, with the type of the first."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    shape = None if a.shape is None or b.shape is None else broadcast_shapes(a.shape, b.shape)
    ctx.set(node.outputs[0], a.dtype or b.dtype, shape)


def _decided(op_type: str, found: Any) -> tuple[Size, ...] | None:
    if found is None:
        return None
    result: list[Size] = []
    for left, right in found:
        answer = _answer(op_type, left, right)
        if answer is None:
            return None
        result.append(1 if answer else 0)
    return tuple(result)


def _answer(op_type: str, a: Size, b: Size) -> bool | None:
    """The truth of `a op b` where it holds whatever the symbols are, else None."""
    if op_type == "Equal":
        return True if known_equal(a, b) else False if known_different(a, b) else None
    if op_type == "Less":
        return _is_less(a, b)
    if op_type == "Greater":
        return _is_less(b, a)
    if op_type == "LessOrEqual":
        return _negated(_is_less(b, a))
    if op_type == "GreaterOrEqual":
        return _negated(_is_less(a, b))
    if op_type == "And" and (a == 0 or b == 0):
        return False
    if op_type == "Or" and (a == 1 or b == 1):
        return True
    if type(a) is not int or type(b) is not int:
        return None
    return bool(a and b) if op_type == "And" else bool(a or b) if op_type == "Or" else a != b


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


def _is_less(a: Size, b: Size) -> bool | None:
    if type(a) is int and type(b) is int:
        return a < b
    return True if is_positive(sub(b, a)) else False if is_nonneg(sub(a, b)) else None


_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "Equal": np.equal,
    "Less": np.less,
    "Greater": np.greater,
    "LessOrEqual": np.less_equal,
    "GreaterOrEqual": np.greater_equal,
}
_LOGIC: dict[str, Callable[[Array, Array], Array]] = {
    "And": np.logical_and,
    "Or": np.logical_or,
    "Xor": np.logical_xor,
}
_BITS: dict[str, Callable[[Array, Array], Array]] = {
    "BitwiseAnd": np.bitwise_and,
    "BitwiseOr": np.bitwise_or,
    "BitwiseXor": np.bitwise_xor,
}


@KERNELS.register(*_COMPARE)
def comparison_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: a NaN equals nothing and is neither less nor greater."""
    a, b = arrays[0], arrays[1]
    found = aligned(node, a, b, ctx) if a.dtype == b.dtype else None
    if found is None:
        return None
    a, b = found
    compare = _COMPARE[node.op_type]
    if a.dtype.kind in "biu":
        return np.asarray(compare(a, b))
    if is_real(a.dtype):
        return np.asarray(compare(widened(a), widened(b)))
    if a.dtype.kind == "O" and node.op_type == "Equal":
        return np.asarray(np.equal(a, b)).astype(np.bool_)
    return None


@KERNELS.register(*_LOGIC)
def logic_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact."""
    a, b = arrays[0], arrays[1]
    found = aligned(node, a, b, ctx) if a.dtype.kind == "b" and b.dtype.kind == "b" else None
    return None if found is None else np.asarray(_LOGIC[node.op_type](*found))


@KERNELS.register(*_BITS)
def bitwise_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact."""
    a, b = arrays[0], arrays[1]
    if a.dtype != b.dtype or a.dtype.kind not in "iu":
        return None
    found = aligned(node, a, b, ctx)
    return None if found is None else np.asarray(_BITS[node.op_type](*found))


@KERNELS.register("BitShift")
def bit_shift_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact for shifts smaller than the width of the type; what a larger one gives is undefined."""
    a, b = arrays[0], arrays[1]
    if a.dtype != b.dtype or a.dtype.kind != "u" or (b >= 8 * a.dtype.itemsize).any():
        return None
    found = aligned(node, a, b, ctx)
    if found is None:
        return None
    shift = np.left_shift if node.attribute("direction") == b"LEFT" else np.right_shift
    return np.asarray(shift(*found))
