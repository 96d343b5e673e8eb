"""eliminate_concat_of_pieces: a value cut into pieces and put together again."""

from __future__ import annotations

from ..ir.dims import Size
from ..ir.graph import Node, Value
from ..ops.axes import normalized
from ..ops.slicing import INT32_MAX, slice_range
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import axis_of, made_by, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_concat_of_pieces", "join neighbouring Slices in a Concat; drop Concat of Split")


@rewrites("eliminate_concat_of_pieces", root="Concat", after=("Split",))
def join_split(node: Node, op: Builder) -> Value | Skip:
    """Concat(Split(x)) along one axis, all pieces in order -> x.

    Exact. Source: ONNX Concat-13, Split-13.
    """
    split = made_by(node.input(0), "Split")
    x = None if split is None else split.input(0)
    if split is None or x is None or x.shape is None or node.inputs != split.outputs:
        return skip("the inputs are not all the pieces of one Split, in order")
    if axis_of(split, len(x.shape), 0) != axis_of(node, len(x.shape)):
        return skip("the axes differ")
    return x


@rewrites("eliminate_concat_of_pieces", root="Concat", after=("Slice",))
def join_slices(node: Node, op: Builder) -> Value | Skip:
    """Concat(x[:i], x[i:j], y) -> Concat(x[:j], y); x when the Slices cover it.

    Exact. Source: ONNX Concat-13, Slice-13.
    """
    shape = node.outputs[0].shape
    axis = None if shape is None else axis_of(node, len(shape))
    if axis is None:
        return skip("the axis or the rank is unknown")
    runs: list[tuple[Value | None, int, int, list[Value | None]]] = []
    for value in node.inputs:
        source, start, end = _piece(value, axis, op)
        if runs and source is not None and runs[-1][0] is source and runs[-1][2] == start:
            runs[-1] = (source, runs[-1][1], end, [*runs[-1][3], value])
        else:
            runs.append((source, start, end, [value]))
    if len(runs) == len(node.inputs):
        return skip("no two inputs are neighbouring Slices")
    made: list[Value | None] = []
    for source, start, end, pieces in runs:
        joined = pieces[0]
        if len(pieces) > 1 and source is not None and source.shape is not None:
            if _covers(source.shape[axis], start, end):
                joined = source
            elif all(piece is not None and is_step(piece) for piece in pieces):
                joined = forms.slices(op, source, [start], [end], [axis])
            else:
                return skip("a Slice is read elsewhere too")
        made.append(joined)
    return made[0] if len(made) == 1 and made[0] is not None else op.like(node, made)


def _piece(value: Value | None, axis: int, op: Builder) -> tuple[Value | None, int, int]:
    """(source, start, end) of a Slice along that axis alone with bounds that are certain to lie in order."""
    inner = made_by(value, "Slice")
    source = None if inner is None else inner.input(0)
    found = None if inner is None else slice_parameters(inner, op.ctx)
    if found is None or source is None or source.shape is None or len(found[0]) != 1 or found[3] != (1,):
        return None, 0, 0
    if normalized(found[2][0], len(source.shape)) != axis:
        return None, 0, 0
    size = source.shape[axis]
    if type(size) is int:
        places = slice_range(size, found[0][0], found[1][0], 1)
        return source, places.start, max(places.start, places.stop)
    start, end = found[0][0], found[1][0]
    # Of an axis of unknown size only x[:i], x[i:] are sure to be neighbours whatever it is.
    return (source, start, min(end, INT32_MAX)) if 0 <= start <= end else (None, 0, 0)


def _covers(size: Size, start: int, end: int) -> bool:
    return start == 0 and (end >= INT32_MAX or type(size) is int and end >= size)
