"""rewrite_implicit_broadcast: operands are spread before an elementwise operator; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.carrying import BROADCAST
from ..rewrite.match import is_static
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_implicit_broadcast", "let Expand spread operands, for targets that do not broadcast", default=False,
        instead_of=("eliminate_expand_before_broadcast", "adjust_expand_order"))

_ROOTS = tuple(sorted(BROADCAST - {"PRelu"}))


@rewrites("rewrite_implicit_broadcast", root=_ROOTS, since=8)
def operands_of_one_shape(node: Node, op: Builder) -> Value | Skip:
    """Add(x, y) -> Add(x, Expand(y, shape of the result)) where y is smaller than the result, whose sizes are known.

    Exact. Source: ONNX Expand-8, "Multidirectional broadcasting".
    """
    shape = node.outputs[0].shape
    if shape is None or not is_static(shape):
        return skip("the sizes of the result are not known")
    inputs = list(node.inputs)
    for place, value in enumerate(inputs):
        if value is None or value.shape is None:
            return skip("an operand's shape is not known")
        if value.shape != shape:
            inputs[place] = op.Expand(value, op.ints(shape))  # type: ignore[arg-type]
    if inputs == node.inputs:
        return skip("all operands have the shape of the result")
    return op.like(node, inputs)
