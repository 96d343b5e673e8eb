"""Broadcasting arithmetic: Add, Sub, Mul, Div, Mod, Pow and the variadic Max, Min, Sum, Mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import Size, add, maximum, minimum, mod, mul, sub, truncdiv
from ..ir.dtypes import INT32, INT64
from ..ir.graph import Node, Value
from .broadcasting import Data, Shape, aligned, broadcast_many, broadcast_shapes, pairs
from .precision import Array, finest, is_real, narrowed, ties_signed_zeros, widened
from .registry import KERNELS, SHAPES

_STEPS: dict[str, Callable[[Size, Size], Size]] = {
    "Add": add,
    "Sub": sub,
    "Mul": mul,
    "Div": truncdiv,
    "Sum": add,
    "Max": maximum,
    "Min": minimum,
}
_LIMITS = {INT64: 1 << 63, INT32: 1 << 31}


@SHAPES.register("Add", "Sub", "Mul", "Div", "Mod", "Pow", since=7)
def arithmetic_shape(node: Node, ctx: Any) -> None:
    """[a..] op [b..] -> the broadcast of both, with the type of the first; int64 and int32 elements are followed."""
    inputs = node.inputs
    if len(inputs) < 2 or not node.outputs:
        return
    a, b = inputs[0], inputs[1]
    if a is None or b is None:
        return
    dtype = a.dtype
    if not dtype and node.op_type != "Pow":
        dtype = b.dtype
    left, right = a.shape, b.shape
    if left is None or right is None:
        ctx.set(node.outputs[0], dtype)
        return
    data = None
    if dtype == INT64 or dtype == INT32:
        data = _tracked(node, a, b, dtype, ctx)
    ctx.set(node.outputs[0], dtype, left if left == right else broadcast_shapes(left, right), data)


@SHAPES.register("Add", "Sub", "Mul", "Div", "Pow", "PRelu", since=1)
def one_sided_shape(node: Node, ctx: Any) -> None:
    """Before opset 7 the second operand is stretched to the first: the result has the first one's type and shape."""
    a = node.input(0)
    if a is not None and node.outputs:
        ctx.set(node.outputs[0], a.dtype, a.shape)


@SHAPES.register("PRelu", since=7)
def prelu_shape(node: Node, ctx: Any) -> None:
    """The slope is stretched to x, so the result has x's shape.

    onnxruntime also stretches x: nothing is said of that, and nothing that the file says is believed.
    Source: ONNX PRelu-7, -9, -16.
    """
    x, slope = node.input(0), node.input(1)
    if x is None or slope is None or not node.outputs:
        return
    shape = None if x.shape is None or slope.shape is None else broadcast_shapes(x.shape, slope.shape)
    if shape is not None and x.shape is not None and (
        len(shape) > len(x.shape) or any(type(a) is int and a != b for a, b in zip(shape, x.shape))
    ):
        node.outputs[0].doubtful = True
    ctx.set(node.outputs[0], x.dtype, shape if shape == x.shape else None)


@SHAPES.register("Max", "Min", "Sum", "Mean")
def variadic_shape(node: Node, ctx: Any) -> None:
    """f(a, b, ...) has the broadcast of all shapes; int64 and int32 elements of Max, Min and Sum are followed."""
    values = node.inputs
    first = values[0] if values else None
    if first is None or not node.outputs:
        return
    dtype, shape = first.dtype, first.shape
    step = _STEPS.get(node.op_type)
    data = ctx.data(first) if step is not None and dtype in _LIMITS else None
    for value in values[1:]:
        if value is None:
            return
        dtype = dtype or value.dtype
        if data is not None:
            other = ctx.data(value)
            data = None if other is None else combined(step, data, shape, other, value.shape, dtype)  # type: ignore[arg-type]
        if shape is not None:
            shape = None if value.shape is None else broadcast_shapes(shape, value.shape)
    ctx.set(node.outputs[0], dtype, shape, data)


def _tracked(node: Node, a: Value, b: Value, dtype: int, ctx: Any) -> Data | None:
    left = ctx.data(a)
    if left is None:
        return None
    right = ctx.data(b)
    if right is None:
        return None
    step = _STEPS.get(node.op_type)
    if step is None:
        if node.op_type != "Mod":
            return None
        step = _fmod if node.attribute("fmod", 0) else mod
    return combined(step, left, a.shape, right, b.shape, dtype)


def _fmod(a: Size, b: Size) -> Size:
    return mod(a, b, fmod=True)


def combined(
    step: Callable[[Size, Size], Size], a: Data, a_shape: Shape | None, b: Data, b_shape: Shape | None, dtype: int
) -> Data | None:
    """`step` of the elements of two small tensors under broadcasting; None when a divisor is the number 0.

    Numbers wrap as the type does; what a formula gives is taken to fit, as the sizes it is made of do.
    """
    found = pairs(a, a_shape, b, b_shape)
    if found is None:
        return None
    divides = step is truncdiv or step is mod or step is _fmod
    limit = _LIMITS[dtype]
    result = []
    for left, right in found:
        if divides and type(right) is int and right == 0:
            return None
        element = step(left, right)
        if type(element) is int and not -limit <= element < limit:
            element = (element + limit) % (2 * limit) - limit
        result.append(element)
    return tuple(result)


