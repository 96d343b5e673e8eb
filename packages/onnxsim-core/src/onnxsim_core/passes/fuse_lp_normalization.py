"""fuse_lp_normalization: a value over its norm becomes LpNormalization; off by default."""

from __future__ import annotations

from ..ir.dtypes import DOUBLE, FLOAT
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import is_step
from ..rewrite.match import axes_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_lp_normalization", "make x / ReduceL2(x) one LpNormalization; off: 0 where the original is 0 / 0",
        default=False)

_ORDER = {"ReduceL1": 1, "ReduceL2": 2}


@rewrites("fuse_lp_normalization", root="Div")
def lp_normalization(node: Node, op: Builder) -> Value | Skip:
    """x / ReduceL2(x, axis) -> LpNormalization<axis, p=2>(x); with ReduceL1 p=1.

    Numerics: other rounding; where the norm is 0 the original is NaN and LpNormalization 0. That is why it is off by
        default.
    Source: ONNX LpNormalization-1, -22.
    """
    x, norm = node.inputs
    reduction = None if norm is None else norm.producer("ReduceL2") or norm.producer("ReduceL1")
    if x is None or norm is None or reduction is None or reduction.inputs[0] is not x:
        return skip("the divisor is not a norm of the dividend")
    if not is_step(norm):
        return skip("the norm has other readers")
    axes = None if x.shape is None else axes_of(reduction, op.ctx, len(x.shape))
    if axes is None or len(axes) != 1 or reduction.attribute("keepdims", 1) != 1:
        return skip("the norm is not along one axis that is kept")
    if x.dtype not in (FLOAT, DOUBLE):
        return skip("the runtime's LpNormalization does not take this type")
    made: Value = op.LpNormalization(x, axis=axes[0], p=_ORDER[reduction.op_type])
    return made
