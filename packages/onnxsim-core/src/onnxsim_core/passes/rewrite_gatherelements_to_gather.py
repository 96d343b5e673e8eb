"""rewrite_gatherelements_to_gather: a GatherElements that takes whole slices is a Gather; on request."""

from __future__ import annotations

import numpy as np

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import axis_of, constant_array, is_static
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_gatherelements_to_gather", "make a GatherElements that takes whole slices a Gather", default=False)


@rewrites("rewrite_gatherelements_to_gather", root="GatherElements")
def gather_of_slices(node: Node, op: Builder) -> Value | Skip:
    """GatherElements(x, i) -> Gather(x, i[0, .., :, .., 0]) when constant indices depend on the axis alone.

    Exact. Source: ONNX GatherElements-13, Gather-13.
    """
    x, indices = node.input(0), node.input(1)
    if x is None or x.shape is None or not is_static(x.shape) or indices is None or indices.shape is None:
        return skip("the sizes are not known")
    axis = axis_of(node, len(x.shape), 0)
    others = [place for place in range(len(x.shape)) if place != axis]
    if axis is None or len(indices.shape) != len(x.shape) or any(indices.shape[o] != x.shape[o] for o in others):
        return skip("it does not take whole slices")
    array = constant_array(indices)
    if array is None or not array.size:
        return skip("the indices are not known")
    line = array[tuple(slice(None) if place == axis else slice(1) for place in range(array.ndim))]
    if not np.array_equal(array, np.broadcast_to(line, array.shape)):
        return skip("it does not take whole slices")
    made: Value = op.Gather(x, op.constant(line.reshape(-1)), axis=axis)
    return made
