"""Operators that make tensors out of little: Constant, ConstantOfShape, Range, EyeLike."""

from __future__ import annotations

from math import ceil, isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size, add, ceildiv, is_nonneg, maximum, mul, sub
from ..ir.dtypes import numpy_dtype
from .axes import TRACKED, static_numel, unknown_shape
from .registry import KERNELS, SHAPES
from .repeat import vector_length

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value


PLAIN = {
    "value_int": (7, False),
    "value_ints": (7, True),
    "value_float": (1, False),
    "value_floats": (1, True),
    "value_string": (8, False),
    "value_strings": (8, True),
}
"""Constant's plain attributes: element type, and whether they make a vector."""


# --- ConstantOfShape -------------------------------------------------------------------------------------------------
@SHAPES.register("ConstantOfShape")
def constant_of_shape_shape(node: Node, ctx: Inference) -> None:
    """The shape asked for, of the type of `value` (float when absent).  Source: ONNX ConstantOfShape-9."""
    wanted = node.input(0)
    if wanted is None or not node.outputs:
        return
    y = node.outputs[0]
    tensor = node.attribute("value")
    dtype = 1 if tensor is None else getattr(tensor, "dtype", 0)
    shape = None if wanted.shape == () else ctx.data(wanted)
    if shape is None:
        rank = vector_length(wanted)
        ctx.set(y, dtype, unknown_shape(ctx, rank) if 0 <= rank < 64 else None)
        return
    total = static_numel(shape)
    data = None
    if dtype in (6, 7, 9) and 0 <= total <= TRACKED and tensor.size == 1:
        data = (int(tensor.numpy().reshape(-1)[0]),) * total
    for size in shape:
        if type(size) is int and size < 0:
            return
    ctx.set(y, dtype, shape, data)


@KERNELS.register("ConstantOfShape")
def constant_of_shape_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """One number everywhere."""
    tensor = node.attribute("value")
    if arrays[0] is None or not arrays[0].ndim:
        return None
    shape = tuple(arrays[0].reshape(-1).tolist())  # onnxruntime takes the numbers however they stand
    if any(size < 0 for size in shape):
        return None
    if tensor is None:
        return np.zeros(shape, np.float32)
    if tensor.size != 1:
        return None
    return np.full(shape, tensor.numpy().reshape(-1)[0], tensor.numpy().dtype)


# --- Range -----------------------------------------------------------------------------------------------------------
@SHAPES.register("Range")
def range_shape(node: Node, ctx: Inference) -> None:
    """max(ceil((limit - start) / delta), 0) numbers.  Source: ONNX Range-11."""
    start, limit, delta = node.input(0), node.input(1), node.input(2)
    if start is None or limit is None or delta is None or not node.outputs:
        return
    dtype = start.dtype or limit.dtype or delta.dtype
    size: Size | None
    data = None
    if dtype in (6, 7):
        first, step = _element(start, ctx), _element(delta, ctx)
        size = range_length(first, _element(limit, ctx), step)
        if type(size) is int and size <= TRACKED and first is not None and type(step) is int:
            data = tuple([add(first, mul(step, index)) for index in range(size)])
    else:
        numbers = ctx.scalar(start), ctx.scalar(limit), ctx.scalar(delta)
        size = None if None in numbers else float_range_length(*numbers)  # type: ignore[arg-type]
    ctx.set(node.outputs[0], dtype, (ctx.fresh() if size is None else size,), data)


def _element(value: Value, ctx: Inference) -> Size | None:
    data = ctx.data(value)
    return data[0] if data is not None and len(data) == 1 else None


def range_length(start: Size | None, limit: Size | None, delta: Size | None) -> Size | None:
    """Number of integers from start to limit, or None when the direction or a bound is not known."""
    if start is None or limit is None or type(delta) is not int or delta == 0:
        return None
    if type(start) is int and type(limit) is int:
        return len(range(start, limit, delta))
    gap = sub(limit, start) if delta > 0 else sub(start, limit)
    if not is_nonneg(gap):
        gap = maximum(gap, 0)
    return ceildiv(gap, abs(delta))


