"""explicit_split_sizes: a Split into equal pieces states their sizes; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("explicit_split_sizes", "write the sizes of the pieces of a Split out", default=False)


@rewrites("explicit_split_sizes", root="Split")
def stated_sizes(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Split<num_outputs=2>(x) -> Split(x, [3, 3]).

    Exact. Source: ONNX Split-2, -13 (sizes are an input), -18 (num_outputs; the last piece may be smaller).
    """
    x = node.input(0)
    if node.input(1) is not None or node.attribute("split") is not None:
        return skip("the sizes are stated")
    axis = None if x is None or x.shape is None else axis_of(node, len(x.shape), 0)
    size = None if axis is None else x.shape[axis]  # type: ignore[union-attr,index]
    if type(size) is not int:
        return skip("the size is not known")
    count = len(node.outputs)
    piece = -(-size // count)
    sizes = [piece] * (count - 1) + [size - piece * (count - 1)]
    if sizes[-1] < 0 or op.opset < 18 and sizes[-1] != piece:
        return skip("the pieces are not equal")
    attributes = {**node.attributes, "num_outputs": None}
    if op.opset >= 13:
        return op.node("Split", [x, op.ints(sizes)], name=node.name, outputs=count, proto=node.proto, **attributes)
    return op.node("Split", [x], name=node.name, outputs=count, proto=node.proto, **{**attributes, "split": sizes})
