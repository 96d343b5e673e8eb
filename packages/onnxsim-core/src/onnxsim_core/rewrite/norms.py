"""Reading normalizations in parts: means and squares over the last axes, and the division by a root."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from ..ir.dtypes import BFLOAT16, FLOAT, FLOAT16, nbytes, numpy_dtype
from .expressions import is_step, number, rank_of
from .layers import SMALL
from .match import axes_of, is_static
from .rule import Skip, skip

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from .builder import Builder

NORM_TYPES = (FLOAT, FLOAT16, BFLOAT16)
"""LayerNormalization and RMSNormalization compute in float32, which is too little for double."""
LARGEST_SCALE = 1 << 20


def last_axes_mean(value: Value | None, op: Builder) -> tuple[Value, int] | None:
    """(x, first axis) when `value` is the mean of x over its axes from the first one to the last, sizes kept."""
    node = None if value is None else value.producer("ReduceMean")
    x = None if node is None else node.inputs[0]
    if node is None or x is None or x.shape is None or node.graph is not op.graph or node.attribute("keepdims", 1) != 1:
        return None
    rank = len(x.shape)
    axes = axes_of(node, op.ctx, rank)
    if not axes or axes != tuple(range(axes[0], rank)):
        return None
    return x, axes[0]


def squared(value: Value | None) -> Value | None:
    """The value whose square this is: Pow(v, 2) or Mul(v, v)."""
    node = None if value is None else value.node
    if node is None or node.domain or len(node.inputs) != 2:
        return None
    a, b = node.inputs
    if node.op_type == "Mul":
        return a if a is b else None
    return a if node.op_type == "Pow" and _exponent(b, rank_of(a)) == 2.0 else None


def _exponent(value: Value | None, rank: int) -> float | None:
    if value is None or not value.is_constant or value.tensor is None:
        return None
    tensor = value.tensor
    return float(tensor.numpy().reshape(-1)[0]) if tensor.size == 1 and len(tensor.dims) <= rank else None


ROOTS = ("Sqrt", "Reciprocal", "Div", "Pow")
"""Operators one of which makes an operand of what is divided by a root."""


def over_root(node: Node) -> tuple[Value, Value] | None:
    """(n, v) when the node computes n / sqrt(v), in any of the usual spellings, with every step read once."""
    a, b = node.inputs
    if a is None or b is None:
        return None
    if node.op_type == "Div":
        inner = _under_root(b)
        return None if inner is None else (a, inner)
    for n, inverse in ((a, b), (b, a)):
        inner = inverse_root(inverse)
        if inner is not None and is_step(inverse):
            return n, inner
    return None


def inverse_root(value: Value) -> Value | None:
    """The v of 1 / sqrt(v), when the root is read once."""
    node = value.node
    if node is None or node.domain:
        return None
    if node.op_type == "Reciprocal":
        return None if node.inputs[0] is None else _under_root(node.inputs[0])
    if node.op_type == "Div" and node.inputs[1] is not None:
        return _under_root(node.inputs[1]) if number(node.inputs[0], rank_of(value)) == 1.0 else None
    if node.op_type == "Pow" and _exponent(node.inputs[1], rank_of(value)) == -0.5:
        return node.inputs[0]
    return None


def _under_root(value: Value) -> Value | None:
    node = value.node
    if node is None or node.domain or not is_step(value):
        return None
    if node.op_type == "Sqrt" or node.op_type == "Pow" and _exponent(node.inputs[1], rank_of(value)) == 0.5:
        return node.inputs[0]
    return None


def mean_square_plus(value: Value, op: Builder) -> tuple[Value, int, float] | None:
    """(d, first axis, epsilon) of mean(d * d) + epsilon over the last axes, with every step read once."""
    total = value.producer("Add")
    if total is None or not is_step(value):
        return None
    a, b = total.inputs
    rank = rank_of(value)
    for mean, constant in ((a, b), (b, a)):
        epsilon = number(constant, rank)
        found = None if epsilon is None or mean is None or not is_step(mean) else last_axes_mean(mean, op)
        if epsilon is None or found is None:
            continue
        square, axis = found
        base = squared(square) if is_step(square) else None
        return None if base is None or epsilon < 0.0 else (base, axis, epsilon)
    return None


def ones_like_last(op: Builder, x: Value, axis: int) -> Value | Skip:
    """The scale of a normalization of x from that axis on: ones."""
    if x.shape is None or not is_static(x.shape[axis:]):
        return skip("the size of the normalized axes is not known")
    dims: tuple[int, ...] = x.shape[axis:]  # type: ignore[assignment]
    size = math.prod(dims)
    wanted = nbytes(x.dtype, size)
    if size > LARGEST_SCALE or wanted > SMALL and not op.affordable(wanted, *_scale_after(op, dims)):
        return skip("the scale would be too large")
    return op.constant(np.ones(dims, numpy_dtype(x.dtype)), f"{x.name}_scale")


def _scale_after(op: Builder, dims: tuple[int, ...]) -> list[Value]:
    """The constant that multiplies the result next: `fuse_affine_into_norm` lets it take the place of the ones."""
    following = op.root.outputs[0].only_use()
    if following is None or following.op_type != "Mul" or following.domain:
        return []
    return [value for value in following.inputs if value is not None and value.is_constant and value.shape == dims]
