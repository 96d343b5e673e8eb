"""What rules ask of the nodes they look at: permutations, axes, constants, equal shapes. Pure and cheap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir import dtypes
from ..ir.dims import known_equal
from ..ir.same import SAMPLE, glance, pieces
from ..ir.tensors import DeferredTensor
from ..ops.axes import normalized, normalized_axes

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Node, Shape, Value

NUMBERS = frozenset({
    dtypes.FLOAT, dtypes.DOUBLE, dtypes.FLOAT16, dtypes.BOOL, dtypes.INT8, dtypes.INT16, dtypes.INT32, dtypes.INT64,
    dtypes.UINT8, dtypes.UINT16, dtypes.UINT32, dtypes.UINT64,
})
"""Types whose elements numpy compares with a number by itself."""


# --- shapes ----------------------------------------------------------------------------------------------------------
def same_sizes(a: Shape, b: Shape) -> bool:
    """Provably the same rank and sizes."""
    if a == b:
        return True
    if len(a) != len(b):
        return False
    for left, right in zip(a, b):
        if left is not right and not known_equal(left, right):
            return False
    return True


def same_shape(a: Value, b: Value) -> bool:
    """Provably the same shape; False when a rank is unknown."""
    left, right = a.shape, b.shape
    return left is not None and right is not None and same_sizes(left, right)


def is_static(shape: Shape | None) -> bool:
    """Are the rank and all sizes numbers?"""
    if shape is None:
        return False
    for size in shape:
        if type(size) is not int:
            return False
    return True


# --- attributes and parameters ---------------------------------------------------------------------------------------
def permutation(node: Node) -> tuple[int, ...] | None:
    """The perm of a Transpose written out, or None when it is left to its default and the rank is unknown, or wrong."""
    perm = node.attribute("perm")
    x = node.input(0)
    rank = None if x is None or x.shape is None else len(x.shape)
    if perm is None:
        return None if rank is None else tuple(range(rank - 1, -1, -1))
    if type(perm) is not tuple or rank is not None and rank != len(perm):
        return None
    found = normalized_axes(perm, len(perm))
    return None if found is None else tuple(found)


def raw_axes(node: Node, ctx: Inference) -> tuple[int, ...] | None | bool:
    """Axes of an operator that has them as attribute `axes` or as input 1; None for none, False for unknown."""
    axes = node.attribute("axes")
    if axes is None:
        value = node.input(1)
        if value is None:
            return None
        axes = ctx.ints(value)
        return False if axes is None else axes
    return axes if type(axes) is tuple else False


def axes_of(node: Node, ctx: Inference, rank: int) -> tuple[int, ...] | None:
    """Axes counted from the front and sorted, or None when there are none, they are not known, or they are wrong."""
    axes = raw_axes(node, ctx)
    if type(axes) is not tuple:
        return None
    found = normalized_axes(axes, rank)
    return None if found is None else tuple(sorted(found))


def squeeze_pair(node: Node, ctx: Inference, inner_type: str
                 ) -> tuple[Value, tuple[int, ...], tuple[int, ...], int] | None:
    """For a Squeeze or Unsqueeze of another: (x, axes of the inner node, axes of this node, rank of x)."""
    inner = made_by(node.input(0), inner_type)
    x = None if inner is None else inner.input(0)
    if inner is None or x is None or x.shape is None or node.outputs[0].shape is None:
        return None
    middle = inner.outputs[0].shape
    if middle is None:
        return None
    inside = axes_of(inner, ctx, max(len(x.shape), len(middle)))
    outside = axes_of(node, ctx, max(len(node.outputs[0].shape), len(middle)))
    if inside is None or outside is None:
        return None
    return x, inside, outside, len(x.shape)


def axis_of(node: Node, rank: int, default: int | None = None) -> int | None:
    """Attribute `axis` counted from the front, or None when it is missing or out of range."""
    axis = normalized(node.attribute("axis", default), rank)
    return None if axis < 0 else axis


def slice_parameters(node: Node, ctx: Inference) -> tuple[tuple[int, ...], ...] | None:
    """(starts, ends, axes, steps) of a Slice as numbers, or None when one is not known. Axes may count from the end."""
    starts, ends, axes = node.attribute("starts"), node.attribute("ends"), node.attribute("axes")
    steps: Any = None
    if starts is None:
        starts, ends = ctx.ints(node.input(1)), ctx.ints(node.input(2))
        if node.input(3) is not None:
            axes = ctx.ints(node.input(3))
            if axes is None:
                return None
        if node.input(4) is not None:
            steps = ctx.ints(node.input(4))
            if steps is None:
                return None
    if starts is None or ends is None:
        return None
    count = len(starts)
    if axes is None:
        axes = tuple(range(count))
    if steps is None:
        steps = (1,) * count
    if len(ends) != count or len(axes) != count or len(steps) != count or 0 in steps:
        return None
    return starts, ends, axes, steps


def shape_range(node: Node) -> tuple[int, int] | None:
    """First axis and end of what a Shape gives, or None when the rank is unknown.  Source: ONNX Shape-15."""
    x = node.input(0)
    if x is None or x.shape is None:
        return None
    found = range(len(x.shape))[node.attribute("start", 0):node.attribute("end")]
    return found.start, max(found.start, found.stop)


# --- constants -------------------------------------------------------------------------------------------------------
def constant_array(value: Value | None) -> Any:
    """The numbers of a constant, loaded now, or None."""
    if value is None or value.tensor is None or value.is_input:
        return None
    return value.tensor.numpy()


def is_filled_with(value: Value | None, number: float) -> bool:
    """Is it a constant of that number everywhere? One that would have to be computed first is not looked at."""
    if value is None or value.tensor is None or value.is_input or not value.tensor.size:
        return False
    tensor = value.tensor
    if type(tensor) is DeferredTensor or tensor.dtype not in NUMBERS:
        return False
    if tensor.nbytes <= SAMPLE:
        array = tensor.numpy()
        return bool(array.item(0) == number) and (array.size == 1 or bool((array == number).all()))
    kind = dtypes.numpy_dtype(tensor.dtype).newbyteorder("<")
    if np.frombuffer(glance(tensor), kind)[0] != number:
        return False
    return not any((np.frombuffer(piece, kind) != number).any() for piece in pieces(tensor, holes=number != 0))


def uniform(value: Value | None) -> Any:
    """The scalar a value holds everywhere: one element, or what ConstantOfShape or a spread scalar makes; or None."""
    for _ in range(4):
        if value is None or value.is_input:
            return None
        node = value.node
        if node is None:
            tensor = value.tensor
            return None if tensor is None or tensor.size != 1 else tensor.numpy().reshape(())
        if node.domain or node.op_type not in SPREADING:
            return None
        if node.op_type == "ConstantOfShape":
            tensor = node.attribute("value")
            return np.zeros((), np.float32) if tensor is None else tensor.numpy().reshape(())
        value = node.input(0)
    return None


SPREADING = frozenset({"ConstantOfShape", "Expand", "Tile", "Unsqueeze", "Squeeze", "Reshape", "Flatten", "Transpose",
                      "Slice", "Identity"})
"""Operators that make more, fewer or other axes of the same number."""


# --- neighbours ------------------------------------------------------------------------------------------------------
def made_by(value: Value | None, op_type: str) -> Node | None:
    """The default-domain node of that type that makes this value, or None."""
    if value is None:
        return None
    node = value.node
    return node if node is not None and node.op_type == op_type and not node.domain else None


def either(node: Node, op_type: str) -> tuple[Node, Value] | None:
    """For a node of two inputs: the one made by that operator, and the other input."""
    if len(node.inputs) != 2:
        return None
    a, b = node.inputs
    if a is None or b is None:
        return None
    made = made_by(a, op_type)
    if made is not None:
        return made, b
    made = made_by(b, op_type)
    return None if made is None else (made, a)
