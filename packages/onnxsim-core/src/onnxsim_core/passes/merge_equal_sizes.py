"""merge_equal_sizes: sizes that are known to be equal are computed once, and read off the nearest value that has them.

The driver lets a value give way to an earlier one with the same symbolic elements; the rules here shorten what is left.
"""

from __future__ import annotations

from ..ir.dims import Dim
from ..ir.dtypes import INT64
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("merge_equal_sizes", "compute equal sizes once, and read each off the first value that has it")

SIZE_OPERATORS = ("Unsqueeze", "Squeeze", "Gather", "Slice", "Concat", "Cast", "Reshape", "Add", "Sub", "Mul", "Div", "Mod",
                  "Where", "Min", "Max", "Expand", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceSum", "Neg", "Abs",
                  "Floor", "Ceil", "Tile", "Size", "Split", "Transpose")


@rewrites("merge_equal_sizes", root=SIZE_OPERATORS)
def read_sizes_off(node: Node, op: Builder) -> Value | Skip:
    """What computes neighbouring sizes of one value by a longer way -> Shape(that value, start, end).

    Exact. Source: ONNX Shape-1, -15 (start, end).
    """
    value = node.outputs[0]
    data = value.data
    if data is None or value.dtype != INT64 or value.shape is None or len(value.shape) > 1:
        return skip("it computes no sizes")
    if len(node.outputs) != 1 or not data:
        return skip("it computes no sizes")
    found = _window(data, op)
    if found is None:
        return skip("no earlier value has these sizes on neighbouring axes")
    source, axis = found
    is_vector = len(value.shape) == 1
    if is_vector and op.opset >= 15:
        return op.Shape(source, start=axis, end=axis + len(data))
    if _length(node, 3) < 3:
        return skip("it is as short as it can be")
    return _gathered(op, source, list(range(axis, axis + len(data))), is_vector)


def _window(data: tuple[int | Dim, ...], op: Builder) -> tuple[Value, int] | None:
    """The value and first axis that have these sizes one after the other."""
    first = data[0]
    if type(first) is not Dim:
        return None
    found = op.source_of(first)
    if found is None:
        return None
    source, axis = found
    shape = source.shape
    if shape is None or shape[axis:axis + len(data)] != data:
        return None
    return found


def _length(node: Node, limit: int) -> int:
    """How many nodes, up to the limit, work for this one alone."""
    count = 0
    stack = [node]
    while stack and count < limit:
        count += 1
        for value in stack.pop().inputs:
            if value is not None and value.node is not None and value.tensor is None and value.is_used_once \
                    and value.dtype == INT64:
                stack.append(value.node)
    return count


def _gathered(op: Builder, source: Value, axes: list[int], is_vector: bool) -> Value:
    import numpy as np

    indices = op.ints(axes) if is_vector else op.constant(np.array(axes[0], np.int64))
    made: Value = op.Gather(op.Shape(source), indices, axis=0)
    return made
