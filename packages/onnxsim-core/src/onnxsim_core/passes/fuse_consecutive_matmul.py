"""fuse_consecutive_matmul: two products with constant matrices become one, where that is less to store."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import DOUBLE, FLOAT, numpy_dtype
from ..ir.graph import Node, Value
from ..ir.tensors import same_bytes
from ..rewrite.builder import Builder
from ..rewrite.layers import NOT_REAL, float64, is_real
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_matmul", "multiply two constant matrices beforehand where the product is no larger")

_LARGEST_WORK = 1 << 26
_SCALE = 2.0**40


@rewrites("fuse_consecutive_matmul", root="MatMul", after=("MatMul",))
def one_product(node: Node, op: Builder) -> Value | Skip:
    """MatMul(MatMul(x, A), B) -> MatMul(x, A B) for constant matrices A, B whose product has no more elements.

    Numerics: A B is computed in float64 and rounded once; the sums are taken in another order, so the result moves by
        rounding, about 1e-6 of its largest value. Matrices of very large or very small numbers are left alone.
    Source: ONNX MatMul-13.
    """
    inner_value, right = node.inputs
    inner = None if inner_value is None else inner_value.producer("MatMul")
    if inner_value is None or inner is None or right is None:
        return skip("the first factor is not made by a MatMul")
    x, left = inner.inputs
    if x is None or left is None or not left.is_constant or not right.is_constant:
        return skip("the second factors are not both constants")
    assert left.tensor is not None and right.tensor is not None
    a, b = left.tensor.dims, right.tensor.dims
    if len(a) != 2 or len(b) != 2 or a[1] != b[0] or left.tensor.dtype not in (FLOAT, DOUBLE):
        return skip("the constants are no matrices of floats that fit")
    if not is_real(right):
        return NOT_REAL
    if not inner_value.is_used_once or inner.graph is not node.graph:
        return skip("the first product has other readers")
    rows, middle, columns = a[0], a[1], b[1]
    if rows * columns > rows * middle + middle * columns or rows * middle * columns > _LARGEST_WORK:
        return skip("the product would be larger than the factors")
    if left is right or same_bytes(left.tensor, right.tensor):
        return skip("both products share one weight, which stays tied")
    if not op.affordable(rows * columns * (4 if left.tensor.dtype == FLOAT else 8), left, right):
        return skip("the new weight would make the model grow")
    first, second = float64(left), float64(right)
    if not (_is_moderate(first) and _is_moderate(second)):
        return skip("a factor has very large or very small numbers")
    product = (first @ second).astype(numpy_dtype(left.tensor.dtype))
    return op.like(node, [x, op.constant(product, left.name)])


def _is_moderate(array: np.ndarray) -> bool:
    top = float(np.abs(array).max(initial=0.0))
    return top == 0.0 or 1.0 / _SCALE <= top <= _SCALE
