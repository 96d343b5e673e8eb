"""Building nodes in the form the model's opset has: parameters as attributes in old versions, as inputs in new ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..ir.graph import Value
    from .builder import Builder


def squeeze(op: Builder, x: Value, axes: Sequence[int]) -> Value:
    """Squeeze over these axes.  Source: ONNX Squeeze-1, -13 (axes is an input)."""
    made: Value = op.Squeeze(x, op.ints(axes)) if op.opset >= 13 else op.Squeeze(x, axes=tuple(axes))
    return made


def unsqueeze(op: Builder, x: Value, axes: Sequence[int]) -> Value:
    """Unsqueeze at these axes.  Source: ONNX Unsqueeze-1, -13 (axes is an input)."""
    made: Value = op.Unsqueeze(x, op.ints(axes)) if op.opset >= 13 else op.Unsqueeze(x, axes=tuple(axes))
    return made


def reduce(op: Builder, op_type: str, x: Value, axes: Sequence[int] | None, keepdims: int) -> Value:
    """A reduction; `axes` None reduces all.  Source: ONNX ReduceSum-13 and the others' -18 (axes is an input)."""
    if axes is None:
        return op.node(op_type, [x], keepdims=keepdims)[0]
    if op.opset >= (13 if op_type == "ReduceSum" else 18):
        return op.node(op_type, [x, op.ints(axes)], keepdims=keepdims)[0]
    return op.node(op_type, [x], axes=tuple(axes), keepdims=keepdims)[0]


def reshape(op: Builder, x: Value, target: Sequence[int]) -> Value:
    """Reshape to a constant target, where 0 keeps the size and one -1 is what remains.  Source: ONNX Reshape-5."""
    made: Value = op.Reshape(x, op.ints(target)) if op.opset >= 5 else op.Reshape(x, shape=tuple(target))
    return made


def slices(op: Builder, x: Value, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int],
           steps: Sequence[int] | None = None) -> Value | None:
    """Slice, or None when the opset has no steps.  Source: ONNX Slice-1, -10 (inputs and steps)."""
    plain = steps is None or all(step == 1 for step in steps)
    if op.opset < 10:
        if not plain:
            return None
        made: Value = op.Slice(x, starts=tuple(starts), ends=tuple(ends), axes=tuple(axes))
        return made
    parameters: list[Any] = [op.ints(starts), op.ints(ends), op.ints(axes)]
    if not plain:
        parameters.append(op.ints(steps or ()))
    sliced: Value = op.Slice(x, *parameters)
    return sliced
