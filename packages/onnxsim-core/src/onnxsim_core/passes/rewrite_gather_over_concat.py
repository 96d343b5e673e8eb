"""rewrite_gather_over_concat: what a Gather takes from one input of a Concat comes from there; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of, constant_array, made_by
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_gather_over_concat", "take what a Gather takes from one input of a Concat from that input",
        default=False)


@rewrites("rewrite_gather_over_concat", root="Gather")
def gather_of_input(node: Node, op: Builder) -> Value | Skip:
    """Gather(Concat(a, b), constant i) -> Gather(b, i - size of a) when all that is taken lies in b.

    Exact. Source: ONNX Concat-13, Gather-13 (negative indices count from the end).
    """
    concat = made_by(node.input(0), "Concat")
    whole = None if concat is None else concat.outputs[0].shape
    if concat is None or whole is None:
        return skip("the input is not made by a Concat")
    axis = axis_of(concat, len(whole))
    if axis is None or axis_of(node, len(whole), 0) != axis:
        return skip("the axes differ")
    indices = constant_array(node.input(1))
    if indices is None or not indices.size:
        return skip("the indices are not known")
    sizes = [None if part is None or part.shape is None else part.shape[axis] for part in concat.inputs]
    total = whole[axis]
    if indices.min() < 0:
        if type(total) is not int:
            return skip("an index counts from the end of an unknown size")
        indices = indices + (indices < 0) * indices.dtype.type(total)
    start = 0
    for part, size in zip(concat.inputs, sizes):
        if type(size) is not int or part is None:
            break
        if start <= indices.min() and indices.max() < start + size:
            return op.like(node, [part, op.constant(indices - indices.dtype.type(start))])
        start += size
    return skip("it takes from several inputs, or from one whose place is not known")
