"""Where: a choice element by element, and what is known of it before the condition is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dims import Size
from .axes import TRACKED, static_numel
from .broadcasting import broadcast_shapes, spread
from .registry import KERNELS, SHAPES

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Value


@SHAPES.register("Where")
def where_shape(node: Node, ctx: Inference) -> None:
    """Broadcast of condition and both branches, of the branches' type.  Source: ONNX Where-9, -16."""
    inputs = node.inputs
    if len(inputs) < 3 or not node.outputs:
        return
    condition, x, y = inputs[:3]
    if condition is None or x is None or y is None:
        return
    out = node.outputs[0]
    dtype = x.dtype or y.dtype
    if condition.shape is None or x.shape is None or y.shape is None:
        ctx.set(out, dtype)
        return
    shape = broadcast_shapes(x.shape, y.shape)
    if shape is not None:
        shape = broadcast_shapes(condition.shape, shape)
    if shape is None:
        ctx.set(out, dtype)
        return
    data = None
    if dtype in (6, 7, 9) and 0 <= static_numel(shape) <= TRACKED:
        data = _chosen(condition, x, y, shape, ctx)
    ctx.set(out, dtype, shape, data)


def _chosen(condition: Value, x: Value, y: Value, shape: tuple[Size, ...], ctx: Inference) -> tuple[Size, ...] | None:
    """Elements of the choice: of the branch taken, or of both where they are the same anyway."""
    picks = _elements(condition, shape, ctx)
    a = _elements(x, shape, ctx)
    b = _elements(y, shape, ctx)
    if picks is None:
        return a if a is not None and a == b else None
    result: list[Size] = []
    for index, pick in enumerate(picks):
        taken = (a if pick else b) if type(pick) is int else None
        if taken is not None:
            result.append(taken[index])
        elif type(pick) is not int and a is not None and b is not None and a[index] == b[index]:
            result.append(a[index])
        else:
            return None
    return tuple(result)


def _elements(value: Value, shape: tuple[Size, ...], ctx: Inference) -> tuple[Size, ...] | None:
    """Elements broadcast to the shape of the result."""
    data = ctx.data(value)
    return None if data is None else spread(data, value.shape, shape)


@KERNELS.register("Where")
def where_fold(node: Node, arrays: list[Any], ctx: Inference) -> Any:
    """Elements of x where the condition holds, else of y."""
    condition, x, y = arrays
    if x.dtype != y.dtype:
        return None
    shape: Any = broadcast_shapes(x.shape, y.shape)
    if shape is None or broadcast_shapes(condition.shape, shape) is None:
        return None
    result = np.asarray(np.where(condition, x, y))
    # onnxruntime may turn a -0.0 it picks into 0.0, depending on which operand is a scalar.
    if result.dtype.kind == "f" and (np.signbit(result) & (result == 0)).any():
        return None
    return result