def float_range_length(start: float, limit: float, delta: float) -> int | None:
    """Number of floats from start to limit, counted in double precision as onnxruntime does."""
    if not delta or not (isfinite(start) and isfinite(limit) and isfinite(delta)):
        return None
    return max(ceil((float(limit) - float(start)) / float(delta)), 0)


@KERNELS.register("Range")
def range_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """start, start + delta, ... below limit. Floats are added up one by one, as onnxruntime does."""
    if any(array.size != 1 for array in arrays):
        return None
    start, limit, delta = [array.reshape(-1)[0] for array in arrays]
    dtype = start.dtype
    if dtype.kind == "i":
        if not delta:
            return None
        size = len(range(start.item(), limit.item(), delta.item()))
        return (np.arange(size, dtype=np.int64) * delta.item() + start.item()).astype(dtype)
    length = float_range_length(start.item(), limit.item(), delta.item())
    if length is None or dtype.name not in ("float32", "float64"):
        return None
    steps = np.full(length, delta, dtype)
    steps[:1] = start
    return np.cumsum(steps, dtype=dtype)


# --- EyeLike ---------------------------------------------------------------------------------------------------------
@SHAPES.register("EyeLike")
def eye_like_shape(node: Node, ctx: Inference) -> None:
    """The input's shape, and its type unless another is asked for.  Source: ONNX EyeLike-9."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    dtype, k = node.attribute("dtype", x.dtype), node.attribute("k", 0)
    if type(dtype) is not int or type(k) is not int:
        return
    data = None
    if dtype in (6, 7, 9) and x.shape is not None and len(x.shape) == 2 and 0 <= static_numel(x.shape) <= TRACKED:
        rows, columns = x.shape
        data = tuple([int(column - row == k) for row in range(rows) for column in range(columns)])  # type: ignore
    ctx.set(node.outputs[0], dtype, x.shape, data)


@KERNELS.register("EyeLike")
def eye_like_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Ones on diagonal k, zeros elsewhere."""
    x = arrays[0]
    dtype = node.attribute("dtype")
    if x.ndim != 2:
        return None
    k = max(min(node.attribute("k", 0), x.shape[1]), -x.shape[0])
    return np.eye(x.shape[0], x.shape[1], k, dtype=x.dtype if dtype is None else numpy_dtype(dtype))


# --- Constant --------------------------------------------------------------------------------------------------------
@SHAPES.register("Constant")
def constant_shape(node: Node, ctx: Inference) -> None:
    """What the one attribute holds.  Source: ONNX Constant-1, -11 (sparse_value), -12 (value_int, ...)."""
    for name, value in node.attributes.items():
        if not node.outputs:
            return
        if name == "sparse_value":
            sparse = getattr(value, "sparse_tensor", None)
            if sparse is not None:
                ctx.set(node.outputs[0], sparse.values.data_type, tuple(sparse.dims))
        elif name in PLAIN:
            dtype, is_list = PLAIN[name]
            shape = () if not is_list else (len(value),) if type(value) is tuple else (ctx.fresh(),)
            ctx.set(node.outputs[0], dtype, shape)
        elif name == "value" and hasattr(value, "dims"):
            ctx.set(node.outputs[0], value.dtype, value.dims)


@KERNELS.register("Constant", since=11)
def constant_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """A sparse tensor written out; the other forms are constants as soon as a model is read."""
    sparse = getattr(node.attribute("sparse_value"), "sparse_tensor", None)
    if sparse is None:
        return None
    from onnx import numpy_helper

    values, indices = numpy_helper.to_array(sparse.values), numpy_helper.to_array(sparse.indices)
    result = np.zeros(tuple(sparse.dims), values.dtype)
    if indices.ndim == 1:
        result.reshape(-1)[indices] = values
    else:
        result[tuple(indices.T)] = values
    return result
