"""fuse_matmul_add_bias_into_gemm: a product of two matrices plus a bias becomes one Gemm."""

from __future__ import annotations

from ..ir.dims import Size, known_equal
from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_matmul_add_bias_into_gemm", "make MatMul of two matrices and Add one Gemm, never with a Reshape")

_GEMM_TYPES = (FLOAT, DOUBLE, FLOAT16)


@rewrites("fuse_matmul_add_bias_into_gemm", root="Add", after=("MatMul",))
def gemm(node: Node, op: Builder) -> Value | Skip:
    """MatMul(a, b) + c -> Gemm(a, b, c) for matrices a, b and a c that broadcasts to the product without widening it.

    Numerics: the bias enters the sum earlier; the result moves by rounding.
    Source: ONNX Gemm-7, -11, -13 (C is unidirectionally broadcastable to [M, N]).
    """
    reason = skip("no operand is made by a MatMul")
    for index, product in enumerate(node.inputs):
        matmul = None if product is None else product.producer("MatMul")
        bias = node.input(1 - index)
        if matmul is None or product is None or bias is None:
            continue
        why = _why_not(matmul, product, bias, node, op.opset)
        if why is None:
            return op.node("Gemm", [*matmul.inputs, bias], name=matmul.name, proto=matmul.proto)[0]
        reason = why
    return reason


def _why_not(matmul: Node, product: Value, bias: Value, node: Node, opset: int) -> Skip | None:
    if not product.is_used_once or matmul.graph is not node.graph:
        return skip("the product has other readers")
    if opset < 7:
        return skip("Gemm broadcasts its bias from opset 7 on")
    a, b = matmul.inputs
    assert a is not None and b is not None
    if a.shape is None or b.shape is None or len(a.shape) != 2 or len(b.shape) != 2:
        return skip("the factors are no matrices")
    if product.dtype not in _GEMM_TYPES:
        return skip("the runtime's Gemm does not take this type")
    if a.producer("DequantizeLinear") is not None or b.producer("DequantizeLinear") is not None:
        return skip("a factor is dequantized: quantizers look for the MatMul")
    if bias.shape is None or not _fits(bias.shape, a.shape[0], b.shape[1]):
        return skip("the bias does not broadcast to the product")
    return None


def _fits(shape: tuple[Size, ...], rows: Size, columns: Size) -> bool:
    if len(shape) > 2:
        return False
    if shape and shape[-1] != 1 and not known_equal(shape[-1], columns):
        return False
    return len(shape) < 2 or shape[0] == 1 or known_equal(shape[0], rows)
