"""fuse_layer_norm: the deviation from the mean over its root mean square becomes LayerNormalization."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import keeps_rank
from ..rewrite.match import same_sizes
from ..rewrite.norms import (
    NORM_TYPES,
    ROOTS,
    inverse_root,
    last_axes_mean,
    mean_square_plus,
    ones_like_last,
    over_root,
)
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_layer_norm", "make (x - mean) / sqrt(variance + eps) one LayerNormalization (opset 17)")


@rewrites("fuse_layer_norm", root=("Div", "Mul"), since=17, after=ROOTS)
def layer_norm(node: Node, op: Builder) -> Value | Skip:
    """(x - m) / sqrt(mean((x - m)^2) + eps) -> LayerNormalization(x, ones), m = mean(x) over the last axes.

    A scale and a bias after it are taken in by fuse_affine_into_norm.

    Numerics: same formula, in float32 and with other rounding; about 1e-6 of the largest result. Where the square
        overflows (|x| > 1e19, in float16 > 255), the original is 0 and LayerNormalization right, or NaN if the squares
        overflow in float32 too.
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


@rewrites("fuse_layer_norm", root="Add", since=17, after=("Sub",))
def layer_norm_of_moments(node: Node, op: Builder) -> Value | Skip:
    """x * g + (b - m * g) -> LayerNormalization(x, s, b), g = s / sqrt(mean((x - m)^2) + eps), m = mean(x).

    TensorFlow writes layer normalization so.

    Numerics: same formula, in float32 and with other rounding; about 1e-6 of the largest result, or of m * g where that
        is larger.
    Source: ONNX LayerNormalization-17.
    """
    if op.opset < 17:
        return skip("LayerNormalization exists from opset 17 on")
    found = _moments(node)
    if found is None:
        return skip("it is not x * g + (b - m * g)")
    x, gain, mean, bias = found
    scale, variance = _scale_and_variance(gain)
    spread = None if variance is None else mean_square_plus(variance, op)
    if spread is None:
        return skip("the gain is not over the root of a mean square over the last axes plus a constant")
    base, axis, epsilon = spread
    about = last_axes_mean(mean, op)
    if about is None or about[0] is not x or about[1] != axis or _centred(base, op) != about:
        return skip("it is not the deviation from the mean of the same axes")
    if x.dtype not in NORM_TYPES:
        return skip("LayerNormalization computes in float32")
    if not keeps_rank(node, x):
        return skip("a constant widens the result")
    wanted = (x.shape or ())[axis:]
    if any(v is not None and (v.shape is None or not same_sizes(v.shape, wanted)) for v in (scale, bias)):
        return skip("scale and bias do not have the shape of the normalized axes")
    ones = ones_like_last(op, x, axis) if scale is None else scale
    if isinstance(ones, Skip):
        return ones
    made: Value = op.LayerNormalization(x, ones, bias, axis=axis - len(x.shape or ()), epsilon=epsilon)
    return made


def _moments(node: Node) -> tuple[Value, Value, Value, Value] | None:
    """(x, g, m, b) of x * g + (b - m * g), where nobody else reads g."""
    for product, rest in (node.inputs, node.inputs[::-1]):
        scaled = None if product is None else product.producer("Mul")
        shift = None if rest is None else rest.producer("Sub")
        bias, moved = shift.inputs if shift is not None else (None, None)
        centre = None if moved is None else moved.producer("Mul")
        if scaled is None or centre is None or bias is None:
            continue
        for gain in scaled.inputs:
            if gain is not None and gain in centre.inputs and len(gain.uses) == 2 and not gain.outputs:
                x, mean = _other(scaled, gain), _other(centre, gain)
                return None if x is None or mean is None else (x, gain, mean, bias)
    return None


def _other(node: Node, value: Value) -> Value | None:
    return node.inputs[1] if node.inputs[0] is value else node.inputs[0]


def _scale_and_variance(gain: Value) -> tuple[Value | None, Value | None]:
    """(s, v) of g = s / sqrt(v), s * (1 / sqrt(v)), ...; s is None when g is 1 / sqrt(v)."""
    plain = inverse_root(gain)
    node = gain.producer("Mul") or gain.producer("Div")
    if plain is not None or node is None:
        return None, plain
    return over_root(node) or (None, None)


def _centred(value: Value, op: Builder) -> tuple[Value, int] | None:
    """(x, first axis) of x - mean(x)."""
    node = value.producer("Sub")
    if node is None or node.graph is not op.graph:
        return None
    x, mean = node.inputs
    found = last_axes_mean(mean, op)
    return found if found is not None and found[0] is x else None
