"""Operators that map one tensor element by element and keep its shape; those with parameters are in `activation`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..ir.dims import Size, is_nonneg, is_nonpos, maximum, minimum, neg
from ..ir.dtypes import BOOL, INT32, INT64
from ..ir.graph import Node
from .precision import Array, finest, is_real, narrowed, widened
from .registry import KERNELS, SHAPES

SAME_SHAPE = (
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "Ceil",
    "Celu",
    "Cos",
    "Cosh",
    "CumProd",
    "Elu",
    "Erf",
    "Exp",
    "Floor",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Hardmax",
    "LeakyRelu",
    "Log",
    "LogSoftmax",
    "Mish",
    "Reciprocal",
    "Round",
    "Selu",
    "Shrink",
    "Sigmoid",
    "Sin",
    "Sinh",
    "Softmax",
    "Softplus",
    "Softsign",
    "Sqrt",
    "SwiGLU",
    "Swish",
    "Tan",
    "Tanh",
    "ThresholdedRelu",
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
    if dtype == INT64 or dtype == INT32 or dtype == BOOL:
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
    for value, bounded in ((node.input(1), maximum), (node.input(2), minimum)):
        if value is not None:
            bound = ctx.data(value)
            if bound is None or len(bound) != 1:
                return None
            data = tuple([bounded(element, bound[0]) for element in data])
    return data


_EXACT: dict[str, Callable[[Array], Array]] = {
    "Sqrt": np.sqrt,
    "Ceil": np.ceil,
    "Floor": np.floor,
    "Round": np.rint,
}
"""Correctly rounded by every implementation."""
_CLOSE: dict[str, Callable[[Array], Array]] = {
    "Exp": np.exp,
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Cosh": np.cosh,
    "Asinh": np.arcsinh,
    "Acosh": np.arccosh,
    "Atanh": np.arctanh,
}
"""onnxruntime is within 1 ulp of the rounded exact result in float32."""
_COARSE: dict[str, Callable[[Array], Array]] = {
    "Log": np.log,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Atan": np.arctan,
    "Sinh": np.sinh,
    "Tanh": np.tanh,
}
"""Off by several ulp in float32, so only results that are rounded to 16 bits agree."""
_DOUBLE = frozenset({"Exp", "Log"})


@KERNELS.register(*_EXACT)
def exact_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: square root and rounding (halves to even) have one right answer."""
    x = widened(arrays[0])
    if x is None:
        return None
    with np.errstate(all="ignore"):
        return narrowed(_EXACT[node.op_type](x), arrays[0].dtype)


@KERNELS.register(*_CLOSE, *_COARSE)
def transcendental_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Numerics: computed wider and rounded once, within 1 ulp of onnxruntime; left to it where it is further off."""
    op_type = node.op_type
    x = arrays[0]
    width = x.dtype.itemsize
    if not is_real(x.dtype) or width == 4 and op_type in _COARSE or width == 8 and op_type not in _DOUBLE:
        return None
    function = _CLOSE.get(op_type) or _COARSE[op_type]
    with np.errstate(all="ignore"):
        return narrowed(function(finest(x)), x.dtype)


@KERNELS.register("Neg", "Abs", "Sign", "Reciprocal")
def signed_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: the least integer is its own negative; Sign of NaN depends on the width and is left to onnxruntime."""
    x = arrays[0]
    wide = x if x.dtype.kind in "iu" else widened(x)
    if wide is None:
        return None
    with np.errstate(all="ignore"):
        if node.op_type == "Neg":
            result = np.negative(wide)
        elif node.op_type == "Abs":
            result = np.abs(wide)
        elif node.op_type == "Reciprocal":
            if wide.dtype.kind != "f":
                return None
            result = np.reciprocal(wide)
        else:
            if wide.dtype.kind == "f" and np.isnan(wide).any():
                return None
            # Not np.sign: it keeps the sign of a negative zero.
            result = np.subtract(wide > 0, wide < 0, dtype=np.int8)
    return narrowed(result, x.dtype)


@KERNELS.register("Not", "BitwiseNot")
def not_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact."""
    kinds = "b" if node.op_type == "Not" else "iu"
    return np.asarray(np.invert(arrays[0])) if arrays[0].dtype.kind in kinds else None


@KERNELS.register("IsNaN", "IsInf")
def predicate_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: IsInf looks for the signs that `detect_positive` and `detect_negative` (both 1) ask for."""
    x = widened(arrays[0])
    if x is None:
        return None
    if node.op_type == "IsNaN":
        return np.asarray(np.isnan(x))
    found = np.zeros(x.shape, np.bool_)
    if node.attribute("detect_positive", 1):
        found |= x == np.inf
    if node.attribute("detect_negative", 1):
        found |= x == -np.inf
    return found
