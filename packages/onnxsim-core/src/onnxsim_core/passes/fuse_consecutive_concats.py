"""fuse_consecutive_concats: a Concat inside a Concat along the same axis."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import axis_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_concats", "join Concat of Concat along one axis")


@rewrites("fuse_consecutive_concats", root="Concat", after=("Concat",))
def flatten_concats(node: Node, op: Builder) -> Value | Skip:
    """Concat(a, Concat(b, c), d) -> Concat(a, b, c, d) when nobody else reads the inner one.

    Exact. Source: ONNX Concat-4.
    """
    shape = node.outputs[0].shape
    axis = None if shape is None else axis_of(node, len(shape), 1 if op.opset < 4 else None)
    if axis is None or shape is None:
        return skip("the axis or the rank is unknown")
    inputs: list[Value | None] = []
    for value in node.inputs:
        inner = None if value is None or not is_step(value) else value.producer("Concat")
        if inner is not None and axis_of(inner, len(shape), 1 if op.opset < 4 else None) == axis:
            inputs += inner.inputs
        else:
            inputs.append(value)
    return op.like(node, inputs) if len(inputs) > len(node.inputs) else skip("no input is such a Concat of its own")
