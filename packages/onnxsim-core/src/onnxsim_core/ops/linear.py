"""Matrix products: MatMul, Gemm and their quantised forms."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import INT32
from ..ir.graph import Node
from .broadcasting import Shape, broadcast_shapes
from .registry import SHAPES


def product_shape(a: Shape, b: Shape) -> Shape | None:
    """Shape of numpy's matmul: 1-D operands gain an axis that the result loses; leading axes broadcast."""
    if not a or not b:
        return None
    lead_a, lead_b = a[:-2], b[:-2]
    lead = lead_a if lead_a == lead_b else broadcast_shapes(lead_a, lead_b)
    if lead is None:
        return None
    if len(a) > 1:
        lead += (a[-2],)
    if len(b) > 1:
        lead += (b[-1],)
    return lead


@SHAPES.register("MatMul")
def matmul_shape(node: Node, ctx: Any) -> None:
    """[.., m, k] @ [.., k, n] -> [.., m, n].  Source: numpy.matmul."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    shape = None if a.shape is None or b.shape is None else product_shape(a.shape, b.shape)
    ctx.set(node.outputs[0], a.dtype or b.dtype, shape)


@SHAPES.register("MatMulInteger")
def matmul_integer_shape(node: Node, ctx: Any) -> None:
    """MatMul of 8-bit integers, int32 result."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    shape = None if a.shape is None or b.shape is None else product_shape(a.shape, b.shape)
    ctx.set(node.outputs[0], INT32, shape)


@SHAPES.register("QLinearMatMul")
def qlinear_matmul_shape(node: Node, ctx: Any) -> None:
    """MatMul of inputs 0 and 3, with the type of the output's zero point."""
    a, b, zero = node.input(0), node.input(3), node.input(7)
    if a is None or b is None or zero is None or not node.outputs:
        return
    shape = None if a.shape is None or b.shape is None else product_shape(a.shape, b.shape)
    ctx.set(node.outputs[0], zero.dtype, shape)


@SHAPES.register("Gemm")
def gemm_shape(node: Node, ctx: Any) -> None:
    """op(A) @ op(B) + C -> [m, n], with op a transposition if transA, transB."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    left, right = a.shape, b.shape
    if left is None or right is None or len(left) != 2 or len(right) != 2:
        ctx.set(node.outputs[0], a.dtype)
        return
    rows = left[1] if node.attribute("transA", 0) else left[0]
    columns = right[0] if node.attribute("transB", 0) else right[1]
    ctx.set(node.outputs[0], a.dtype, (rows, columns))
