"""fuse_rms_norm: a value over its root mean square becomes RMSNormalization."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import keeps_rank
from ..rewrite.norms import NORM_TYPES, ROOTS, mean_square_plus, ones_like_last, over_root
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_rms_norm", "make x / sqrt(mean(x^2) + eps) one RMSNormalization (opset 23)")


@rewrites("fuse_rms_norm", root=("Div", "Mul"), since=23, after=ROOTS)
def rms_norm(node: Node, op: Builder) -> Value | Skip:
    """x / sqrt(mean(x^2) + eps) -> RMSNormalization(x, ones) over the last axes.

    A scale after it is taken in by fuse_affine_into_norm.

    Numerics: same formula, in float32 and with other rounding; about 1e-6 of the largest result. Where the square
        overflows (|x| > 1e19, in float16 > 255), the original is 0; RMSNormalization is right in float16.
    Source: ONNX RMSNormalization-23.
    """
    if op.opset < 23:
        return skip("RMSNormalization exists from opset 23 on")
    found = over_root(node)
    if found is None:
        return skip("it is no division by a root")
    x, mean_square = found
    spread = mean_square_plus(mean_square, op)
    if spread is None:
        return skip("the root is not of a mean square over the last axes plus a constant")
    base, axis, epsilon = spread
    if base is not x:
        return skip("the mean square is of another value")
    if x.dtype not in NORM_TYPES:
        return skip("RMSNormalization computes in float32")
    if not keeps_rank(node, x):
        return skip("a constant widens the result")
    scale = ones_like_last(op, x, axis)
    if isinstance(scale, Skip):
        return scale
    made: Value = op.RMSNormalization(x, scale, axis=axis - len(x.shape or ()), epsilon=epsilon)
    return made
