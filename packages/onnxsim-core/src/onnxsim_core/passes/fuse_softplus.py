"""fuse_softplus: the logarithm of 1 + exp becomes Softplus; off by default."""

from __future__ import annotations

from ..ir.dtypes import FLOAT, FLOAT16
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import keeps_rank, one_more_than
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_softplus", "make Log(1 + Exp(x)) one Softplus; off: finite where the original overflows", default=False)


@rewrites("fuse_softplus", root="Log")
def softplus(node: Node, op: Builder) -> Value | Skip:
    """Log(1 + Exp(x)) -> Softplus(x).

    Numerics: from x = 89 on (float32) the original is infinite and Softplus is x; below x = -17 the original is 0 and
        Softplus is exp(x). That is why it is off by default.
    Source: ONNX Softplus-1.
    """
    total = node.inputs[0]
    exp = None if total is None else one_more_than(total, "Exp")
    x = None if exp is None else exp.inputs[0]
    if x is None:
        return skip("it is not the logarithm of 1 + Exp")
    if x.dtype not in (FLOAT, FLOAT16):
        return skip("Softplus runs on float and float16 only")
    if not keeps_rank(node, x):
        return skip("a constant widens the result")
    made: Value = op.Softplus(x)
    return made
