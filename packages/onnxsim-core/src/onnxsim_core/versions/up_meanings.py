"""Upwards: operators that mean something else since a version, and operators that got another name."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, skip
from .steps import numbers, rank_of, rebuilt, up


@up("Softmax", "LogSoftmax", "Hardmax", at=13)
def along_one_axis(node: Node, op: Builder) -> tuple[Value, ...] | Value:
    """Softmax<axis=k>(x) -> along the last axis of x flattened to two dimensions at k.

    Exact: where all sizes behind k but one are 1, the operator itself along that axis.
    Source: ONNX Softmax-11 (the input is coerced into 2D) and Softmax-13.
    """
    x, axis = node.inputs[0], node.attribute("axis", 1)
    single = single_axis(x, axis)
    if single is not None:
        return rebuilt(op, node, node.inputs, axis=single)
    flat = op.Flatten(x, axis=axis)
    (done,) = rebuilt(op, node, [flat], axis=-1)
    result: Value = op.Reshape(done, op.Shape(x))
    return result


def single_axis(x: Value | None, axis: int) -> int | None:
    """The axis at or behind `axis` that is the only one there whose size is not 1; None when there are several."""
    if x is None or x.shape is None:
        return None
    rank = len(x.shape)
    start = axis + rank if axis < 0 else axis
    if not 0 <= start < rank:
        return None
    wide = [index for index in range(start, rank) if x.shape[index] != 1]
    return wide[0] if len(wide) == 1 else rank - 1 if not wide else None


@up("BatchNormalization", at=9)
def always_spatial(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """BatchNormalization<spatial=1> -> BatchNormalization.  Source: ONNX BatchNormalization-9."""
    spatial = node.attribute("spatial")
    if spatial == 0:
        return skip("spatial is 0")
    return None if spatial is None else rebuilt(op, node, node.inputs, spatial=None)


@up("BatchNormalization", at=14)
def no_statistics(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """BatchNormalization with one output -> the same.  Source: ONNX BatchNormalization-14, training_mode 0."""
    if len(node.outputs) == 1:
        return None
    if any(not value.is_dead for value in node.outputs[1:]):
        return skip("it runs in training mode: its statistics are read")
    return rebuilt(op, node, node.inputs, outputs=1)


@up("Dropout", at=10)
def mask_becomes_bool(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """(y, mask) = Dropout(x) -> (y, Cast(mask)).  Source: ONNX Dropout-10, whose mask is of type bool."""
    if len(node.outputs) < 2:
        return None
    if node.outputs[1].is_dead:
        return rebuilt(op, node, node.inputs, outputs=1)
    x = node.inputs[0]
    if x is None or not x.dtype:
        return skip("the type of input 0 is unknown")
    y, mask = rebuilt(op, node, node.inputs)
    return y, op.Cast(mask, to=x.dtype)


@up("Upsample", at=10)
def resize(node: Node, op: Builder) -> tuple[Value, ...]:
    """Upsample(x, scales) -> Resize(x, scales).  Source: ONNX Resize-10."""
    return rebuilt(op, node, node.inputs, op_type="Resize")


@up("Resize", at=11)
def resize_from_the_corner(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Resize(x, scales) -> Resize<asymmetric, floor>(x, roi, scales); where it shrinks, nearest rounds up.

    Source: ONNX Resize-10, and onnxruntime for how it rounds.
    """
    import numpy as np

    x, scales = node.inputs[0], node.input(1)
    nearest = None
    if node.attribute("mode", b"nearest") == b"nearest":
        found = numbers(scales)
        if found is None:
            return skip("scales are not constant, and where it shrinks it rounds in another way")
        if (found >= 1).all():
            nearest = b"floor"
        elif (found <= 1).all():
            nearest = b"ceil"
        else:
            return skip("it grows along one axis and shrinks along another")
    roi = op.constant(np.array([], np.float32))
    return rebuilt(op, node, [x, roi, scales], coordinate_transformation_mode=b"asymmetric", nearest_mode=nearest)


