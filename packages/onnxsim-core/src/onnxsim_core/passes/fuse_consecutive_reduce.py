"""fuse_consecutive_reduce: a reduction of the same reduction over other axes becomes one."""

from __future__ import annotations

from ..ir.dtypes import BFLOAT16, DOUBLE, FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.forms import reduce
from ..rewrite.match import axes_of, raw_axes
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_reduce", "make a reduction of the same reduction over other axes one")

_OF_ALL = ("ReduceMax", "ReduceMin", "ReduceSum")
_OF_INTEGERS = ("ReduceProd",)
_OF_FLOATS = ("ReduceMean", "ReduceL1", "ReduceL2", "ReduceLogSumExp")
_FLOATS = (FLOAT, DOUBLE, FLOAT16, BFLOAT16)


@rewrites("fuse_consecutive_reduce", root=_OF_ALL + _OF_INTEGERS + _OF_FLOATS)
def one_reduction(node: Node, op: Builder) -> Value | Skip:
    """Reduce(Reduce(x, a), b) -> Reduce(x, a and b).

    For max, min and sum, the product of integers, and the mean, norms and log-sum-exp of floats.

    Numerics: exact for max, min and integers (sums and products wrap the same way); other floats are summed in another
        order and round once less.
    Source: ONNX ReduceSum-13, ReduceMean-18.
    """
    x = node.inputs[0]
    inner = None if x is None else x.producer(node.op_type)
    if x is None or inner is None:
        return skip("the input is not made by the same reduction")
    if not x.is_used_once or inner.graph is not node.graph:
        return skip("the first reduction has other readers")
    source = inner.inputs[0]
    if source is None or source.shape is None:
        return skip("the rank is not known")
    is_float = source.dtype in _FLOATS
    if node.op_type in _OF_FLOATS and not is_float:
        return skip("integers are rounded in between")
    if node.op_type in _OF_INTEGERS and is_float:
        return skip("a product in between could overflow or vanish")
    rank = len(source.shape)
    kept, kept_then = inner.attribute("keepdims", 1), node.attribute("keepdims", 1)
    first = _axes(inner, op, rank)
    then = _axes(node, op, rank if kept else rank - len(first or ()))
    if first is None or then is None:
        return skip("the axes are not known")
    if not kept:
        left = [axis for axis in range(rank) if axis not in first]
        then = tuple(left[axis] for axis in then)
    axes = tuple(sorted({*first, *then}))
    if kept != kept_then and not (kept and set(first) <= set(then)):
        return skip("one keeps the reduced axes and the other does not")
    return reduce(op, node.op_type, source, axes, kept_then)


def _axes(node: Node, op: Builder, rank: int) -> tuple[int, ...] | None:
    if raw_axes(node, op.ctx) is None:
        return tuple(range(rank)) if not node.attribute("noop_with_empty_axes", 0) else None
    axes = axes_of(node, op.ctx, rank)
    return axes or None
