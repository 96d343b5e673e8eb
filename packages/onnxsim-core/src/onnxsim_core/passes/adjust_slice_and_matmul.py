"""adjust_slice_and_matmul: rows are cut out before they are multiplied; off by default."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("adjust_slice_and_matmul", "cut rows out before a MatMul, not after; off: it removes no node", default=False)


@rewrites("adjust_slice_and_matmul", root="Slice")
def product_of_slice(node: Node, op: Builder) -> Value | Skip:
    """Slice(MatMul(x, W), rows) -> MatMul(Slice(x, rows), W) for a matrix W and axes of x that are not multiplied.

    Exact: the rows that are left are the same products.
    Source: ONNX Slice-10, -13, MatMul-13.
    """
    product = node.inputs[0]
    matmul = None if product is None else product.producer("MatMul")
    if product is None or matmul is None:
        return skip("the input is not made by a MatMul")
    if not product.is_used_once or matmul.graph is not node.graph:
        return skip("the product has other readers")
    x, weight = matmul.inputs
    if x is None or weight is None or x.shape is None or len(x.shape) < 2 or len(weight.shape or ()) != 2:
        return skip("the second factor is no matrix")
    rank = len(x.shape)
    axes = node.attribute("axes") if op.opset < 10 else op.ctx.ints(node.input(3))
    if type(axes) is not tuple or any((axis + rank if axis < 0 else axis) >= rank - 1 for axis in axes):
        return skip("it cuts columns, or axes that are not known")
    rows = op.like(node, [x, *node.inputs[1:]])
    return op.like(matmul, [rows, weight])
