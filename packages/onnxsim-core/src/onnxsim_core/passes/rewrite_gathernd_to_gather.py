"""rewrite_gathernd_to_gather: a GatherND by one coordinate is a Gather; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_gathernd_to_gather", "make a GatherND by one coordinate a Gather", default=False)


@rewrites("rewrite_gathernd_to_gather", root="GatherND", since=11)
def gather_by_one_coordinate(node: Node, op: Builder) -> Value | Skip:
    """GatherND(x, [.., 1] indices) -> Gather<axis=0>(x, [..] indices).

    Exact. Source: ONNX GatherND-12, Gather-11 (negative indices).
    """
    x, indices = node.input(0), node.input(1)
    if x is None or indices is None or indices.shape is None or not indices.shape or indices.shape[-1] != 1:
        return skip("there is not one coordinate")
    if node.attribute("batch_dims", 0):
        return skip("it gathers within a batch")
    shape = indices.shape[:-1]
    if indices.is_constant:
        flat = op.constant(indices.tensor.reshaped(shape), indices.name)  # type: ignore[union-attr,arg-type]
    else:
        flat = forms.squeeze(op, indices, [len(shape)])
    made: Value = op.Gather(x, flat, axis=0)
    return made
