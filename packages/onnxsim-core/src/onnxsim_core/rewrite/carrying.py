"""Operators that do the same whatever the order of axes: which inputs have the axes, and the node in another order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .match import axes_of, axis_of, raw_axes, slice_parameters

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from .builder import Builder

UNARY = frozenset({
    "Relu", "Sigmoid", "Tanh", "Exp", "Log", "Sqrt", "Abs", "Neg", "Ceil", "Floor", "Round", "Erf", "Reciprocal",
    "Sign", "Not", "Softplus", "Softsign", "Elu", "Selu", "LeakyRelu", "ThresholdedRelu", "HardSigmoid", "HardSwish",
    "Gelu", "Mish", "Celu", "Cast", "Identity", "Clip", "Sin", "Cos", "Tan", "Atan", "IsNaN", "Swish",
})
BROADCAST = frozenset({
    "Add", "Sub", "Mul", "Div", "Pow", "Mod", "And", "Or", "Xor", "Equal", "Less", "Greater", "LessOrEqual",
    "GreaterOrEqual", "Where", "Min", "Max", "Sum", "Mean", "PRelu",
})
ALONG_AXIS = frozenset({"Concat", "Softmax", "LogSoftmax", "Hardmax"})
REDUCTIONS = frozenset({
    "ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2", "ReduceLogSum",
    "ReduceLogSumExp", "ReduceSumSquare",
})
ANY_ORDER = UNARY | BROADCAST | ALONG_AXIS | REDUCTIONS | {"Slice", "Pad"}
"""Operators a Transpose can be pulled through."""


def carried(node: Node) -> list[Value]:
    """Inputs that have the axes of the result; the others are parameters."""
    if node.op_type in BROADCAST or node.op_type == "Concat":
        return [value for value in node.inputs if value is not None]
    first = node.input(0)
    return [] if first is None else [first]


def in_new_order(node: Node, perm: Sequence[int], made: dict[Value, Value], op: Builder) -> Value | None:
    """The node on inputs in the new order (axis i was axis perm[i]), or None when a parameter is not known.

    `made` gives the inputs in the new order.
    """
    op_type = node.op_type
    if op_type in BROADCAST:
        # Before opset 7 operands were matched by an attribute.
        return op.like(node, [made[v] for v in node.inputs if v is not None]) if op.opset >= 7 else None
    inputs: list[Any] = list(node.inputs)
    if op_type == "Concat":
        axis = axis_of(node, len(perm))
        if axis is None or None in inputs:
            return None
        return op.like(node, [made[v] for v in inputs], axis=perm.index(axis))
    inputs[0] = made[inputs[0]]
    if op_type in UNARY:
        return op.like(node, inputs)
    if op_type in ALONG_AXIS:
        axis = axis_of(node, len(perm), -1)
        return None if axis is None or op.opset < 13 else op.like(node, inputs, axis=perm.index(axis))
    if op_type in REDUCTIONS:
        return _reduction(node, perm, inputs, op)
    return _slice(node, perm, inputs, op) if op_type == "Slice" else _pad(node, perm, inputs, op)


def _reduction(node: Node, perm: Sequence[int], inputs: list[Any], op: Builder) -> Value | None:
    if not node.attribute("keepdims", 1):
        return None
    if raw_axes(node, op.ctx) in (None, ()):
        return op.like(node, inputs)
    axes = axes_of(node, op.ctx, len(perm))
    if axes is None:
        return None
    moved = sorted(perm.index(axis) for axis in axes)
    if node.attribute("axes") is not None:
        return op.like(node, inputs, axes=moved)
    return op.like(node, [inputs[0], op.ints(moved)])


def _slice(node: Node, perm: Sequence[int], inputs: list[Any], op: Builder) -> Value | None:
    found = slice_parameters(node, op.ctx)
    if found is None:
        return None
    moved = [perm.index(axis % len(perm)) for axis in found[2]]
    if node.attribute("starts") is not None:
        return op.like(node, inputs, axes=moved)
    inputs += [None] * (4 - len(inputs))
    inputs[3] = op.ints(moved)
    return op.like(node, inputs)


def _pad(node: Node, perm: Sequence[int], inputs: list[Any], op: Builder) -> Value | None:
    pads = node.attribute("pads")
    given = pads if pads is not None else op.ctx.ints(node.input(1))
    rank = len(perm)
    if given is None or len(given) != 2 * rank or node.input(3) is not None:
        return None
    moved = [given[axis] for axis in perm] + [given[rank + axis] for axis in perm]
    if pads is not None:
        return op.like(node, inputs, pads=moved)
    inputs[1] = op.ints(moved)
    return op.like(node, inputs)
