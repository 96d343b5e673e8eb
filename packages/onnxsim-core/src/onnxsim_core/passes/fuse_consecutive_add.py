"""fuse_consecutive_add: two shifts by constants become one."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import float64
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import ADDITIVE, WRAPPING, InARow, in_a_row, joined
from .catalog import declare

declare("fuse_consecutive_add", "make two Add or Sub of constants one, for floats only of the same sign")


@rewrites("fuse_consecutive_add", root=ADDITIVE, after=ADDITIVE)
def one_shift(node: Node, op: Builder) -> Value | Skip:
    """x + a + b -> x + (a + b), for constants whose sum is no larger; likewise x - a and x - b.

    Numerics: integers wrap the same way, exact. Floats of the same sign: a + b is rounded once, the result moves by a
        unit or two in the last place of the largest of x, a, b. x + 1e8 - 1e8 stays: the first sum drops digits of x.
    Source: ONNX Add-14, Sub-14.
    """
    row = in_a_row(node, ADDITIVE, op)
    if isinstance(row, Skip):
        return row
    if row.first.dtype in WRAPPING:
        return _integers(op, row)
    a = float64(row.first) * (-1.0 if row.kinds[0] == "Sub" else 1.0)
    b = float64(row.second) * (-1.0 if row.kinds[1] == "Sub" else 1.0)
    with np.errstate(all="ignore"):
        result = (a + b).astype(numpy_dtype(row.first.dtype))
    if not (a * b >= 0).all() or not np.isfinite(result.astype(np.float64)).all():
        return skip("the constants may cancel digits of each other")
    constant = joined(op, result, row)
    return constant if isinstance(constant, Skip) else op.node("Add", [row.x, constant])[0]


def _integers(op: Builder, row: InARow) -> Value | Skip:
    assert row.first.tensor is not None and row.second.tensor is not None
    a, b = row.first.tensor.numpy(), row.second.tensor.numpy()
    with np.errstate(all="ignore"):
        total = np.add(a, b) if row.kinds[0] == row.kinds[1] else np.subtract(a, b)
    constant = joined(op, np.asarray(total, a.dtype), row)
    return constant if isinstance(constant, Skip) else op.node(row.kinds[0], [row.x, constant])[0]
