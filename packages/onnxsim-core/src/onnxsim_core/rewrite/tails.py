"""Tails: what is done to a layer's output channels right after it, read as `layer(x) * scale + shift`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dtypes import INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64
from .layers import NOT_REAL, along_channels, float64, is_real, output_channels
from .rule import Skip, skip

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from ..ir.tensors import Tensor
    from .builder import Builder

Array = Any
Tail = tuple["Node", "Array | None", "Array | None"]

WRAPPING = frozenset({INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64})
"""Types whose sums and products wrap around, so that their order does not matter."""
LARGEST_COMBINED = 1 << 18
_NO_LAYER = skip("no operand is made by such a layer")
MULTIPLICATIVE = ("Mul", "Div", "Neg")
ADDITIVE = ("Add", "Sub")


def operand_and_constant(node: Node) -> tuple[Value, Value, bool] | None:
    """(operand, constant, constant comes first) of a binary node with exactly one constant operand.

    Where an attribute says at which axis the constant lies (before opset 7), it is not looked at.
    """
    if len(node.inputs) != 2 or node.attribute("axis") is not None:
        return None
    a, b = node.inputs
    if a is None or b is None or a.is_constant == b.is_constant:
        return None
    return (b, a, True) if a.is_constant else (a, b, False)


class InARow:
    """x, changed by a constant and then by another: `(x . first) . second`, by operators of two `kinds`."""

    __slots__ = ("x", "first", "second", "kinds")

    def __init__(self, x: Value, first: Value, second: Value, kinds: tuple[str, str]) -> None:
        self.x = x
        self.first = first
        self.second = second
        self.kinds = kinds


def in_a_row(node: Node, kinds: tuple[str, ...], op: Builder) -> InARow | Skip:
    """What the node and the one before it, both of these kinds, do to x, when the constants could be joined into one.

    No constant minus or over x; the first result has no other reader; the two together are no larger than one of them.
    """
    if op.opset < 7:
        return skip("operands broadcast by attributes before opset 7")
    outer = _by_constant(node)
    inner = None if outer is None else outer[0].node
    if outer is None or inner is None or inner.op_type not in kinds or inner.domain:
        return skip("it is no second step by a constant")
    found = _by_constant(inner)
    if found is None:
        return skip("it is no second step by a constant")
    if not outer[0].is_used_once or inner.graph is not node.graph:
        return skip("the first result has other readers")
    first, second = found[1], outer[1]
    if not is_real(first) or not is_real(second):
        return NOT_REAL
    assert first.tensor is not None and second.tensor is not None
    if not is_no_larger(first.tensor, second.tensor):
        return skip("the constants together would be larger than they are")
    return InARow(found[0], first, second, (inner.op_type, node.op_type))


def _by_constant(node: Node) -> tuple[Value, Value] | None:
    found = operand_and_constant(node)
    return None if found is None or found[2] and node.op_type in ("Sub", "Div") else found[:2]


def is_no_larger(a: Tensor, b: Tensor) -> bool:
    """Are two constants broadcast together no larger than the larger of them, and small enough to compute now?"""
    size = max(a.size, b.size)
    if size > LARGEST_COMBINED:
        return False
    try:
        dims = np.broadcast_shapes(a.dims, b.dims)
    except ValueError:
        return False
    return math.prod(dims) <= size


def joined(op: Builder, numbers: Array, row: InARow) -> Value | Skip:
    """The constant that takes the place of both."""
    if not op.affordable(numbers.nbytes, row.first, row.second):
        return skip("the joined constant would make the model grow")
    return op.constant(numbers, row.first.name)


def layer_before(value: Value | None, node: Node, kinds: frozenset[str]) -> Node | Skip:
    """The layer of one of these kinds that makes `value` for `node` alone."""
    layer = None if value is None else value.node
    if value is None or layer is None or layer.op_type not in kinds or layer.domain:
        return _NO_LAYER
    if not value.is_used_once:
        return skip("the layer's result has other readers")
    if layer.graph is not node.graph:
        return skip("the layer stands outside this body")
    for parameter in layer.inputs[1:]:
        if parameter is not None and parameter.producer("DequantizeLinear") is not None:
            return skip("the layer's weight or bias is quantized")
    return layer


def tail(node: Node, kinds: frozenset[str]) -> Tail | Skip:
    """(layer, scale, shift) of a Mul, Div, Neg, Add or Sub of a layer's result and a constant.

    Scale and shift are float64 of shape [1] or [channels], None for 1 and 0.
    """
    if node.op_type == "Neg":
        layer = layer_before(node.inputs[0], node, kinds)
        if isinstance(layer, Skip):
            return layer
        if output_channels(layer) is None:
            return skip("the number of output channels is not known")
        return layer, np.array([-1.0]), None
    for value in node.inputs:
        if value is not None and value.node is not None and value.node.op_type in kinds:
            break
    else:
        return _NO_LAYER
    found = operand_and_constant(node)
    if found is None:
        return skip("there is no constant operand")
    operand, constant, first = found
    if not is_real(constant):
        return NOT_REAL
    layer = layer_before(operand, node, kinds)
    if isinstance(layer, Skip):
        return layer
    channels = output_channels(layer)
    if channels is None:
        return skip("the number of output channels is not known")
    numbers = along_channels(constant, channels)
    if numbers is None:
        return skip("the constant does not run along the output channels")
    return _reading(node.op_type, layer, numbers, first)


def _reading(op_type: str, layer: Node, numbers: Array, first: bool) -> Tail | Skip:
    if not np.isfinite(numbers).all():
        return skip("the constant is not finite")
    if op_type == "Mul":
        return layer, numbers, None
    if op_type == "Div":
        if first or not numbers.all():
            return skip("the division is not by a constant other than 0")
        return layer, 1.0 / numbers, None
    if op_type == "Add":
        return layer, None, numbers
    return (layer, np.array([-1.0]), numbers) if first else (layer, None, -numbers)


def batchnorm_tail(node: Node, opset: int) -> tuple[Array, Array] | Skip:
    """(scale, shift) of a BatchNormalization that uses stored statistics, as float64 [channels].

    Source: ONNX BatchNormalization-1, -6 (is_test), -7 (spatial, optional outputs), -9, -14 and -15 (training_mode).
    """
    if len(node.outputs) > 1 or node.attribute("training_mode", 0) or opset < 7 and not node.attribute("is_test", 0):
        return skip("it is in training mode")
    if opset < 9 and not node.attribute("spatial", 1):
        return skip("its statistics are per element")
    values = [value for value in node.inputs[1:] if value is not None]
    if len(values) != 4:
        return skip("it has not five inputs")
    for value in values:
        if not value.is_constant:
            return skip("its statistics are not constants")
        if not is_real(value):
            return NOT_REAL
        if value.shape is None or len(value.shape) != 1 or value.shape != values[0].shape:
            return skip("its statistics are not vectors of one length")
    gamma, beta, mean, variance = (float64(value) for value in values)
    with np.errstate(all="ignore"):
        scale = gamma / np.sqrt(variance + node.attribute("epsilon", 1e-5))
        shift = beta - mean * scale
    if not (np.isfinite(scale).all() and np.isfinite(shift).all()):
        return skip("its scale or shift is not finite")
    return scale, shift