@KERNELS.register("Add", "Sub", "Mul", "Div", "Mod", since=1)
def arithmetic_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: one rounding per element; integers wrap, and division rounds toward zero."""
    a, b = arrays[0], arrays[1]
    if a.dtype != b.dtype:
        return None
    found = aligned(node, a, b, ctx)
    if found is None:
        return None
    a, b = found
    dtype = a.dtype
    if node.op_type == "Mod" and dtype.kind not in "iu" and not node.attribute("fmod", 0):
        return None
    with np.errstate(all="ignore"):
        if dtype.kind in "iu":
            return _integer(node, a, b)
        wide_a, wide_b = widened(a), widened(b)
        if wide_a is None or wide_b is None:
            return None
        return narrowed(_real(node, wide_a, wide_b), dtype)


def _real(node: Node, a: Array, b: Array) -> Array:
    op_type = node.op_type
    if op_type == "Add":
        return a + b
    if op_type == "Sub":
        return a - b
    if op_type == "Mul":
        return a * b
    return a / b if op_type == "Div" else np.fmod(a, b)


def _integer(node: Node, a: Array, b: Array) -> Array | None:
    op_type = node.op_type
    if op_type == "Add":
        return np.asarray(a + b)
    if op_type == "Sub":
        return np.asarray(a - b)
    if op_type == "Mul":
        return np.asarray(a * b)
    if not b.all():
        return None
    if op_type == "Mod":
        return np.asarray(np.fmod(a, b) if node.attribute("fmod", 0) else np.mod(a, b))
    quotient = a // b
    # Floor division is one too low where the signs differ and something is left over.
    return np.asarray(quotient + ((a % b != 0) & ((a < 0) != (b < 0))).astype(a.dtype))


@KERNELS.register("Pow", since=7)
def pow_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Numerics: a wider power rounded once, within 1 ulp; integer results are exact and left out from 2**53 on.

    So are integer exponents, which onnxruntime rounds to a double: (-1) ** (2**53 + 1) is 1 there.
    """
    base, exponent = arrays[0], arrays[1]
    if not (_is_number(base) and _is_number(exponent)) or base.dtype.kind in "iu" and exponent.dtype.kind not in "iu":
        return None
    if broadcast_shapes(base.shape, exponent.shape) is None:
        return None
    if exponent.dtype in (np.int64, np.uint64) and ((exponent > 2**53) | (exponent < -(2**53))).any():
        return None
    shape = np.broadcast_shapes(base.shape, exponent.shape)
    # Stretched first: numpy takes shortcuts for a scalar exponent that differ for infinities and negative zeros.
    wide_base, wide_exponent = np.broadcast_arrays(np.atleast_1d(base), np.atleast_1d(exponent))
    with np.errstate(all="ignore"):
        result = np.power(finest(wide_base), finest(wide_exponent)).reshape(shape)
        if base.dtype.kind in "iu":
            info = np.iinfo(base.dtype)
            low, high = max(info.min, -(2**53)), min(info.max, 2**53)
            if not ((result >= low) & (result <= high)).all():
                return None
            result = np.rint(result)
        return narrowed(result, base.dtype)


def _is_number(array: Array) -> bool:
    return array.dtype.kind in "iu" or is_real(array.dtype)


@KERNELS.register("Max", "Min", since=1)
def extreme_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: NaN wins; where 0.0 meets -0.0 the choice is left to onnxruntime."""
    choose = np.maximum if node.op_type == "Max" else np.minimum
    dtype = arrays[0].dtype
    result: Array | None = None
    if broadcast_many([array.shape for array in arrays]) is None:
        return None
    for array in arrays:
        wide = array if dtype.kind in "iu" else widened(array)
        if wide is None or array.dtype != dtype:
            return None
        if result is None:
            result = wide
            continue
        if dtype.kind not in "iu" and ties_signed_zeros(result, wide):
            return None
        result = choose(result, wide)
    return narrowed(result, dtype)


@KERNELS.register("Sum", "Mean", since=1)
def sum_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact for float32 and float64, added from first to last. Narrower floats are added wide and rounded once."""
    dtype = arrays[0].dtype
    result: Array | None = None
    if broadcast_many([array.shape for array in arrays]) is None:
        return None
    with np.errstate(all="ignore"):
        for array in arrays:
            wide = widened(array)
            if wide is None or array.dtype != dtype:
                return None
            result = wide if result is None else result + wide
        if node.op_type == "Mean" and result is not None:
            result = result * result.dtype.type(1 / len(arrays))
    return narrowed(result, dtype)
