"""neg_to_mul: Neg is written as a product with -1; on request."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16, INT8, INT16, INT32, INT64, numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("neg_to_mul", "write Neg as Mul with -1, for targets without Neg", default=False)

_TYPES = frozenset({FLOAT, DOUBLE, FLOAT16, INT8, INT16, INT32, INT64})


@rewrites("neg_to_mul", root="Neg", since=7)
def product_with_minus_one(node: Node, op: Builder) -> Value | Skip:
    """Neg(x) -> Mul(x, -1).

    Exact, but for the sign of a NaN. Source: ONNX Neg-1, Mul-7.
    """
    x = node.input(0)
    if x is None or x.dtype not in _TYPES:
        return skip("the type is not known, or has no Mul")
    made: Value = op.Mul(x, op.constant(np.array(-1, numpy_dtype(x.dtype))))
    return made
