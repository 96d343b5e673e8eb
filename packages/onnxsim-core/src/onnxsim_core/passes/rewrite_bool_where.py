"""rewrite_bool_where: a Where of boolean constants is logic; onnxruntime has no Where of booleans."""

from __future__ import annotations

from ..ir.dtypes import BOOL
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import is_filled_with, same_shape
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("rewrite_bool_where", "make a Where with a boolean constant And, Or, Not or the condition itself")


@rewrites("rewrite_bool_where", root="Where")
def logic(node: Node, op: Builder) -> Value | Skip:
    """Where(c, True, False) -> c; Where(c, False, True) -> Not(c); Where(c, a, False) -> And(c, a);
    Where(c, True, b) -> Or(c, b).

    Exact, where the constant does not widen the result. Source: ONNX Where-9, And-7, Or-7.
    """
    condition, a, b = node.input(0), node.input(1), node.input(2)
    result = node.outputs[0]
    if condition is None or a is None or b is None or a.dtype != BOOL:
        return skip("the branches are not boolean")
    yes, no = is_filled_with(a, 1), is_filled_with(b, 0)
    made: Value
    if yes and no or is_filled_with(a, 0) and is_filled_with(b, 1):
        if not same_shape(condition, result):
            return skip("a constant widens the result")
        made = condition if yes else op.Not(condition)
        return made
    if not yes and not no:
        return skip("no branch is a boolean constant")
    made = op.Or(condition, b) if yes else op.And(condition, a)
    return made if same_shape(made, result) else skip("a constant widens the result")
