"""maxpool_rowmajor_when_indices_unused: the order of indices nobody reads does not matter; on request."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("maxpool_rowmajor_when_indices_unused", "drop unread indices of a MaxPool and the order they have",
        default=False)


@rewrites("maxpool_rowmajor_when_indices_unused", root="MaxPool", since=8)
def pool_without_indices(node: Node, op: Builder) -> Value | Skip:
    """MaxPool<storage_order=1>(x) -> MaxPool(x) when nobody reads where the largest elements are.

    Exact. Source: ONNX MaxPool-8, storage_order.
    """
    if len(node.outputs) < 2 and not node.attribute("storage_order", 0):
        return skip("it has no indices, and no order for them")
    if len(node.outputs) > 1 and not node.outputs[1].is_dead:
        return skip("the indices are read")
    return op.node("MaxPool", node.inputs, name=node.name, proto=node.proto,
                   **{**node.attributes, "storage_order": None})[0]
