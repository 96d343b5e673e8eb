"""fuse_consecutive_mul: two scalings by constants become one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dtypes import BFLOAT16, DOUBLE, FLOAT, FLOAT16, numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import float64
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import WRAPPING, InARow, in_a_row, joined
from .catalog import declare

declare("fuse_consecutive_mul", "make two Mul or Div by constants one, where nothing can overflow or vanish in between")

_KINDS = ("Mul", "Div")
_FLOATS = {FLOAT: 2.0**20, DOUBLE: 2.0**20, BFLOAT16: 2.0**20, FLOAT16: 1.0}
"""By how much a product that became tiny may be scaled up again."""


@rewrites("fuse_consecutive_mul", root=_KINDS, after=_KINDS)
def one_scaling(node: Node, op: Builder) -> Value | Skip:
    """x * a * b -> x * (a * b); x / a / b -> x / (a * b); x * a / b and x / b * a -> x * (a / b).

    For constants that are not larger together than one of them.

    Numerics: integers wrap the same way, exact. Floats: a * b is rounded once, so the result may move by a unit or two
        in the last place. x * 1e30 * 1e-30 stays, because the first product may be infinite; a product that vanishes on
        the way to a larger one differs by 1e-38 at most.
    Source: ONNX Mul-14, Div-14.
    """
    row = in_a_row(node, _KINDS, op)
    if isinstance(row, Skip):
        return row
    return _integers(op, row) if row.first.dtype in WRAPPING else _floats(op, row)


def _integers(op: Builder, row: InARow) -> Value | Skip:
    if row.kinds != ("Mul", "Mul"):
        return skip("division of integers drops a remainder")
    assert row.first.tensor is not None and row.second.tensor is not None
    first = row.first.tensor.numpy()
    with np.errstate(all="ignore"):
        product = np.multiply(first, row.second.tensor.numpy())
    constant = joined(op, np.asarray(product, first.dtype), row)
    return constant if isinstance(constant, Skip) else op.node("Mul", [row.x, constant])[0]


def _floats(op: Builder, row: InARow) -> Value | Skip:
    a, b = float64(row.first), float64(row.second)
    with np.errstate(all="ignore"):
        if row.kinds == ("Div", "Div"):
            numbers, a, b = a * b, 1.0 / a, 1.0 / b
        else:
            a, b = (1.0 / a if row.kinds[0] == "Div" else a), (1.0 / b if row.kinds[1] == "Div" else b)
            numbers = a * b
        result = numbers.astype(numpy_dtype(row.first.dtype))
    if not _is_safe(a, b, result, numbers, _FLOATS.get(row.first.dtype, 0.0)):
        return skip("a product in between could overflow or vanish")
    constant = joined(op, result, row)
    if isinstance(constant, Skip):
        return constant
    return op.node("Div" if row.kinds == ("Div", "Div") else "Mul", [row.x, constant])[0]


def _is_safe(a: Any, b: Any, result: Any, numbers: Any, up: float) -> bool:
    with np.errstate(all="ignore"):
        kept = result.astype(np.float64)
        if not (np.isfinite(a).all() and np.isfinite(b).all() and np.isfinite(kept).all()):
            return False
        if not (np.abs(kept - numbers) <= 0.004 * np.abs(numbers)).all():
            return False
        a, b = np.abs(a), np.abs(b)
        return bool(((a <= 1.0) & (b <= up) | (a >= 1.0) & (b >= 1.0)).all())
