"""rewrite_expand_target: Expand to a computed shape becomes Expand to a constant one."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axes_of, made_by
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import is_same
from .catalog import declare

declare("rewrite_expand_target", "write the shape given to Expand as a constant with 1 for kept sizes")


@rewrites("rewrite_expand_target", root="Expand")
def constant_expand(node: Node, op: Builder) -> Value | Skip:
    """Expand(x, Concat(size of x's axis 0, 8)) -> Expand(x, [1, 8]).

    Exact: 1 keeps the size. Source: ONNX Expand-8.
    """
    x, target = node.input(0), node.input(1)
    if x is None or target is None or target.is_constant:
        return skip("the shape is a constant already")
    sizes = op.ctx.data(target)
    if sizes is None or x.shape is None:
        return skip("the elements of the shape, or the rank, are not known")
    written: list[int] = []
    for axis, size in enumerate(sizes):
        own = axis - len(sizes) + len(x.shape)
        if type(size) is int:
            written.append(size)
        elif own >= 0 and is_same(x.shape[own], size):
            written.append(1)
        else:
            return skip("the shape takes a size that x does not have on that axis")
    return op.like(node, [x, op.ints(written)])


@rewrites("rewrite_expand_target", root="Expand")
def expand_without_leading_axes(node: Node, op: Builder) -> Value | Skip:
    """Expand(Unsqueeze(x, leading axes), shape) -> Expand(x, shape): Expand puts leading axes in by itself.

    Exact. Source: ONNX Expand-8.
    """
    value, target = node.input(0), node.input(1)
    inner = made_by(value, "Unsqueeze")
    x = None if inner is None else inner.input(0)
    if value is None or inner is None or x is None or x.shape is None or value.shape is None or target is None:
        return skip("input is not made by an Unsqueeze of a value of known rank")
    if axes_of(inner, op.ctx, len(value.shape)) != tuple(range(len(value.shape) - len(x.shape))):
        return skip("the axes put in are not the leading ones")
    if target.shape is None or type(target.shape[0]) is not int or target.shape[0] < len(value.shape):
        return skip("the shape given does not have all the axes")
    return op.like(node, [x, target])
