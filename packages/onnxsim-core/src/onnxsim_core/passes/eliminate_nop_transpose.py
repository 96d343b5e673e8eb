"""eliminate_nop_transpose: Transpose that leaves every element where it is."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import permutation, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_transpose", "remove Transpose that moves nothing")


@rewrites("eliminate_nop_transpose", root="Transpose")
def drop_transpose(node: Node, op: Builder) -> Value | Skip:
    """Transpose(x, [0, 1, ..]) -> x, also when only axes of size 1 trade places.

    Exact. Source: ONNX Transpose-1.
    """
    x = node.input(0)
    perm = permutation(node)
    if x is None or perm is None:
        return skip("a perm is left to its default and the rank is unknown")
    if perm == tuple(range(len(perm))):
        return x
    if not keeps_order(perm, x) or not same_shape(x, node.outputs[0]):
        return skip("it moves elements")
    return x


def keeps_order(perm: tuple[int, ...], x: Value) -> bool:
    """Do the axes that can hold more than one element stay in order? Then the Transpose is but a Reshape."""
    shape = x.shape
    if shape is None:
        return False
    last = -1
    for axis in perm:
        size = shape[axis]
        if type(size) is int and size == 1:
            continue
        if axis < last:
            return False
        last = axis
    return True