@up("Resize", at=13)
def leave_empty_inputs_out(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """Resize(x, [], scales) -> Resize(x, , scales), and likewise for empty scales.  Source: ONNX Resize-13."""
    inputs = [value if index == 0 or not _is_empty(value) else None for index, value in enumerate(node.inputs)]
    return None if inputs == node.inputs else rebuilt(op, node, inputs)


def _is_empty(value: Value | None) -> bool:
    return value is not None and value.is_constant and value.tensor is not None and value.tensor.size == 0


@up("Scatter", at=11)
def scatter_elements(node: Node, op: Builder) -> tuple[Value, ...]:
    """Scatter -> ScatterElements.  Source: ONNX ScatterElements-11."""
    return rebuilt(op, node, node.inputs, op_type="ScatterElements")


@up("GridSample", at=20)
def modes_of_any_rank(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """bilinear -> linear, bicubic -> cubic.  Source: ONNX GridSample-20."""
    mode = {b"bilinear": b"linear", b"bicubic": b"cubic"}.get(node.attribute("mode"))
    return None if mode is None else rebuilt(op, node, node.inputs, mode=mode)


@up("RoiAlign", at=16)
def without_half_pixels(node: Node, op: Builder) -> tuple[Value, ...]:
    """RoiAlign -> RoiAlign<output_half_pixel>.  Source: ONNX RoiAlign-16, what RoiAlign-10 did."""
    return rebuilt(op, node, node.inputs, coordinate_transformation_mode=b"output_half_pixel")


@up("GroupNormalization", at=21)
def scale_channels(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """Scale and bias of each group -> of each of its channels.  Source: ONNX GroupNormalization-18 and -21."""
    x, groups = node.inputs[0], node.attribute("num_groups")
    channels = x.shape[1] if x is not None and x.shape is not None and len(x.shape) > 1 else None
    if type(channels) is not int or type(groups) is not int or groups < 1 or channels % groups:
        return skip("the number of channels is unknown")
    width = channels // groups
    values = [_repeated(op, value, width) for value in node.inputs[1:3]]
    return rebuilt(op, node, [x, *values])


def _repeated(op: Builder, value: Any, width: int) -> Value:
    """[g] -> [g * width], each element in a row."""
    found = numbers(value)
    if found is not None:
        return op.constant(found.repeat(width), value.name)
    wide = op.Expand(op.Unsqueeze(value, op.ints([1])), op.ints([1, width]))
    result: Value = op.Reshape(wide, op.ints([-1]))
    return result


@up("PRelu", at=7)
def slope_along_channels(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """A slope for each channel gets the axes behind.  Source: ONNX PRelu-6 and PRelu-7."""
    x, slope = node.inputs[0], node.input(1)
    rank, given = rank_of(x), rank_of(slope)
    if given == 0 or slope is not None and slope.shape is not None and all(size == 1 for size in slope.shape):
        return None
    if rank is None or given != 1:
        return skip("the ranks are unknown")
    return rebuilt(op, node, [x, behind(op, slope, rank - 2)])


def behind(op: Builder, value: Any, count: int) -> Value:
    """The value with that many axes of size 1 behind its own."""
    if count <= 0:
        found: Value = value
        return found
    if value.is_constant:
        return op.constant(value.tensor.reshaped((*value.tensor.dims, *(1,) * count)), value.name)
    rank = len(value.shape)
    made: Value = op.Unsqueeze(value, axes=tuple(range(rank, rank + count)))
    return made


@up("Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less", at=7)
def broadcast_like_numpy(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Add<broadcast=1, axis=k>(a, b) -> Add(a, b with axes behind).  Source: ONNX Add-6 and Add-7."""
    attributes = node.attributes
    if not attributes:
        return None
    a, b = node.inputs
    axis = node.attribute("axis")
    if node.attribute("broadcast", 0) and axis is not None:
        whole, part = rank_of(a), rank_of(b)
        if whole is None or part is None:
            return skip("the ranks are unknown")
        b = behind(op, b, whole - part - (axis + whole if axis < 0 else axis))
    return rebuilt(op, node, [a, b], broadcast=None, axis=None, consumed_inputs=None)


@up("Gemm", at=7)
def always_broadcast(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """Gemm<broadcast> -> Gemm.  Source: ONNX Gemm-7."""
    return None if node.attribute("broadcast") is None else rebuilt(op, node, node.inputs, broadcast=None)


@up("Dropout", "BatchNormalization", at=7)
def no_test_flag(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """f<is_test> -> f, which does not train.  Source: ONNX Dropout-7, BatchNormalization-7."""
    if node.op_type == "BatchNormalization" and any(not value.is_dead for value in node.outputs[1:]):
        return skip("it runs in training mode: its statistics are read")
    if node.attribute("is_test") is None and node.attribute("consumed_inputs") is None:
        return None
    outputs = 1 if node.op_type == "BatchNormalization" else 0
    return rebuilt(op, node, node.inputs, outputs=outputs, is_test=None, consumed_inputs=None)


@up("Scan", at=9)
def without_batches(node: Node, op: Builder) -> Skip:
    """Scan-8 runs its body for every batch of its inputs, which Scan-9 cannot say.  Source: ONNX Scan-8, Scan-9."""
    return skip("it scans batches")
