"""eliminate_nop_slice: Slice that keeps everything."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import same_shape, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_slice", "remove Slice that keeps everything in order")


@rewrites("eliminate_nop_slice", root="Slice")
def drop_slice(node: Node, op: Builder) -> Value | Skip:
    """Slice(x, 0, end) -> x when the result has the shape of x and no step is negative; also x[0:huge] of any shape.

    Exact. Source: ONNX Slice-1, -10, -13.
    """
    x = node.inputs[0]
    if x is None:
        return skip("the input is missing")
    found = slice_parameters(node, op.ctx)
    if found is None:
        return _by_shape(node, x, op)
    starts, ends, _, steps = found
    if any(step < 0 for step in steps):
        return skip("it goes backwards")
    if same_shape(x, node.outputs[0]):
        return x
    for start, end, step in zip(starts, ends, steps):
        if start or step != 1 or end < 2**31 - 1:
            return skip("the shape changes or is not known")
    return x


def _by_shape(node: Node, x: Value, op: Builder) -> Value | Skip:
    """Parameters that are no numbers: the shapes must agree, and the steps be absent."""
    if node.input(4) is not None or not same_shape(x, node.outputs[0]):
        return skip("the parameters are not known")
    return x
