"""fuse_affine_into_norm: constants that scale or shift a normalized value become its scale and bias."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import NORMALIZATIONS, NOT_REAL, absorb, float64, is_real, output_channels, vector
from ..rewrite.match import is_filled_with, same_sizes
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.scaling import multiplied
from ..rewrite.tails import ADDITIVE, MULTIPLICATIVE, batchnorm_tail, layer_before, tail
from .catalog import declare

declare("fuse_affine_into_norm", "put constants that scale or shift a normalization's result into its scale and bias")

_LAST_AXES = frozenset({"LayerNormalization", "RMSNormalization"})
_BATCH = frozenset({"BatchNormalization", "InstanceNormalization"})


@rewrites("fuse_affine_into_norm", root=MULTIPLICATIVE + ADDITIVE, after=NORMALIZATIONS)
def affine_channels(node: Node, op: Builder) -> Value | Skip:
    """Norm(x, s, t) * a + b -> Norm(x, s * a, t * a + b), a and b one number or one per channel.

    For BatchNormalization with stored statistics, InstanceNormalization and GroupNormalization (from opset 21 on).

    Numerics: computed in float64 and rounded once; the result moves by rounding.
    Source: ONNX BatchNormalization-15, InstanceNormalization-6, GroupNormalization-21.
    """
    found = tail(node, NORMALIZATIONS)
    if isinstance(found, Skip):
        return found
    layer, scale, shift = found
    if layer.op_type == "BatchNormalization":
        stored = batchnorm_tail(layer, op.opset)
        if isinstance(stored, Skip):
            return stored
    if layer.op_type == "GroupNormalization" and op.opset < 21:
        return skip("the scale is one per group")
    return absorb(op, layer, scale, shift)


@rewrites("fuse_affine_into_norm", root="BatchNormalization", after=_BATCH)
def consecutive_batchnorms(node: Node, op: Builder) -> Value | Skip:
    """BatchNormalization of a BatchNormalization or InstanceNormalization -> one, with scale and bias of both.

    Numerics: computed in float64 and rounded once; the result moves by rounding.
    Source: ONNX BatchNormalization-15.
    """
    layer = layer_before(node.inputs[0], node, _BATCH)
    if isinstance(layer, Skip):
        return layer
    outer = batchnorm_tail(node, op.opset)
    if isinstance(outer, Skip):
        return outer
    if layer.op_type == "BatchNormalization":
        inner = batchnorm_tail(layer, op.opset)
        if isinstance(inner, Skip):
            return inner
    channels = output_channels(layer)
    if channels is None or channels.count != outer[0].size:
        return skip("the layer does not have as many output channels")
    return absorb(op, layer, *outer)


@rewrites("fuse_affine_into_norm", root=("Mul", "Add"), after=_LAST_AXES)
def affine_last_axes(node: Node, op: Builder) -> Value | Skip:
    """LayerNormalization(x, s, t) * a + b -> LayerNormalization(x, s * a, t * a + b), along the normalized axes.

    RMSNormalization takes in a scale alone. A scale that is not constant may take the place of ones, a bias that is not
    constant the place of none.

    Numerics: computed in float64 and rounded once; the result moves by rounding.
    Source: ONNX LayerNormalization-17, RMSNormalization-23.
    """
    for place in (0, 1):
        value = node.inputs[place]
        layer = layer_before(value, node, _LAST_AXES)
        other = node.input(1 - place)
        if not isinstance(layer, Skip) and other is not None:
            return _into_last_axes(op, layer, node.op_type, other)
    return layer if isinstance(layer, Skip) else skip("it has not two operands")


def _into_last_axes(op: Builder, layer: Node, op_type: str, other: Value) -> Value | Skip:
    x, scale, bias = layer.inputs[0], layer.inputs[1], layer.input(2)
    dims: Any = None if scale is None else scale.shape
    if x is None or scale is None or x.shape is None or dims is None or not _is_whole_scale(layer, x, dims):
        return skip("the scale does not have the shape of the normalized axes")
    if len(layer.outputs) > 1:
        return skip("mean and deviation are read too")
    if op_type == "Add" and layer.op_type == "RMSNormalization":
        return skip("RMSNormalization has no bias")
    if not other.is_constant or other.tensor is None:
        return _computed(op, layer, op_type, other, dims)
    if not is_real(other) or bias is not None and not is_real(bias):
        return NOT_REAL
    numbers = _along(other, dims, len(x.shape))
    if numbers is None:
        return skip("the constant does not run along the normalized axes")
    if op_type == "Add":
        if bias is not None and not bias.is_constant:
            return skip("the bias is not a constant")
        made = vector(op, numbers + (0.0 if bias is None else float64(bias)), x.dtype, other.name, bias)
        return made if isinstance(made, Skip) else op.like(layer, [x, scale, made])
    if bias is not None and not bias.is_constant:
        return skip("the bias is not a constant")
    new_scale = other if other.shape == dims and is_filled_with(scale, 1.0) else multiplied(op, scale, numbers)
    if isinstance(new_scale, Skip):
        return new_scale
    if bias is not None:
        new_bias = vector(op, float64(bias) * numbers, x.dtype, bias.name, bias)
        if isinstance(new_bias, Skip):
            return new_bias
        bias = new_bias
    return op.like(layer, [x, new_scale, bias])


def _computed(op: Builder, layer: Node, op_type: str, other: Value, dims: Any) -> Value | Skip:
    x, scale, bias = layer.inputs[0], layer.inputs[1], layer.input(2)
    if other.shape is None or not same_sizes(other.shape, dims) or bias is not None:
        return skip("there is no constant operand")
    if op_type == "Add":
        return op.like(layer, [x, scale, other])
    return op.like(layer, [x, other]) if is_filled_with(scale, 1.0) else skip("there is no constant operand")


def _is_whole_scale(layer: Node, x: Value, dims: Any) -> bool:
    assert x.shape is not None
    axis = layer.attribute("axis", -1)
    return same_sizes(x.shape[axis:], dims) and all(type(size) is int for size in dims)


def _along(value: Value, dims: Any, rank: int) -> Any:
    """The numbers of a constant spread over the normalized axes, or None when it runs along others or widens them."""
    assert value.tensor is not None
    own = value.tensor.dims
    before = max(len(own) - len(dims), 0)
    last = own[before:]
    if len(own) > rank or any(size != 1 for size in own[:before]):
        return None
    if any(size not in (1, wanted) for size, wanted in zip(last[::-1], dims[::-1])):
        return None
    numbers = float64(value).reshape(last)
    return np.broadcast_to(numbers, dims) if np.isfinite(numbers).all() else None
