"""fuse_concat_into_reshape: Reshape to a computed target becomes Reshape to a constant one."""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.dims import Size, is_positive
from ..ir.graph import Node, Shape, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import constant_target, is_same
from .catalog import declare

declare("fuse_concat_into_reshape", "write the target of a Reshape as a constant with 0 for kept sizes and one -1")


@rewrites("fuse_concat_into_reshape", root="Reshape")
def constant_reshape(node: Node, op: Builder) -> Value | Skip:
    """Reshape(x, Concat(size of x's axis 0, 8, -1)) -> Reshape(x, [0, 8, -1]).

    Exact, also for empty tensors: 0 stands where x has that size on the same axis, and a -1 that was not there before
    only next to sizes that cannot be 0. Source: ONNX Reshape-5, -14; onnxruntime rejects -1 where the rest is 0.
    """
    x, target = node.input(0), node.input(1)
    if x is None or target is None or target.tensor is not None:
        return skip("the target is a constant already")
    sizes = op.ctx.data(target)
    if sizes is None:
        return skip("the elements of the target are not known")
    if all(type(size) is int for size in sizes):
        return skip("all elements are numbers: that is for folding")
    if node.attribute("allowzero", 0):
        if any(type(size) is int and size == 0 for size in sizes):
            return skip("allowzero makes a 0 in the target a size")
    written = rewritten(x.shape, sizes, node.outputs[0].shape)
    if written is None:
        return skip("the target takes more than kept sizes and one -1")
    return op.like(node, [x, op.ints(written)], allowzero=None)


def rewritten(source: Shape | None, sizes: Sequence[Size], result: Shape | None) -> list[int] | None:
    """The target with its symbolic elements written as 0 or -1, or None.

    Where the target has a -1 of its own, it may move to another element if the size it stands for can be written.
    """
    target: list[int] = []
    left: list[int] = []
    own = -1
    for axis, size in enumerate(sizes):
        if type(size) is int:
            if size == 0 and source is not None and axis >= len(source):
                return None
            target.append(size)
            if size == -1:
                own = axis
        elif source is not None and axis < len(source) and is_same(source[axis], size):
            target.append(0)
        else:
            target.append(-1)
            left.append(axis)
    if not left:
        return target
    if own < 0 and len(left) == 1:
        return target if _divides(target, source) else None
    if result is None or len(result) != len(sizes):
        return None
    return constant_target(source, result)


def _divides(target: list[int], source: Shape | None) -> bool:
    """Can the elements next to the -1 not be 0, so that it can be worked out?"""
    for axis, element in enumerate(target):
        if element == 0 and not (source is not None and axis < len(source) and is_positive(source[axis])):
            return False
    return True
