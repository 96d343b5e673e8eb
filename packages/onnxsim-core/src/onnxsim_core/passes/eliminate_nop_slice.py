"""eliminate_nop_slice: Slice that keeps everything."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..ops.slicing import INT32_MAX
from ..rewrite.builder import Builder
from ..rewrite.match import same_shape, slice_parameters
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_slice", "remove Slice that keeps everything in order")


@rewrites("eliminate_nop_slice", root="Slice")
def drop_slice(node: Node, op: Builder) -> Value | Skip:
    """Slice(x, ..) -> x when the result has the shape of x and no step is negative; also x[0:huge] of any shape.

    Exact. Source: ONNX Slice-1, -10, -13.
    """
    x = node.input(0)
    if x is None:
        return skip("the input is missing")
    steps = (1,) if node.input(4) is None else op.ctx.ints(node.input(4))
    if steps is None or any(step < 0 for step in steps):
        return skip("it may go backwards")
    if same_shape(x, node.outputs[0]):
        return x
    found = slice_parameters(node, op.ctx)
    if found is None:
        return skip("the shape changes or is not known")
    for start, end, step in zip(found[0], found[1], found[3]):
        if start or step != 1 or end < INT32_MAX:
            return skip("the shape changes or is not known")
    return x
