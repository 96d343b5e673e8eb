"""fuse_slice_squeeze: one element of an axis, cut out and stripped of the axis, is what Gather picks by a scalar."""

from __future__ import annotations

import numpy as np

from ..ir.dims import Size
from ..ir.dtypes import STRING
from ..ir.graph import Node, Value
from ..ops.axes import normalized
from ..ops.slicing import INT32_MAX, slice_range
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import axes_of, axis_of, made_by, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_slice_squeeze", "make Squeeze of a Slice or Split of one element a Gather")

MOST_PIECES = 16
"""Splits into more pieces than this stay: one node less in so many is no simpler."""
_STRINGS = "of a row of strings, onnxruntime gathers the first only"


@rewrites("fuse_slice_squeeze", root="Squeeze", after=("Slice",))
def gather_instead_of_slice(node: Node, op: Builder) -> Value | Skip:
    """Squeeze(Slice(x, i, i+1, axis=k), [k]) -> Gather(x, i, axis=k).

    Exact. Source: ONNX Slice-13, Gather-13.
    """
    value = node.input(0)
    inner = made_by(value, "Slice")
    x = None if inner is None else inner.input(0)
    if value is None or inner is None or x is None or x.shape is None or not is_step(value):
        return skip("input is not made by a Slice that is read here only")
    if x.dtype == STRING:
        return skip(_STRINGS)
    found = slice_parameters(inner, op.ctx)
    if found is None or len(found[0]) != 1:
        return skip("the Slice is not along one axis with known bounds")
    axis = normalized(found[2][0], len(x.shape))
    if axes_of(node, op.ctx, len(x.shape)) != (axis,):
        return skip("another axis is dropped")
    index = only_place(x.shape[axis], found[0][0], found[1][0], found[3][0])
    if index is None:
        return skip("the Slice may keep another number of elements than one")
    return op.node("Gather", [x, op.constant(np.array(index, np.int64))], axis=axis)[0]


def only_place(size: Size, start: int, end: int, step: int) -> int | None:
    """The index of the one element a slice keeps, whatever the size, or None when that is not certain."""
    if type(size) is int:
        places = slice_range(size, start, end, step)
        return places[0] if len(places) == 1 else None
    if step != 1:
        return None
    if end == start + 1 and end != 0 or start == -1 and end >= INT32_MAX:
        return start
    return None


@rewrites("fuse_slice_squeeze", root="Squeeze", after=("Split",))
def gather_instead_of_split(node: Node, op: Builder) -> Value | Skip:
    """Squeeze of each piece of Split(x, [1, 1, ..], axis=k) -> Gather(x, 0, axis=k), Gather(x, 1, axis=k), ...

    Exact. Source: ONNX Split-18, Gather-13.
    """
    value = node.input(0)
    inner = made_by(value, "Split")
    x = None if inner is None else inner.input(0)
    if value is None or inner is None or x is None or x.shape is None:
        return skip("input is not made by a Split")
    if x.dtype == STRING:
        return skip(_STRINGS)
    if len(inner.outputs) > MOST_PIECES:
        return skip("there are too many pieces")
    axis = axis_of(inner, len(x.shape), 0)
    if axis is None:
        return skip("input is not made by a Split")
    for piece in inner.outputs:
        if piece.shape is None or piece.shape[axis] != 1:
            return skip("a piece may be larger than one")
        reader = piece.only_use()
        if not piece.is_dead and (reader is None or reader.op_type != "Squeeze" or reader.graph is not inner.graph
                                  or axes_of(reader, op.ctx, len(x.shape)) != (axis,)):
            return skip("a piece is read otherwise than by Squeeze of that axis")
    return op.node("Gather", [x, op.constant(np.array(inner.outputs.index(value), np.int64))], axis=axis)[0]
