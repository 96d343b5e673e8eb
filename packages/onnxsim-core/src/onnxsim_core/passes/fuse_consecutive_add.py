"""fuse_consecutive_add: two shifts by constants become one."""

from __future__ import annotations

import numpy as np

from ..ir.dtypes import numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import float64
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.tails import WRAPPING, combined_dims, operand_and_constant
from .catalog import declare

declare("fuse_consecutive_add", "make two Add or Sub of constants one, for floats only of the same sign")


@rewrites("fuse_consecutive_add", root=("Add", "Sub"))
def one_shift(node: Node, op: Builder) -> Value | Skip:
    """x + a + b -> x + (a + b), for constants whose sum is no larger; likewise x - a and x - b.

    Numerics: integers wrap the same way, exact. Floats of the same sign: a + b is rounded once, the result moves by a
        unit or two in the last place of the largest of x, a, b. x + 1e8 - 1e8 stays: the first sum drops digits of x.
    Source: ONNX Add-14, Sub-14.
    """
    outer = _shift(node)
    inner_node = None if outer is None else outer[0].producer("Add") or outer[0].producer("Sub")
    inner = None if inner_node is None else _shift(inner_node)
    if outer is None or inner is None or inner_node is None:
        return skip("it is not a shift of a shifted value")
    if not outer[0].is_used_once or inner_node.graph is not node.graph:
        return skip("the first sum has other readers")
    x, first = inner
    second = outer[1]
    assert first.tensor is not None and second.tensor is not None
    if combined_dims(first.tensor, second.tensor) is None:
        return skip("the sum of the constants would be larger than they are")
    if first.tensor.dtype in WRAPPING:
        return _integers(op, x, first, second, inner_node.op_type == "Sub", node.op_type == "Sub")
    a = float64(first) * (-1.0 if inner_node.op_type == "Sub" else 1.0)
    b = float64(second) * (-1.0 if node.op_type == "Sub" else 1.0)
    with np.errstate(all="ignore"):
        result = (a + b).astype(numpy_dtype(first.tensor.dtype))
    if not (a * b >= 0).all() or not np.isfinite(result.astype(np.float64)).all():
        return skip("the constants may cancel digits of each other")
    made: Value = op.Add(x, op.constant(result, first.name))
    return made


def _shift(node: Node) -> tuple[Value, Value] | None:
    found = operand_and_constant(node)
    return None if found is None or found[2] and node.op_type == "Sub" else found[:2]


def _integers(op: Builder, x: Value, first: Value, second: Value, is_minus: bool, is_then_minus: bool) -> Value:
    assert first.tensor is not None and second.tensor is not None
    a, b = first.tensor.numpy(), second.tensor.numpy()
    with np.errstate(all="ignore"):
        total = np.add(a, b) if is_minus == is_then_minus else np.subtract(a, b)
    constant = op.constant(np.asarray(total, a.dtype), first.name)
    made: Value = op.Sub(x, constant) if is_minus else op.Add(x, constant)
    return made
