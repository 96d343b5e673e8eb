"""eliminate_sequence: tensors that go through a sequence or an optional only to come out again go straight."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import STRING
from ..ir.graph import Node, Value
from ..ops.sequence import chunk_sizes, drops_axis, split_axis
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_sequence", "let tensors go straight that go through a sequence or an optional")


@rewrites("eliminate_sequence", root="SequenceAt")
def take_from_construct(node: Node, op: Builder) -> Value | Skip:
    """SequenceAt(SequenceConstruct(a, b, ..), i) -> the i-th of them.

    Exact. Source: ONNX SequenceAt-11, a negative position counts from the end.
    """
    made, position = _maker(node, "SequenceConstruct"), _position(node, op)
    if made is None:
        return skip("the sequence is not constructed here")
    if position is None or not -len(made.inputs) <= position < len(made.inputs):
        return skip("the position is not known or out of range")
    value = made.inputs[position]
    return skip("an element is omitted") if value is None else value


@rewrites("eliminate_sequence", root="SequenceAt")
def take_piece(node: Node, op: Builder) -> Value | Skip:
    """SequenceAt(SplitToSequence(x), i) -> Gather, or the i-th output of Split when sizes are given.

    Equal Splits become one later. Exact: elements move.
    Source: ONNX SplitToSequence-11, Split-2..18, Gather-1.
    """
    made, position = _maker(node, "SplitToSequence"), _position(node, op)
    if made is None:
        return skip("the sequence is not made by a split")
    x, axis, drops = made.input(0), split_axis(made), drops_axis(made)
    if x is None or axis is None or drops is None or position is None:
        return skip("the axis or the position is not known")
    if any(_position(user, op) is None for user in made.outputs[0].uses) or made.outputs[0].outputs:
        return skip("the sequence has readers that need it")
    if made.input(1) is None:
        if x.dtype == STRING:
            return skip("of a row of strings, onnxruntime gathers the first only")
        value: Value = op.Gather(x, _index(position, drops, op), axis=axis)
        return value
    sizes = chunk_sizes(made, op.ctx)
    if sizes is None or not -len(sizes) <= position < len(sizes) or min(sizes) < 1:
        return skip("the sizes of the pieces are not known")
    return _split(x, sizes, axis, op)[position]


def _split(x: Value, sizes: list[int], axis: int, op: Builder) -> tuple[Value, ...]:
    if op.opset < 13:
        return op.node("Split", (x,), outputs=len(sizes), axis=axis, split=sizes)
    return op.node("Split", (x, op.ints(sizes)), outputs=len(sizes), axis=axis)


def _index(position: int, drops: bool, op: Builder) -> Value:
    import numpy as np

    return op.constant(np.array(position if drops else [position], np.int64))


@rewrites("eliminate_sequence", root="ConcatFromSequence")
def concat_constructed(node: Node, op: Builder) -> Value | Skip:
    """ConcatFromSequence(SequenceConstruct(a, b, ..)) -> Concat(a, b, ..), of Unsqueezed ones with new_axis=1.

    Exact. Source: ONNX ConcatFromSequence-11.
    """
    made, axis = _maker(node, "SequenceConstruct"), node.attribute("axis")
    if made is None or None in made.inputs or axis is None:
        return skip("the sequence is not constructed here")
    parts: list[Any] = list(made.inputs)
    if node.attribute("new_axis", 0):
        parts = [op.Unsqueeze(v, axes=[axis]) if op.opset < 13 else op.Unsqueeze(v, op.ints([axis])) for v in parts]
    value: Value = op.Concat(*parts, axis=axis)
    return value


@rewrites("eliminate_sequence", root="ConcatFromSequence")
def concat_what_was_split(node: Node, op: Builder) -> Value | Skip:
    """ConcatFromSequence(SplitToSequence(x)) -> x when both go along one axis and the pieces keep it.

    Exact. Source: ONNX ConcatFromSequence-11, SplitToSequence-11.
    """
    made, axis = _maker(node, "SplitToSequence"), node.attribute("axis")
    if made is None or axis is None or node.attribute("new_axis", 0):
        return skip("the sequence is not made by a split, or is stacked")
    x = made.input(0)
    if x is None or x.shape is None or drops_axis(made) is not False:
        return skip("the rank is not known or the pieces lose their axis")
    axis += len(x.shape) if axis < 0 else 0
    return x if axis == split_axis(made) else skip("split and joined along different axes")


@rewrites("eliminate_sequence", root="OptionalGetElement")
def take_from_optional(node: Node, op: Builder) -> Value | Skip:
    """OptionalGetElement(Optional(x)) -> x, and since opset 18 OptionalGetElement(x) -> x for a tensor.

    Exact. Source: ONNX OptionalGetElement-15, -18.
    """
    held = node.input(0)
    made = None if held is None else held.producer("Optional")
    if made is not None:
        held = made.input(0)
    elif held is not None and not held.dtype:
        held = None
    return skip("what the optional holds is not known") if held is None else held


def _maker(node: Node, op_type: str) -> Node | None:
    sequence = node.input(0)
    return None if sequence is None else sequence.producer(op_type)


def _position(node: Node, op: Builder) -> int | None:
    """The position a SequenceAt reads at, when it is a number; None for other nodes too."""
    known = op.ctx.ints(node.input(1)) if node.op_type == "SequenceAt" and not node.domain else None
    return known[0] if known is not None and len(known) == 1 else None
