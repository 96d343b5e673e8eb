"""fuse_consecutive_mul: two scalings by constants become one."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dtypes import BFLOAT16, DOUBLE, FLOAT, FLOAT16, numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import float64
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import WRAPPING, combined_dims, operand_and_constant
from .catalog import declare

declare("fuse_consecutive_mul", "make two Mul or Div by constants one, where nothing can overflow or vanish in between")

_FLOATS = {FLOAT: 2.0**20, DOUBLE: 2.0**20, BFLOAT16: 2.0**20, FLOAT16: 1.0}
"""By how much a product that became tiny may be scaled up again."""


@rewrites("fuse_consecutive_mul", root=("Mul", "Div"))
def one_scaling(node: Node, op: Builder) -> Value | Skip:
    """x * a * b -> x * (a * b); x / a / b -> x / (a * b); x * a / b and x / b * a -> x * (a / b).

    For constants that are not larger together than one of them.

    Numerics: integers wrap the same way, exact. Floats: a * b is rounded once, so the result may move by a unit or two
        in the last place. x * 1e30 * 1e-30 stays, because the first product may be infinite; a product that vanishes on
        the way to a larger one differs by 1e-38 at most.
    Source: ONNX Mul-14, Div-14.
    """
    outer = _scaling(node)
    inner_node = None if outer is None else outer[0].producer("Mul") or outer[0].producer("Div")
    inner = None if inner_node is None else _scaling(inner_node)
    if outer is None or inner is None or inner_node is None:
        return skip("it is not a scaling of a scaled value")
    if not outer[0].is_used_once or inner_node.graph is not node.graph:
        return skip("the first product has other readers")
    x, first = inner
    second = outer[1]
    assert first.tensor is not None and second.tensor is not None
    if combined_dims(first.tensor, second.tensor) is None:
        return skip("the product of the constants would be larger than they are")
    kinds = (inner_node.op_type, node.op_type)
    if first.tensor.dtype in WRAPPING:
        return _integers(op, x, first, second, kinds)
    return _floats(op, x, first, second, kinds)


def _scaling(node: Node) -> tuple[Value, Value] | None:
    found = operand_and_constant(node)
    return None if found is None or found[2] and node.op_type == "Div" else found[:2]


def _integers(op: Builder, x: Value, first: Value, second: Value, kinds: tuple[str, str]) -> Value | Skip:
    if kinds != ("Mul", "Mul"):
        return skip("division of integers drops a remainder")
    assert first.tensor is not None and second.tensor is not None
    with np.errstate(all="ignore"):
        product = np.multiply(first.tensor.numpy(), second.tensor.numpy())
    made: Value = op.Mul(x, op.constant(np.asarray(product, first.tensor.numpy().dtype), first.name))
    return made


def _floats(op: Builder, x: Value, first: Value, second: Value, kinds: tuple[str, str]) -> Value | Skip:
    dtype = first.dtype
    a, b = float64(first), float64(second)
    with np.errstate(all="ignore"):
        if kinds[0] == "Div" and kinds[1] == "Div":
            numbers, a, b = a * b, 1.0 / a, 1.0 / b
        else:
            a, b = (1.0 / a if kinds[0] == "Div" else a), (1.0 / b if kinds[1] == "Div" else b)
            numbers = a * b
        result = numbers.astype(numpy_dtype(dtype))
    if not _is_safe(a, b, result, numbers, _FLOATS.get(dtype, 0.0)):
        return skip("a product in between could overflow or vanish")
    constant = op.constant(result, first.name)
    made: Value = op.Div(x, constant) if kinds == ("Div", "Div") else op.Mul(x, constant)
    return made


def _is_safe(a: Any, b: Any, result: Any, numbers: Any, up: float) -> bool:
    with np.errstate(all="ignore"):
        kept = result.astype(np.float64)
        if not (np.isfinite(a).all() and np.isfinite(b).all() and np.isfinite(kept).all()):
            return False
        if not (np.abs(kept - numbers) <= 0.004 * np.abs(numbers)).all():
            return False
        a, b = np.abs(a), np.abs(b)
        return bool(((a <= 1.0) & (b <= up) | (a >= 1.0) & (b >= 1.0)).all())
