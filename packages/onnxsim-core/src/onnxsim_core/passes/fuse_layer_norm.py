"""fuse_layer_norm: the deviation from the mean over its root mean square becomes LayerNormalization."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import keeps_rank
from ..rewrite.norms import NORM_TYPES, last_axes_mean, mean_square_plus, ones_like_last, over_root
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_layer_norm", "make (x - mean) / sqrt(variance + eps) one LayerNormalization (opset 17)")


@rewrites("fuse_layer_norm", root=("Div", "Mul"))
def layer_norm(node: Node, op: Builder) -> Value | Skip:
    """(x - m) / sqrt(mean((x - m)^2) + eps) -> LayerNormalization(x, ones), m = mean(x) over the last axes.

    A scale and a bias after it are taken in by fuse_affine_into_norm.

    Numerics: same formula, in float32 and with other rounding; about 1e-6 of the largest result. Where the square
        overflows (|x| > 1e19, in float16 > 255), the original is 0 and LayerNormalization is right.
    Source: ONNX LayerNormalization-17.
    """
    if op.opset < 17:
        return skip("LayerNormalization exists from opset 17 on")
    found = over_root(node)
    if found is None:
        return skip("it is no division by a root")
    deviation, variance = found
    spread = mean_square_plus(variance, op)
    if spread is None:
        return skip("the root is not of a mean square over the last axes plus a constant")
    base, axis, epsilon = spread
    centred = _centred(deviation, op)
    if centred is None or centred != _centred(base, op) or centred[1] != axis:
        return skip("it is not the deviation from the mean of the same axes")
    x = centred[0]
    if x.dtype not in NORM_TYPES:
        return skip("LayerNormalization computes in float32")
    if not keeps_rank(node, x):
        return skip("a constant widens the result")
    scale = ones_like_last(op, x, axis)
    if isinstance(scale, Skip):
        return scale
    made: Value = op.LayerNormalization(x, scale, axis=axis - len(x.shape or ()), epsilon=epsilon)
    return made


def _centred(value: Value, op: Builder) -> tuple[Value, int] | None:
    """(x, first axis) of x - mean(x)."""
    node = value.producer("Sub")
    if node is None:
        return None
    x, mean = node.inputs
    found = last_axes_mean(mean, op)
    return found if found is not None and found[0] is x else None
