"""Operators that map one tensor element by element and keep its shape."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, is_nonneg, is_nonpos, maximum, minimum, neg
from ..ir.dtypes import BOOL, INT32, INT64
from ..ir.graph import Node
from .registry import SHAPES

SAME_SHAPE = (
    "Acos", "Acosh", "Asin", "Asinh", "Atan", "Atanh", "Ceil", "Celu", "Cos", "Cosh", "CumProd", "Elu", "Erf", "Exp",
    "Floor", "Gelu", "HardSigmoid", "HardSwish", "Hardmax", "LeakyRelu", "Log", "LogSoftmax", "Mish", "PRelu",
    "Reciprocal", "Round", "Selu", "Shrink", "Sigmoid", "Sin", "Sinh", "Softmax", "Softplus", "Softsign", "Sqrt", "Swish",
    "Tan", "Tanh", "ThresholdedRelu",
)
"""Operators whose first output has the type and shape of the first input and whose elements are not tracked."""


@SHAPES.register(*SAME_SHAPE)
def same_shape(node: Node, ctx: Any) -> None:
    """f(x) has the type and shape of x."""
    value = node.input(0)
    if value is not None and node.outputs:
        ctx.set(node.outputs[0], value.dtype, value.shape)


@SHAPES.register("IsNaN", "IsInf")
def predicate_shape(node: Node, ctx: Any) -> None:
    """p(x) is a bool of the shape of x."""
    value = node.input(0)
    if value is not None and node.outputs:
        ctx.set(node.outputs[0], BOOL, value.shape)


@SHAPES.register("Neg", "Abs", "Sign", "Relu", "Not", "BitwiseNot", "Clip")
def tracked_shape(node: Node, ctx: Any) -> None:
    """f(x) has the type and shape of x; elements of small integer tensors are followed."""
    value = node.input(0)
    if value is None or not node.outputs:
        return
    dtype = value.dtype
    data = None
    if dtype in (INT64, INT32, BOOL):
        found = ctx.data(value)
        if found is not None:
            data = _clipped(node, found, ctx) if node.op_type == "Clip" else _mapped(node.op_type, found, dtype)
    ctx.set(node.outputs[0], dtype, value.shape, data)


def _mapped(op_type: str, data: tuple[Size, ...], dtype: int) -> tuple[Size, ...] | None:
    result: list[Size] = []
    for element in data:
        image = _image(op_type, element, dtype)
        if image is None:
            return None
        result.append(image)
    return tuple(result)


def _image(op_type: str, x: Size, dtype: int) -> Size | None:
    """f(x) of one tracked element, None when it is not certain. The least integer is its own negative."""
    if op_type == "Not":
        return 1 - x if type(x) is int else None
    if type(x) is int and x == (-(1 << 31) if dtype == INT32 else -(1 << 63)) and op_type in ("Neg", "Abs"):
        return x
    if op_type == "Neg":
        return neg(x)
    if op_type == "Abs":
        return x if is_nonneg(x) else neg(x) if is_nonpos(x) else None
    if op_type == "Relu":
        return maximum(x, 0)
    if type(x) is not int:
        return None
    return ~x if op_type == "BitwiseNot" else (x > 0) - (x < 0)


def _clipped(node: Node, data: tuple[Size, ...], ctx: Any) -> tuple[Size, ...] | None:
    """min(max(x, low), high), in this order, so that low > high gives high."""
    low, high = node.input(1), node.input(2)
    if low is not None:
        bound = ctx.data(low)
        if bound is None or len(bound) != 1:
            return None
        data = tuple([maximum(element, bound[0]) for element in data])
    if high is not None:
        bound = ctx.data(high)
        if bound is None or len(bound) != 1:
            return None
        data = tuple([minimum(element, bound[0]) for element in data])
    return data
