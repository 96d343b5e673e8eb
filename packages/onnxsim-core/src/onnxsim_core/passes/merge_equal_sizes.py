"""merge_equal_sizes: sizes that are known to be equal are computed once, and read off the nearest value that has them.

The driver lets a value give way to an earlier one with the same symbolic elements; the rules here shorten what is left.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.dims import Dim, Size
from ..ir.dtypes import INT32, INT64
from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.rule import SIZES, Skip, rewrites, skip
from .catalog import declare

declare("merge_equal_sizes", "compute equal sizes once, and read each off the first value that has it")

SIZE_OPERATORS = ("Unsqueeze", "Squeeze", "Gather", "Slice", "Concat", "Cast", "Reshape", "Add", "Sub", "Mul", "Div",
                  "Mod", "Where", "Min", "Max", "Expand", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceSum", "Neg",
                  "Abs", "Floor", "Ceil", "Tile", "Size", "Transpose")
Part = tuple[Value | None, int, tuple[Size, ...]]
"""Where elements come from: a value whose axes from the given one on have these sizes; a vector of them (axis -1); or
nothing but numbers (no value)."""


@rewrites("merge_equal_sizes", root=(*SIZE_OPERATORS, "Shape"), after=(SIZES,))
def assemble_sizes(node: Node, op: Builder) -> Value | Skip:
    """A vector of sizes computed by a longer way -> Concat(Shape(x, start, end), numbers, ..) in fewer nodes.

    Exact. Source: ONNX Shape-1, -15 (start, end).
    """
    value = node.outputs[0]
    data = value.data
    if data is None or value.dtype not in (INT64, INT32) or value.shape is None or len(value.shape) != 1 or not data:
        return skip("it computes no vector of sizes")
    if all(type(element) is int for element in data):
        return skip("all elements are numbers: that is for folding")
    best: list[Part] | None = None
    most = 0
    for reuses in (True, False):
        parts = _parts(data, op, reuses)
        gain = 0 if parts is None else _gain(node, parts, op)
        if gain > most:
            best, most = parts, gain
    if best is None:
        return skip("no earlier values have the sizes, or it is as short as it can be")
    made = [_made(part, op) for part in best]
    whole: Value = made[0] if len(made) == 1 else op.Concat(*made, axis=0)
    if value.dtype == INT32:
        whole = op.Cast(whole, to=INT32)
    return whole


def _gain(node: Node, parts: list[Part], op: Builder) -> int:
    """How many nodes less it takes to make the vector from these parts."""
    cost = (len(parts) > 1) + (node.outputs[0].dtype == INT32)
    kept = []
    for source, axis, _ in parts:
        if source is not None:
            kept.append(source)
            if axis >= 0:
                cost += 1 if op.opset >= 15 else 2
    return length(node, 2 * len(parts) + 4, kept) - cost


def _parts(data: tuple[Size, ...], op: Builder, reuses: bool) -> list[Part] | None:
    """The elements in runs that can be had as one; with `reuses`, rather from values that are there already."""
    parts: list[Part] = []
    at = 0
    while at < len(data):
        first = data[at]
        end = at + 1
        if type(first) is not Dim:
            while end < len(data) and type(data[end]) is not Dim:
                end += 1
            parts.append((None, 0, data[at:end]))
            at = end
            continue
        found = op.source_of(first)
        if found is not None and found[0].shape is not None:
            _, axis = found
            shape = found[0].shape
            while end < len(data) and axis + end - at < len(shape) and shape[axis + end - at] == data[end]:
                end += 1
        ready = op.sizes_of(data[at:end])
        if ready is None and end > at + 1 and reuses:
            ready = op.sizes_of(data[at:at + 1])
            end = end if ready is None else at + 1
        if ready is not None:
            parts.append((ready, -1, data[at:end]))
        elif found is not None:
            parts.append((*found, data[at:end]))
        else:
            return None
        at = end
    return parts


def _made(part: Part, op: Builder) -> Value:
    source, axis, sizes = part
    if source is None:
        return op.ints(sizes)  # type: ignore[arg-type]
    if axis < 0:
        return source
    made: Value
    if op.opset >= 15:
        made = op.Shape(source, start=axis, end=axis + len(sizes))
    else:
        made = op.Gather(op.Shape(source), op.ints(range(axis, axis + len(sizes))), axis=0)
    return made


@rewrites("merge_equal_sizes", root=SIZE_OPERATORS, after=(SIZES,))
def single_size(node: Node, op: Builder) -> Value | Skip:
    """A scalar size -> Squeeze of the vector that holds it, or of Shape(x, i, i+1).

    Exact. Source: ONNX Shape-15.
    """
    value = node.outputs[0]
    data = value.data
    if data is None or value.dtype != INT64 or value.shape != () or type(data[0]) is not Dim or op.opset < 15:
        return skip("it computes no single size")
    vector = op.sizes_of(data)
    if vector is not None:
        if node.input(0) is vector:
            return skip("it is as short as it can be")
        return forms.squeeze(op, vector, [0])
    found = op.source_of(data[0])
    if found is None:
        return skip("no earlier value has this size")
    picks = node.op_type == "Gather"
    if length(node, 3, [found[0]]) < (2 if picks else 3) and not (picks and op.has_sizes(data)):
        return skip("it is as short as it can be")
    source, axis = found
    return forms.squeeze(op, op.Shape(source, start=axis, end=axis + 1), [0])


def length(node: Node, limit: int, kept: Sequence[Value] = ()) -> int:
    """How many nodes, up to the limit, work for this one alone, but for those that make the values kept."""
    count = 0
    stack = [node]
    while stack and count < limit:
        count += 1
        for value in stack.pop().inputs:
            if value is not None and value.node is not None and value.tensor is None and value.is_used_once \
                    and value not in kept:
                stack.append(value.node)
    return count
