"""eliminate_nop_reshape: Reshape, Squeeze and Unsqueeze that keep the shape."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import made_by, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_reshape", "remove Reshape, Squeeze and Unsqueeze that keep the shape")


@rewrites("eliminate_nop_reshape", root=("Reshape", "Squeeze", "Unsqueeze"))
def drop_reshape(node: Node, op: Builder) -> Value | Skip:
    """Reshape(x, s) -> x when the result has the shape of x; Reshape(x, Shape(x)) -> x.

    Exact. Source: ONNX Reshape-5, -14, Squeeze-1, Unsqueeze-1.
    """
    x = node.input(0)
    if x is None:
        return skip("the input is missing")
    if same_shape(x, node.outputs[0]):
        return x
    if node.op_type == "Reshape":
        source = made_by(node.input(1), "Shape")
        if source is not None and source.input(0) is x and not source.attributes or _states(node, x, op):
            return x
    return skip("the shape changes or is not known")


def _states(node: Node, x: Value, op: Builder) -> bool:
    """Is the target the sizes of x, of which one that is unknown is what is left?

    What is known of the result may have another name for that size.
    """
    target = op.ctx.ints(node.input(1))
    if target is None or x.shape is None or len(target) != len(x.shape) or target.count(-1) != 1:
        return False
    return all(wanted == -1 or wanted == size and wanted > 0 for wanted, size in zip(target, x.shape))
