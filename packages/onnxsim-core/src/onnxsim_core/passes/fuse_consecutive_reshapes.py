"""fuse_consecutive_reshapes: Reshape, Flatten, Squeeze and Unsqueeze in a row are one Reshape."""

from __future__ import annotations

from ..ir.graph import Node, Shape, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import same_sizes
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import constant_target, is_same
from .catalog import declare

declare("fuse_consecutive_reshapes", "join Reshape, Flatten, Squeeze and Unsqueeze in a row")

FAMILY = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})


@rewrites("fuse_consecutive_reshapes", root=("Reshape", "Flatten", "Squeeze", "Unsqueeze"), after=FAMILY)
def compose_reshapes(node: Node, op: Builder) -> Value | Skip:
    """Reshape(Reshape(x, s), t) -> Reshape(x, t), or x when it has that shape; Flatten, Squeeze, Unsqueeze alike.

    Exact. Source: ONNX Reshape-14, Flatten-13, Squeeze-13, Unsqueeze-13: all keep the elements in order.
    """
    middle = node.input(0)
    inner = None if middle is None else middle.node
    if middle is None or inner is None or inner.domain or inner.op_type not in FAMILY:
        return skip("input is not made by an operator of the family")
    if "Reshape" not in (inner.op_type, node.op_type) and "Flatten" not in (inner.op_type, node.op_type):
        return skip("both are Squeeze or Unsqueeze")
    x = inner.input(0)
    result = node.outputs[0].shape
    if x is None or op.opset < 5:
        return skip("Reshape has no target input before opset 5")
    if result is not None and x.shape is not None and same_sizes(result, x.shape):
        return x
    axis = flattens(x.shape, result) if node.op_type == "Flatten" and x.shape is not None else 0
    if axis:
        return op.like(node, [x], axis=axis)
    target = None if result is None else constant_target(x.shape, result)
    if target is None and node.op_type == "Reshape":
        target = _same_target(node, op, x.shape, middle.shape)
    if target is None:
        return skip("the target cannot be written as a constant")
    return forms.reshape(op, x, target)


def flattens(shape: Shape, result: Shape | None) -> int:
    """The axis, if any, at which Flatten cuts the shape to give the result; 0 for none."""
    from ..ops.axes import numel

    if result is None or len(result) != 2:
        return 0
    for axis in range(1, len(shape)):
        if is_same(numel(shape[:axis]), result[0]) and is_same(numel(shape[axis:]), result[1]):
            return axis
    return 0


def _same_target(node: Node, op: Builder, source: Shape | None, middle: Shape | None) -> list[int] | None:
    """The constant target the node has, if it means the same for the inner node's input."""
    elements = op.ctx.ints(node.input(1))
    if elements is None or node.attribute("allowzero", 0):
        return None
    for axis, element in enumerate(elements):
        if element == 0:
            if source is None or middle is None or axis >= len(source) or axis >= len(middle):
                return None
            if not is_same(source[axis], middle[axis]):
                return None
    return list(elements)
