"""eliminate_nop_scatter: ScatterND that overwrites every element in order."""

from __future__ import annotations

import numpy as np

from ..ir.dims import Size, known_equal
from ..ir.graph import Node, Shape, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axes_of, axis_of, constant_array, made_by, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_scatter", "remove ScatterND that overwrites everything, as assigning to x[:, :] exports it")


@rewrites("eliminate_nop_scatter", root="ScatterND")
def take_updates(node: Node, op: Builder) -> Value | Skip:
    """ScatterND(x, all positions in order, updates) -> updates.

    The positions are a Concat of one grid per axis: Range along that axis, spread over the others.

    Exact. Source: ONNX ScatterND-18.
    """
    x, indices, updates = node.input(0), node.input(1), node.input(2)
    if x is None or updates is None or x.shape is None or not same_shape(x, updates):
        return skip("the updates do not have the shape of the whole")
    concat = made_by(indices, "Concat")
    rank = len(x.shape)
    if concat is None or len(concat.inputs) != rank or node.text("reduction", "none") != "none":
        return skip("the positions are not made axis by axis, or are added up")
    if axis_of(concat, rank + 1) != rank:
        return skip("the positions are not made axis by axis, or are added up")
    for axis, grid in enumerate(concat.inputs):
        if not _is_grid(grid, axis, x.shape, op):
            return skip("the positions may not be all, in order")
    return updates


def _is_grid(value: Value | None, axis: int, shape: Shape, op: Builder) -> bool:
    """Does it hold at each position its place along that axis, with one more axis of size 1 behind?"""
    unsqueeze = made_by(value, "Unsqueeze")
    if unsqueeze is None or axes_of(unsqueeze, op.ctx, len(shape) + 1) != (len(shape),):
        return False
    value = unsqueeze.input(0)
    if value is None or value.shape is None or not _spreads_to(value.shape, shape):
        return False
    places = len(shape) - axis
    while value is not None and value.shape is not None:
        own = value.shape
        size: Size = own[-places] if len(own) >= places else 1
        expand = None if value.is_constant else value.producer("Expand")
        if expand is not None:
            value = expand.input(0)
            continue
        others = [other for at, other in enumerate(own) if at != len(own) - places]
        return known_equal(size, shape[axis]) and all(other == 1 for other in others) and _counts(value, op)
    return False


def _spreads_to(own: Shape, shape: Shape) -> bool:
    return len(own) == len(shape) and all(known_equal(a, b) for a, b in zip(own, shape))


def _counts(value: Value, op: Builder) -> bool:
    """Are its elements 0, 1, 2, ... in order?"""
    for _ in range(3):
        node = value.node
        if node is None or value.is_constant:
            array = constant_array(value)
            return array is not None and bool((array.reshape(-1) == np.arange(array.size)).all())
        if node.domain or node.op_type not in ("Reshape", "Unsqueeze", "Squeeze", "Range"):
            return False
        if node.op_type == "Range":
            return op.ctx.ints(node.input(0)) == (0,) and op.ctx.ints(node.input(2)) == (1,)
        if node.input(0) is None:
            return False
        value = node.inputs[0]  # type: ignore[assignment]
    return False
