"""Upwards: the first versions of operators, which few runtimes still read.

Attributes named `consumed_inputs`, a hint that was never used, are left out of every operator that had them.
"""

from __future__ import annotations

from typing import Any

from ..ir import dtypes
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, skip
from .history import attribute_defaults
from .steps import rank_of, rebuilt, up


@up("Abs", "Add", "Ceil", "Clip", "Div", "Dropout", "Elu", "Exp", "Floor", "HardSigmoid", "InstanceNormalization",
    "LeakyRelu", "Log", "Max", "Mean", "Min", "Mul", "Neg", "PRelu", "Reciprocal", "Relu", "Selu", "Sigmoid", "Sqrt",
    "Sub", "Sum", "Tanh", "BatchNormalization", at=6)
def without_consumed_inputs(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """f<consumed_inputs> -> f, with the numbers of Selu-1 written out.  Source: ONNX Abs-6 and others."""
    changes: dict[str, Any] = {} if node.attribute("consumed_inputs") is None else {"consumed_inputs": None}
    if node.op_type == "Selu":
        old = attribute_defaults("Selu", 1)
        changes |= {name: old[name] for name in ("alpha", "gamma") if node.attribute(name) is None}
    return rebuilt(op, node, node.inputs, **changes) if changes else None


@up("Cast", at=6)
def number_the_type(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Cast<to="FLOAT"> -> Cast<to=1>.  Source: ONNX Cast-1 and Cast-6."""
    name = node.text("to").upper()
    for number, known in dtypes.NAMES.items():
        if known == name:
            return rebuilt(op, node, node.inputs, to=number)
    return skip("it casts to a type that ONNX does not have")


@up("Concat", at=4)
def write_the_axis(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """Concat(a, b) -> Concat<axis=1>(a, b).  Source: ONNX Concat-1, whose axis is 1 when it is not given."""
    return None if node.attribute("axis") is not None else rebuilt(op, node, node.inputs, axis=1)


@up("Pad", at=2)
def rename_the_pads(node: Node, op: Builder) -> tuple[Value, ...]:
    """Pad<paddings> -> Pad<pads>.  Source: ONNX Pad-2."""
    return rebuilt(op, node, node.inputs, pads=node.attribute("paddings"), paddings=None)


@up("Reshape", at=5)
def shape_becomes_an_input(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Reshape<shape>(x) -> Reshape(x, shape).  Source: ONNX Reshape-5."""
    shape = node.attribute("shape")
    if shape is None:
        return skip("the shape is missing")
    return rebuilt(op, node, [node.inputs[0], op.ints(shape)], shape=None, consumed_inputs=None)


@up("Split", at=2)
def sizes_become_an_attribute(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Split(x, sizes) -> Split<split>(x).  Source: ONNX Split-2."""
    sizes = node.attribute("split")
    if node.input(1) is not None:
        sizes = op.ctx.ints(node.inputs[1])
        if sizes is None:
            return skip("the sizes are not constant")
    return rebuilt(op, node, node.inputs[:1], split=sizes)


@up("Tile", at=6)
def repeats_of_all_axes(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Tile(x, tiles, axis) -> Tile(x, [1, .., tiles, .., 1]).  Source: ONNX Tile-6."""
    rank = rank_of(node.inputs[0])
    tiles, axis = op.ctx.scalar(node.input(1)), op.ctx.scalar(node.input(2))
    if rank is None or tiles is None or axis is None:
        return skip("tiles, axis or the rank are unknown")
    repeats = [1] * rank
    repeats[int(axis)] = int(tiles)
    return rebuilt(op, node, [node.inputs[0], op.ints(repeats)])


@up("Upsample", at=7)
def scales_of_all_axes(node: Node, op: Builder) -> tuple[Value, ...]:
    """Upsample<height_scale=h, width_scale=w> -> Upsample<scales=[1, 1, h, w]>.  Source: ONNX Upsample-7."""
    scales = (1.0, 1.0, float(node.attribute("height_scale", 1.0)), float(node.attribute("width_scale", 1.0)))
    return rebuilt(op, node, node.inputs, scales=scales, height_scale=None, width_scale=None)


@up("RNN", "LSTM", "GRU", at=7)
def outputs_say_what_is_wanted(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """LSTM<output_sequence> -> LSTM.  Source: ONNX LSTM-7, whose outputs are optional."""
    return None if node.attribute("output_sequence") is None else rebuilt(op, node, node.inputs, output_sequence=None)


@up("GlobalLpPool", "LpPool", at=2)
def whole_powers(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """p=2.0 -> p=2.  Source: ONNX LpPool-2."""
    power = node.attribute("p")
    if power is None:
        return None
    if power != int(power):
        return skip("p is not a whole number")
    return rebuilt(op, node, node.inputs, p=int(power))
