"""Matrix products: MatMul, Gemm and their quantised forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dtypes import INT32
from ..ir.graph import Node, Value
from .broadcasting import Shape, broadcast_shapes
from .precision import Array, narrowed, widened
from .registry import KERNELS, SHAPES


def product_shape(a: Shape, b: Shape) -> Shape | None:
    """Shape of numpy's matmul: 1-D operands gain an axis that the result loses; leading axes broadcast."""
    if not a or not b:
        return None
    inner_a, inner_b = a[-1], b[-2] if len(b) > 1 else b[0]
    if type(inner_a) is int and type(inner_b) is int and inner_a != inner_b:
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


def _state(node: Node, a: Value | None, b: Value | None, dtype: int, ctx: Any) -> None:
    if a is None or b is None or not node.outputs:
        return
    shape = None if a.shape is None or b.shape is None else product_shape(a.shape, b.shape)
    ctx.set(node.outputs[0], dtype, shape)


@SHAPES.register("MatMul")
def matmul_shape(node: Node, ctx: Any) -> None:
    """[.., m, k] @ [.., k, n] -> [.., m, n].  Source: numpy.matmul."""
    a, b = node.input(0), node.input(1)
    if a is not None and b is not None:
        _state(node, a, b, a.dtype or b.dtype, ctx)


@SHAPES.register("MatMulInteger")
def matmul_integer_shape(node: Node, ctx: Any) -> None:
    """MatMul of 8-bit integers, int32 result."""
    _state(node, node.input(0), node.input(1), INT32, ctx)


@SHAPES.register("QLinearMatMul")
def qlinear_matmul_shape(node: Node, ctx: Any) -> None:
    """MatMul of inputs 0 and 3, with the type of the output's zero point."""
    zero = node.input(7)
    if zero is not None:
        _state(node, node.input(0), node.input(3), zero.dtype, ctx)


@SHAPES.register("Gemm")
def gemm_shape(node: Node, ctx: Any) -> None:
    """op(A) @ op(B) + C -> [m, n], with op a transposition if transA, transB."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    left, right = a.shape, b.shape
    if left is None or right is None or len(left) != 2 or len(right) != 2:
        ctx.set(node.outputs[0], a.dtype or b.dtype)
        return
    rows = left[1] if node.attribute("transA", 0) else left[0]
    columns = right[0] if node.attribute("transB", 0) else right[1]
    ctx.set(node.outputs[0], a.dtype or b.dtype, (rows, columns))


@SHAPES.register("Det")
def det_shape(node: Node, ctx: Any) -> None:
    """[.., m, m] -> [..]."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], x.dtype, x.shape[:-2] if x.shape is not None and len(x.shape) > 1 else None)


@KERNELS.register("MatMul")
def matmul_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact or declined: integers wrap; floats only where nothing is added up, so that the order cannot matter."""
    a, b = arrays[0], arrays[1]
    if a.dtype != b.dtype or product_shape(a.shape, b.shape) is None:
        return None
    if a.dtype.kind in "iu":
        return np.asarray(np.matmul(a, b))
    wide_a, wide_b = widened(a), widened(b)
    if wide_a is None or wide_b is None or a.shape[-1] > 1:
        return None
    with np.errstate(all="ignore"):
        product = np.asarray(np.matmul(wide_a, wide_b))
        if (np.matmul(np.sign(wide_a), np.sign(wide_b))[product == 0] != 0).any():
            return None  # the sign of what underflows depends on whether the processor fuses the sum
        # Sums start from 0, which turns a negative zero into a positive one.
        return narrowed(product + wide_a.dtype.type(0), a.dtype)
