"""Broadcasting arithmetic: Add, Sub, Mul, Div, Mod, Pow and the variadic Max, Min, Sum, Mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ir.dims import Size, add, maximum, minimum, mod, mul, sub, truncdiv
from ..ir.dtypes import INT32, INT64
from ..ir.graph import Node, Value
from .broadcasting import Data, Shape, broadcast_many, broadcast_shapes, pairs
from .registry import SHAPES

_STEPS: dict[str, Callable[[Size, Size], Size]] = {
    "Add": add, "Sub": sub, "Mul": mul, "Div": truncdiv, "Sum": add, "Max": maximum, "Min": minimum,
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


@SHAPES.register("Add", "Sub", "Mul", "Div", "Pow", since=1)
def one_sided_shape(node: Node, ctx: Any) -> None:
    """Before opset 7 the second operand is stretched to the first: the result has the first one's type and shape."""
    a = node.input(0)
    if a is not None and node.outputs:
        ctx.set(node.outputs[0], a.dtype, a.shape)


@SHAPES.register("Max", "Min", "Sum", "Mean")
def variadic_shape(node: Node, ctx: Any) -> None:
    """f(a, b, ...) has the broadcast of all shapes; int64 and int32 elements of Max, Min and Sum are followed."""
    values = node.inputs
    if not values or not node.outputs:
        return
    dtype = 0
    for value in values:
        if value is None:
            return
        dtype = dtype or value.dtype
    first = values[0]
    assert first is not None
    shape = first.shape
    data = ctx.data(first) if dtype in _LIMITS and node.op_type != "Mean" else None
    for value in values[1:]:
        if data is not None:
            other = ctx.data(value)
            data = None if other is None else combined(_STEPS[node.op_type], data, shape, other, value.shape, dtype)  # type: ignore[union-attr]
        shape = broadcast_many((shape, value.shape))  # type: ignore[union-attr]
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


def combined(step: Callable[[Size, Size], Size], a: Data, a_shape: Shape | None, b: Data, b_shape: Shape | None,
             dtype: int) -> Data | None:
    """`step` of the elements of two small tensors under broadcasting; None when a divisor may be the number 0."""
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
