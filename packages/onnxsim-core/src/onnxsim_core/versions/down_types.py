"""Downwards: operators that were made for floats alone, and one that did not exist, said with comparisons and Where."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import is_int, numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, skip
from .steps import down, rank_of


@down("Max", "Min", at=12)
def compare_integers(node: Node, op: Builder) -> Value | None:
    """Max(a, b) of integers -> Where(Less(a, b), b, a).  Source: ONNX Max-8 and -12, Less-9, Where-9."""
    first = node.inputs[0]
    if first is None or not is_int(first.dtype):
        return None
    value = first
    for other in node.inputs[1:]:
        value = larger(op, value, other, node.op_type == "Max")
    result: Value = op.Identity(value) if value is first else value
    return result


@down("Clip", at=12)
def clip_integers(node: Node, op: Builder) -> Value | None:
    """Clip(x, min, max) of integers -> two comparisons.  Source: ONNX Clip-11 and -12, Less-9, Where-9."""
    x = node.inputs[0]
    if x is None or not is_int(x.dtype):
        return None
    value = x
    for bound, is_lower in ((node.input(1), True), (node.input(2), False)):
        if bound is not None:
            value = larger(op, value, bound, is_lower)
    result: Value = op.Identity(x) if value is x else value
    return result


def larger(op: Builder, a: Any, b: Any, is_max: bool) -> Value:
    """The larger (or smaller) of two integer values, element by element."""
    result: Value = op.Where(op.Less(a, b) if is_max else op.Less(b, a), b, a)
    return result


@down("Trilu", at=14)
def keep_a_triangle(node: Node, op: Builder) -> Value | Skip:
    """Trilu(x, k) -> Where(column - row >= k, x, 0), or <= k for the lower triangle.  Source: ONNX Trilu-14."""
    import numpy as np

    x, rank = node.inputs[0], rank_of(node.inputs[0])
    if x is None or rank is None or rank < 2 or not x.dtype or not numpy_dtype(x.dtype).isbuiltin:
        return skip("the type or the rank of input 0 is unknown")
    assert x.shape is not None
    zero = op.constant(np.zeros((), numpy_dtype(x.dtype)))
    offset, upper = op.ctx.scalar(node.input(1)), node.attribute("upper", 1)
    height, width = x.shape[-2:]
    if type(height) is int and type(width) is int and (offset is not None or node.input(1) is None):
        ones = np.ones((height, width), np.bool_)
        kept = op.constant(np.triu(ones, int(offset or 0)) if upper else np.tril(ones, int(offset or 0)))
        result: Value = op.Where(kept, x, zero)
        return result
    distance = op.Sub(_counted(op, x, rank - 1, 0), _counted(op, x, rank - 2, 1))
    bound = node.input(1) if node.input(1) is not None else op.constant(np.array(0, np.int64))
    gone = op.Less(distance, bound) if upper else op.Greater(distance, bound)
    result = op.Where(gone, zero, x)
    return result


def _counted(op: Builder, x: Value, axis: int, new_axis: int) -> Value:
    """0, 1, .. up to the size of an axis, as a row (new axis 0) or a column (new axis 1)."""
    import numpy as np

    shape = op.Shape(x)
    size = op.Gather(shape, op.constant(np.array(axis, np.int64)), axis=0)
    count = op.Range(op.constant(np.array(0, np.int64)), size, op.constant(np.array(1, np.int64)))
    result: Value = op.Unsqueeze(count, op.ints([new_axis]))
    return result


@down("Constant", at=12)
def hold_a_tensor(node: Node, op: Builder) -> Value | None:
    """Constant<value_float=0.5> -> a constant.  Source: ONNX Constant-11 and -12."""
    import numpy as np

    for name, value in node.attributes.items():
        if name in ("value_int", "value_ints"):
            return op.constant(np.array(value, np.int64))
        if name in ("value_float", "value_floats"):
            return op.constant(np.array(value, np.float32))
    return None
