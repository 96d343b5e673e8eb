"""eliminate_nop_concat: inputs that add nothing to a Concat, and the Concat of one input."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_concat", "remove Concat of one input, and empty inputs")


@rewrites("eliminate_nop_concat", root="Concat")
def drop_concat_of_one(node: Node, op: Builder) -> Value | Skip:
    """Concat(x) -> x.

    Exact. Source: ONNX Concat-1, -4.
    """
    x = node.input(0)
    return x if len(node.inputs) == 1 and x is not None else skip("there are several inputs")


@rewrites("eliminate_nop_concat", root="Concat")
def drop_empty_inputs(node: Node, op: Builder) -> Value | Skip:
    """Concat(x, empty, y) -> Concat(x, y), where empty has no elements along the axis.

    Exact: the other axes have the same sizes. Where nothing has elements, onnxruntime allows others too and takes those
    of the first input. Source: ONNX Concat-1, -4.
    """
    shape = node.outputs[0].shape
    axis = None if shape is None else axis_of(node, len(shape), 1 if op.opset < 4 else None)
    if axis is None or shape is None:
        return skip("the axis or a rank is unknown")
    kept = []
    for value in node.inputs:
        if value is None or value.shape is None or len(value.shape) != len(shape):
            return skip("the axis or a rank is unknown")
        size = value.shape[axis]
        if type(size) is not int or size != 0:
            kept.append(value)
        elif value.shape[:axis] + value.shape[axis + 1:] != shape[:axis] + shape[axis + 1:]:
            return skip("an empty input may have other sizes")
    if len(kept) == len(node.inputs) or not kept:
        return skip("no input is empty, or all are")
    return kept[0] if len(kept) == 1 else op.like(node, kept)
