"""eliminate_shape_op: the Shape of what is computed for its shape alone is taken from what it is computed from."""

from __future__ import annotations

from ..ir.dtypes import BFLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.carrying import UNARY
from ..rewrite.match import same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_shape_op", "take the Shape of an earlier value where the later one is computed for nothing else")


@rewrites("eliminate_shape_op", root=("Shape", "Size"))
def shape_of_input(node: Node, op: Builder) -> Value | Skip:
    """Shape(f(x)) -> Shape(x) when f(x) has the shape of x and nobody else reads it, so that f goes.

    Exact. Source: ONNX Shape-1.
    """
    value = node.input(0)
    if value is None or value.node is None or not value.is_used_once or len(value.node.outputs) != 1:
        return skip("the value is read by others")
    first = value.node.input(0)
    if first is not None and first.tensor is None and not value.node.domain and value.node.op_type in UNARY:
        return op.like(node, [first]) if takes(node, first) else skip("onnxruntime may have no Size of that type")
    for source in value.node.inputs:
        if source is not None and source.tensor is None and same_shape(source, value) and takes(node, source):
            return op.like(node, [source])
    return skip("no input of its producer has the same shape")


def takes(node: Node, source: Value) -> bool:
    """Is there a kernel for the type? onnxruntime has no Size of the narrow floats and integers, which a Cast reads."""
    return node.op_type == "Shape" or 0 < source.dtype <= BFLOAT16
