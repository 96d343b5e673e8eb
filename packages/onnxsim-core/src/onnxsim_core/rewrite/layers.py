"""Layers whose weight and bias can take in a scale and a shift of their output channels.

All sums are made in float64 and cast once. What would leave the range of its type is declined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dtypes import is_float, is_int, numpy_dtype
from .expressions import fits_attribute
from .rule import Skip, skip
from .scaling import RANGES, multiplied

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from .builder import Builder

Array = Any

NOT_REAL = skip("a constant has no real numbers")
CONVOLUTIONS = frozenset({"Conv", "ConvTranspose"})
NORMALIZATIONS = frozenset({"BatchNormalization", "InstanceNormalization", "GroupNormalization"})
SMALL = 16 << 10
"""A bias or scale up to this size is made in any case: with 4096 channels a layer is far larger than its bias."""


class Channels:
    """Where the channels of a layer lie: how many (-1: unknown), how many axes follow theirs, the rank (-1)."""

    __slots__ = ("count", "after", "rank")

    def __init__(self, count: int, after: int, rank: int) -> None:
        self.count = count
        self.after = after
        self.rank = rank


def output_channels(layer: Node) -> Channels | None:
    """The output channels of a layer, or None when their number is not known.

    Source: ONNX Conv-1 (W: [M, C/g, ...]), ConvTranspose-1 (W: [C, M/g, ...]), Gemm-7, MatMul-1, BatchNormalization-1.
    """
    op_type = layer.op_type
    parameter = layer.input(1)
    dims = None if parameter is None else parameter.shape
    if dims is None or op_type in CONVOLUTIONS and len(dims) < 2:
        return None
    if op_type == "Conv":
        count, after, rank = dims[0], len(dims) - 2, len(dims)
    elif op_type == "ConvTranspose":
        count, after, rank = dims[1], len(dims) - 2, len(dims)
        if type(count) is int:
            count *= layer.attribute("group", 1)
    elif op_type == "Gemm" and len(dims) == 2:
        count, after, rank = dims[0 if layer.attribute("transB", 0) else 1], 0, 2
    elif op_type == "MatMul" and len(dims) > 1:
        shape = layer.outputs[0].shape
        columns = dims[-1] if type(dims[-1]) is int else -1
        count, after, rank = columns, 0, -1 if shape is None else len(shape)
    elif op_type in NORMALIZATIONS and len(dims) == 1:
        x = layer.inputs[0]
        shape = None if x is None else x.shape
        if shape is None or len(shape) < 2:
            return None
        count, after, rank = dims[0], len(shape) - 2, len(shape)
    else:
        return None
    return Channels(count, after, rank) if type(count) is int and after >= 0 else None


def along_channels(value: Value, channels: Channels) -> Array | None:
    """Numbers of a constant that is one number or one per channel, as float64 of shape [1] or [count].

    None when it runs along another axis (a [4] after a Conv runs along the width) or would widen the result.
    """
    dims = value.shape
    rank = channels.rank
    if dims is None or len(dims) > (rank if rank >= 0 else 1):
        return None
    place = len(dims) - 1 - channels.after
    for axis, size in enumerate(dims):
        if size != 1 and (axis != place or size != channels.count):
            return None
    return float64(value).reshape(-1)


def spread(layer: Node, factor: Array) -> Array:
    """A factor per output channel, in a shape that multiplies the weight of that layer."""
    if factor.size == 1:
        return factor.reshape(())
    op_type = layer.op_type
    if op_type == "Conv":
        return factor.reshape(-1, *[1] * (len(_weight_dims(layer)) - 1))
    if op_type == "ConvTranspose":
        return _by_group(factor, _weight_dims(layer), layer.attribute("group", 1))
    if op_type == "Gemm" and layer.attribute("transB", 0):
        return factor.reshape(-1, 1)
    return factor


def spread_inputs(layer: Node, factor: Array) -> Array:
    """A factor per input channel of a convolution, in a shape that multiplies its weight."""
    if factor.size == 1:
        return factor.reshape(())
    dims = _weight_dims(layer)
    if layer.op_type == "ConvTranspose":
        return factor.reshape(-1, *[1] * (len(dims) - 1))
    return _by_group(factor, dims, layer.attribute("group", 1))


def _weight_dims(layer: Node) -> tuple[int, ...]:
    weight = layer.inputs[1]
    assert weight is not None and weight.tensor is not None
    return weight.tensor.dims


def _by_group(factor: Array, dims: tuple[int, ...], group: int) -> Array:
    """Axis 1 of the weight counts within a group, axis 0 over all: [group * b] -> [a, b, 1, ...]."""
    table = np.repeat(factor.reshape(group, dims[1]), dims[0] // group, axis=0)
    return table.reshape(dims[0], dims[1], *[1] * (len(dims) - 2))


def vector(op: Builder, numbers: Array, dtype: int, name: str, old: Value | None = None) -> Value | Skip:
    """A bias or scale from float64 numbers, if they are in the range of the type and the model does not grow.

    It takes the place of `old` and of the constants at the root of the pattern.
    """
    if dtype not in RANGES:
        return skip("the weight is not of a float type")
    with np.errstate(all="ignore"):
        if not (np.abs(numbers) <= RANGES[dtype][1]).all():
            return skip("the new bias leaves the range of its type")
    array = numbers.astype(numpy_dtype(dtype))
    replaced = {value for value in (old, *op.root.inputs) if value is not None and value.is_constant}
    if array.nbytes > SMALL and not op.affordable(array.nbytes, *replaced):
        return skip("the new bias would make the model grow")
    return op.constant(array, name)


def absorb(op: Builder, layer: Node, scale: Array | None, shift: Array | None) -> Value | Skip:
    """`layer(x) * scale + shift` as one layer; scale and shift are float64 of shape [1] or [channels]."""
    op_type = layer.op_type
    if op_type in CONVOLUTIONS:
        return _into_convolution(op, layer, scale, shift)
    if op_type == "Gemm":
        return _into_gemm(op, layer, scale, shift)
    if op_type == "MatMul":
        return _into_matmul(op, layer, scale, shift)
    return _into_normalization(op, layer, scale, shift)


def is_real(value: Value) -> bool:
    """Has it real numbers? A file may put complex ones or text where ONNX allows neither."""
    return is_float(value.dtype) or is_int(value.dtype)


def float64(value: Value) -> Array:
    """The numbers of a constant in float64, for a constant that `is_real`."""
    assert value.tensor is not None
    return value.tensor.numpy().astype(np.float64)


def _into_convolution(op: Builder, layer: Node, scale: Array | None, shift: Array | None) -> Value | Skip:
    x, weight = layer.inputs[0], layer.inputs[1]
    channels = output_channels(layer)
    bias = layer.input(2)
    assert weight is not None and channels is not None
    if bias is not None and not bias.is_constant:
        return skip("the bias is not a constant")
    if bias is not None and not is_real(bias):
        return NOT_REAL
    if scale is not None and not weight.is_constant:
        return skip("the weight is not a constant")
    new_weight: Value | Skip = weight if scale is None else multiplied(op, weight, spread(layer, scale))
    if isinstance(new_weight, Skip):
        return new_weight
    if bias is not None or shift is not None:
        with np.errstate(all="ignore"):
            numbers = np.zeros(channels.count) if bias is None else float64(bias)
            numbers = (numbers if scale is None else numbers * scale) + (0.0 if shift is None else shift)
        made = vector(op, numbers, weight.dtype, bias.name if bias is not None else f"{weight.name}_bias", bias)
        if isinstance(made, Skip):
            return made
        bias = made
    return op.like(layer, [x, new_weight, bias])


def _into_gemm(op: Builder, layer: Node, scale: Array | None, shift: Array | None) -> Value | Skip:
    """Where a matrix is not constant, alpha and beta take a scale that is one number."""
    a, b, c = layer.inputs[0], layer.inputs[1], layer.input(2)
    assert b is not None
    changes: dict[str, Any] = {}
    number = None if scale is None or scale.size > 1 else float(scale.reshape(-1)[0])
    if number is not None and not 2.0**-60 < abs(number) < 2.0**60:
        return skip("the scale is too large or too small")
    if layer.outputs[0].dtype not in RANGES:
        return skip("the weight is not of a float type")
    if scale is not None:
        if b.is_constant or number is None:
            scaled = multiplied(op, b, spread(layer, scale)) if b.is_constant else skip("the weight is not a constant")
            if isinstance(scaled, Skip):
                return scaled
            b = scaled
        else:
            changes["alpha"] = layer.attribute("alpha", 1.0) * number
            if not fits_attribute(changes["alpha"], b.dtype):
                return skip("alpha or beta has too few digits")
    if c is not None and not c.is_constant:
        if shift is not None or scale is not None and number is None:
            return skip("the bias is not a constant")
        if number is not None:
            changes["beta"] = layer.attribute("beta", 1.0) * number
            if not fits_attribute(changes["beta"], c.dtype):
                return skip("alpha or beta has too few digits")
    elif c is not None or shift is not None:
        made = _gemm_bias(op, layer, c, scale, shift)
        if isinstance(made, Skip):
            return made
        c = made
        changes["beta"] = None
    return op.like(layer, [a, b, c], **changes)


def _gemm_bias(op: Builder, layer: Node, c: Value | None, scale: Array | None, shift: Array | None) -> Value | Skip:
    if c is None:
        channels = output_channels(layer)
        assert shift is not None and channels is not None
        return _new_bias(op, layer, shift, channels.count)
    if not is_real(c):
        return NOT_REAL
    with np.errstate(all="ignore"):
        numbers = float64(c) * layer.attribute("beta", 1.0)
        numbers = (numbers if scale is None else numbers * scale) + (0.0 if shift is None else shift)
    return vector(op, numbers, c.dtype, c.name, c)


def _new_bias(op: Builder, layer: Node, shift: Array, count: int) -> Value | Skip:
    result = layer.outputs[0]
    return vector(op, np.broadcast_to(shift, count), result.dtype, f"{result.name}_bias")


def _into_matmul(op: Builder, layer: Node, scale: Array | None, shift: Array | None) -> Value | Skip:
    a, b = layer.inputs
    assert a is not None and b is not None
    if scale is not None:
        right = b.is_constant or scale.size > 1
        scaled = multiplied(op, b if right else a, scale if scale.size > 1 else scale.reshape(()))
        if isinstance(scaled, Skip):
            return scaled
        if right:
            b = scaled
        else:
            a = scaled
    if shift is None:
        return op.like(layer, [a, b])
    if op.opset < 7:
        return skip("Gemm broadcasts its bias from opset 7 on")
    if any(factor.shape is None or len(factor.shape) != 2 for factor in (a, b)):
        return skip("the factors are no matrices")
    channels = output_channels(layer)
    assert channels is not None
    c = _new_bias(op, layer, shift, channels.count)
    return c if isinstance(c, Skip) else op.node("Gemm", [a, b, c], name=layer.name, proto=layer.proto)[0]


def _into_normalization(op: Builder, layer: Node, scale: Array | None, shift: Array | None) -> Value | Skip:
    old_scale, old_bias = layer.inputs[1], layer.inputs[2]
    assert old_scale is not None and old_bias is not None
    if not old_scale.is_constant or not old_bias.is_constant:
        return skip("the scale or bias of the normalization is not a constant")
    if not is_real(old_bias):
        return NOT_REAL
    new_scale = old_scale if scale is None else multiplied(op, old_scale, scale)
    if isinstance(new_scale, Skip):
        return new_scale
    with np.errstate(all="ignore"):
        numbers = float64(old_bias)
        numbers = (numbers if scale is None else numbers * scale) + (0.0 if shift is None else shift)
    new_bias = vector(op, numbers, old_bias.dtype, old_bias.name, old_bias)
    if isinstance(new_bias, Skip):
        return new_bias
    return op.like(layer, [layer.inputs[0], new_scale, new_bias, *layer.inputs[3:]])
