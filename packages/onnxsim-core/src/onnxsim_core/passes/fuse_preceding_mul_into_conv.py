"""fuse_preceding_mul_into_conv: a constant that multiplies the input channels becomes part of the weight."""

from __future__ import annotations

import numpy as np

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.layers import NOT_REAL, Channels, along_channels, is_real, spread_inputs
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.scaling import multiplied
from ..rewrite.tails import operand_and_constant
from .catalog import declare

declare("fuse_preceding_mul_into_conv", "put a constant that multiplies the input channels of a convolution into it")


@rewrites("fuse_preceding_mul_into_conv", root=("Conv", "ConvTranspose"), after=("Mul", "Div"))
def convolution_of_scaled(node: Node, op: Builder) -> Value | Skip:
    """Conv(x * c, W, b) -> Conv(x, W * c, b); also x / c. c is one number or one per input channel.

    Padding is 0 before and after scaling, so pads do not matter.

    Numerics: the weight is multiplied in float64 and rounded once; the result moves by rounding. A weight that would
        leave the range of its type is left alone.
    Source: ONNX Conv-11, ConvTranspose-11.
    """
    x, weight = node.inputs[0], node.inputs[1]
    scaling = None if x is None else x.producer("Mul") or x.producer("Div")
    if scaling is None or x is None or weight is None:
        return skip("the input is not made by Mul or Div")
    if not x.is_used_once:
        return skip("the scaled input has other readers")
    found = operand_and_constant(scaling)
    if found is None or found[2] and scaling.op_type == "Div":
        return skip("the input is not scaled by a constant")
    operand, constant, _ = found
    if not is_real(constant):
        return NOT_REAL
    if not weight.is_constant:
        return skip("the weight is not a constant")
    channels = _input_channels(node)
    if channels is None or operand.shape is None or len(operand.shape) != channels.rank:
        return skip("the number of input channels is not known")
    numbers = along_channels(constant, channels)
    if numbers is None:
        return skip("the constant does not run along the input channels")
    if numbers.size > 1 and operand.shape[1] != channels.count:
        return skip("the scaling widens its input")
    if scaling.op_type == "Div":
        with np.errstate(all="ignore"):
            numbers = 1.0 / numbers
    new_weight = multiplied(op, weight, spread_inputs(node, numbers))
    if isinstance(new_weight, Skip):
        return new_weight
    return op.like(node, [operand, new_weight, *node.inputs[2:]])


def _input_channels(node: Node) -> Channels | None:
    weight = node.inputs[1]
    dims = None if weight is None else weight.shape
    if dims is None or len(dims) < 3:
        return None
    count = dims[0] if node.op_type == "ConvTranspose" else dims[1]
    if type(count) is not int:
        return None
    if node.op_type == "Conv":
        count *= node.attribute("group", 1)
    return Channels(count, len(dims) - 2, len(dims))
