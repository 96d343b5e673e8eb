"""Operators that order along an axis: TopK, ArgMax, ArgMin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size
from .axes import normalized
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node


@SHAPES.register("TopK")
def top_k_shape(node: Node, ctx: Inference) -> None:
    """k elements along the axis, and where they stood.  Source: ONNX TopK-1, -10 (k is an input), -11, -24."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is not None:
        axis = normalized(node.attribute("axis", -1), len(shape))
        if axis < 0:
            return
        size: Size | None
        if ctx.opset < 10:
            size = node.attribute("k")
            size = size if type(size) is int else None
        else:
            data = ctx.data(node.input(1))
            size = data[0] if data is not None and len(data) == 1 else None
        shape = shape[:axis] + (ctx.fresh() if size is None else size,) + shape[axis + 1 :]
    ctx.set(node.outputs[0], x.dtype, shape)
    if len(node.outputs) > 1:
        ctx.set(node.outputs[1], 7, node.outputs[0].shape if shape is not None else None)


@KERNELS.register("TopK")
def top_k_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The k largest (or smallest) in order; of equals the one with the lower index first."""
    x = arrays[0]
    axis = normalized(node.attribute("axis", -1), x.ndim)
    if ctx.opset >= 10 and arrays[1].size != 1:
        return None
    count = node.attribute("k") if ctx.opset < 10 else int(arrays[1].reshape(-1)[0])
    if axis < 0 or not 0 <= count <= x.shape[axis] or not node.attribute("sorted", 1) or x.dtype.kind not in "iuf":
        return None
    if x.dtype.kind == "f" and np.isnan(x).any():
        return None
    if node.attribute("largest", 1):
        backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
        order = x.shape[axis] - 1 - np.flip(backwards, axis)
    else:
        order = np.argsort(x, axis, kind="stable")
    order = np.ascontiguousarray(np.take(order, np.arange(count), axis)).astype(np.int64)
    results = [np.take_along_axis(x, order, axis), order]
    return results[: len(node.outputs)]


@SHAPES.register("ArgMax", "ArgMin")
def arg_shape(node: Node, ctx: Inference) -> None:
    """The axis shrinks to 1, or goes when keepdims is 0.  Source: ONNX ArgMax-1, -11, -12 (select_last_index), -13."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is not None:
        axis = normalized(node.attribute("axis", 0), len(shape))
        if axis < 0:
            return
        shape = shape[:axis] + ((1,) if node.attribute("keepdims", 1) else ()) + shape[axis + 1 :]
    ctx.set(node.outputs[0], 7, shape)


@KERNELS.register("ArgMax", "ArgMin")
def arg_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """The first (or last) index of the extreme; NaN has no order, so such arrays are left to the runtime."""
    x = arrays[0]
    axis = normalized(node.attribute("axis", 0), x.ndim)
    if axis < 0 or not x.shape[axis] or x.dtype.kind not in "iuf" or (x.dtype.kind == "f" and np.isnan(x).any()):
        return None
    find = np.argmax if node.op_type == "ArgMax" else np.argmin
    if node.attribute("select_last_index", 0):
        found = x.shape[axis] - 1 - find(np.flip(x, axis), axis)
    else:
        found = find(x, axis)
    if node.attribute("keepdims", 1):
        found = np.expand_dims(found, axis)
    return np.asarray(found, np.int64)
