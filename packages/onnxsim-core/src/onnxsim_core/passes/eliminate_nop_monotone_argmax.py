"""eliminate_nop_monotone_argmax: what does not change which element is the largest."""

from __future__ import annotations

from ..ir import dtypes
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare
from .fuse_consecutive_casts import is_lossless

declare("eliminate_nop_monotone_argmax", "remove a widening Cast before ArgMax and ArgMin")

_COMPARED = frozenset({dtypes.FLOAT, dtypes.DOUBLE, dtypes.INT32, dtypes.INT64, dtypes.INT8, dtypes.UINT8})


@rewrites("eliminate_nop_monotone_argmax", root=("ArgMax", "ArgMin"))
def drop_cast_before_argmax(node: Node, op: Builder) -> Value | Skip:
    """ArgMax(Cast(x)) -> ArgMax(x) when the Cast loses nothing.

    Exact: equal elements stay equal and unequal ones keep their order. Functions like Sqrt or Exp do not qualify: they
    overflow, underflow, or give NaN, and then other elements are the largest. Source: ONNX ArgMax-13.
    """
    x = node.input(0)
    cast = None if x is None else x.producer("Cast")
    source = None if cast is None else cast.input(0)
    if x is None or source is None:
        return skip("input is not made by a Cast")
    if source.dtype not in _COMPARED or not is_lossless(source.dtype, x.dtype):
        return skip("the Cast may make elements equal, or its input's type cannot be compared")
    return op.like(node, [source])
