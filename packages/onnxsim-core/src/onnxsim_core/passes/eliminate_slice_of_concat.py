"""eliminate_slice_of_concat: what is cut out of a Concat comes from one of its inputs."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..ops.axes import normalized
from ..ops.slicing import slice_range
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of, made_by, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_slice_of_concat", "take Slice and Split of a Concat from its inputs")


@rewrites("eliminate_slice_of_concat", root="Slice", after=("Concat",))
def slice_of_input(node: Node, op: Builder) -> Value | Skip:
    """Slice(Concat(a, b), ..) -> b, or a Slice of b, when it keeps elements of b alone.

    Exact. Source: ONNX Concat-13, Slice-13.
    """
    concat = made_by(node.input(0), "Concat")
    found = None if concat is None else slice_parameters(node, op.ctx)
    whole = None if concat is None else concat.outputs[0].shape
    if concat is None or found is None or whole is None or len(found[0]) != 1 or found[3] != (1,):
        return skip("input is not made by a Concat, or the Slice is not along one axis with known bounds")
    axis = axis_of(concat, len(whole))
    total = None if axis is None or normalized(found[2][0], len(whole)) != axis else whole[axis]
    if axis is None or type(total) is not int:
        return skip("it cuts along another axis, or the size is unknown")
    places = slice_range(total, found[0][0], found[1][0], 1)
    start = 0
    for value in concat.inputs:
        size = value.shape[axis] if value is not None and value.shape is not None else None
        if type(size) is not int:
            break
        if start <= places.start < start + size:
            if places.stop > start + size or not places:
                break
            if len(places) == size:
                return value  # type: ignore[return-value]
            if not concat.outputs[0].is_used_once:
                break
            first = places.start - start
            made = forms.slices(op, value, [first], [first + len(places)], [axis])  # type: ignore[arg-type]
            return made if made is not None else skip("it cuts across inputs")
        start += size
    return skip("it cuts across inputs")


@rewrites("eliminate_slice_of_concat", root="Split", after=("Concat",))
def split_into_inputs(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Split(Concat(a, b)) -> a, b when the pieces are as large.

    Exact. Source: ONNX Concat-13, Split-13.
    """
    concat = made_by(node.input(0), "Concat")
    whole = None if concat is None else concat.outputs[0].shape
    if concat is None or whole is None or len(concat.inputs) != len(node.outputs):
        return skip("input is not made by a Concat of as many values")
    axis = axis_of(concat, len(whole))
    if axis is None or axis_of(node, len(whole), 0) != axis:
        return skip("the axes differ")
    for value, piece in zip(concat.inputs, node.outputs):
        if value is None or value.shape is None or piece.shape is None or type(piece.shape[axis]) is not int \
                or value.shape[axis] != piece.shape[axis]:
            return skip("the sizes differ or are not known")
    return tuple(concat.inputs)  # type: ignore[arg-type]
