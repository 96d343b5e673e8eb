"""Downwards: operators that meant something else before a version, or had another name."""

from __future__ import annotations

from ..ir.dims import known_equal
from ..ir.dtypes import BOOL, is_float, numpy_dtype
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.match import same_shape
from ..rewrite.rule import Skip, skip
from .steps import down, rank_of, rebuilt
from .up_meanings import single_axis


@down("Softmax", "LogSoftmax", "Hardmax", at=13)
def flattened_to_two_axes(node: Node, op: Builder) -> tuple[Value, ...] | Value | Skip:
    """Softmax along an axis that is not the last one -> between two Transposes.  Source: ONNX Softmax-11 and -13."""
    x = node.inputs[0]
    rank, axis = rank_of(x), node.attribute("axis", -1)
    if rank is None:
        return skip("the rank of input 0 is unknown")
    axis += rank if axis < 0 else 0
    if axis == rank - 1 or single_axis(x, axis) == axis:
        return rebuilt(op, node, node.inputs, axis=axis)
    swap = list(range(rank))
    swap[axis], swap[-1] = swap[-1], swap[axis]
    (done,) = rebuilt(op, node, [op.Transpose(x, perm=swap)], axis=rank - 1)
    result: Value = op.Transpose(done, perm=swap)
    return result


@down("Shape", at=15)
def cut_the_whole_shape(node: Node, op: Builder) -> Value | None:
    """Shape<start, end>(x) -> Slice(Shape(x), start, end).  Source: ONNX Shape-13 and -15."""
    start, end = node.attribute("start", 0), node.attribute("end")
    if not start and end is None:
        return None
    stop = (1 << 63) - 1 if end is None else end
    result: Value = op.Slice(op.Shape(node.inputs[0]), op.ints([start]), op.ints([stop]), op.ints([0]))
    return result


@down("Reshape", at=14)
def zeros_copy(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Reshape<allowzero=1> -> Reshape if the shape holds no 0, as far as sizes of 0 are not asked for.

    Numerics: where a symbolic size is 0, the older version may fail; a warning says so.
    Source: ONNX Reshape-13 and -14.
    """
    if not node.attribute("allowzero", 0):
        return None
    shape, x = op.ctx.data(node.input(1)), node.inputs[0]
    if shape is None or 0 in shape:
        return skip("allowzero is 1 and the shape may hold a 0")
    copied = () if x is None or x.shape is None else x.shape
    if any(type(size) is not int and (place >= len(copied) or not known_equal(size, copied[place]))
           for place, size in enumerate(shape)):
        op.ctx.warnings.append(f"{node.where()}: Reshape has no allowzero in older operator sets: sizes of 0 may fail")
    return rebuilt(op, node, node.inputs, allowzero=None)


@down("BatchNormalization", at=14)
def no_training(node: Node, op: Builder) -> Skip | None:
    """BatchNormalization<training_mode=0> -> the same.  Source: ONNX BatchNormalization-9 and -14."""
    return skip("it runs in training mode") if node.attribute("training_mode", 0) or len(node.outputs) > 1 else None


@down("Dropout", at=10)
def mask_of_the_input_type(node: Node, op: Builder) -> tuple[Value, ...] | None:
    """(y, mask) = Dropout(x) -> (y, Cast<bool>(mask)).  Source: ONNX Dropout-7 and -10."""
    if len(node.outputs) < 2 or node.outputs[1].is_dead:
        return None
    y, mask = rebuilt(op, node, node.inputs)
    return y, op.Cast(mask, to=BOOL)


@down("Gemm", at=11)
def add_zero(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Gemm(a, b) -> Gemm(a, b, [0]).  Source: ONNX Gemm-9 and -11."""
    import numpy as np

    a = node.inputs[0]
    if node.input(2) is not None:
        return None
    if a is None or not a.dtype:
        return skip("the type of input 0 is unknown")
    return rebuilt(op, node, [*node.inputs[:2], op.constant(np.zeros(1, numpy_dtype(a.dtype)))])


@down("Pow", at=12)
def one_type(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """Pow(x, n) -> Pow(x, Cast(n)) where n is of another type.  Source: ONNX Pow-7 and -12."""
    base, exponent = node.inputs
    if base is None or exponent is None or not base.dtype or not exponent.dtype:
        return skip("the types are unknown")
    if base.dtype == exponent.dtype:
        return None
    if not is_float(base.dtype):
        return skip("the exponent is of another type than the integer base")
    return rebuilt(op, node, [base, op.Cast(exponent, to=base.dtype)])


@down("GridSample", at=20)
def modes_of_images(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """linear -> bilinear, cubic -> bicubic.  Source: ONNX GridSample-16 and -20."""
    if rank_of(node.inputs[0]) != 4:
        return skip("the input is not known to have 4 dimensions")
    mode = node.attribute("mode", b"linear")
    return rebuilt(op, node, node.inputs, mode={b"linear": b"bilinear", b"cubic": b"bicubic"}.get(mode, mode))


@down("RoiAlign", at=16)
def output_half_pixels_only(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
    """RoiAlign<output_half_pixel> -> RoiAlign.  Source: ONNX RoiAlign-10 and -16."""
    if node.attribute("coordinate_transformation_mode", b"half_pixel") != b"output_half_pixel":
        return skip("it shifts the boxes by half a pixel")
    return rebuilt(op, node, node.inputs, coordinate_transformation_mode=None)


@down("QuantizeLinear", "DequantizeLinear", at=13)
def one_scale(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """QuantizeLinear<axis> with one scale for all -> without axis.  Source: ONNX QuantizeLinear-10 and -13."""
    scale = node.input(1)
    if scale is None or scale.shape is None or any(size != 1 for size in scale.shape):
        return skip("it has a scale for each channel")
    return None if node.attribute("axis") is None else rebuilt(op, node, node.inputs, axis=None)


@down("QuantizeLinear", at=21)
def type_of_the_zero_point(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """QuantizeLinear<output_dtype> -> the type of the zero point.  Source: ONNX QuantizeLinear-19 and -21."""
    wanted, zero = node.attribute("output_dtype", 0), node.input(2)
    if wanted and wanted != (2 if zero is None else zero.dtype):
        return skip("output_dtype is not the type of the zero point")
    return rebuilt(op, node, node.inputs, output_dtype=None) if wanted else None


@down("DequantizeLinear", at=23)
def type_of_the_scale(node: Node, op: Builder) -> tuple[Value, ...] | Skip | None:
    """DequantizeLinear<output_dtype> -> the type of the scale.  Source: ONNX DequantizeLinear-21 and -23."""
    wanted, scale = node.attribute("output_dtype", 0), node.input(1)
    if wanted and (scale is None or wanted != scale.dtype):
        return skip("output_dtype is not the type of the scale")
    return rebuilt(op, node, node.inputs, output_dtype=None) if wanted else None


@down("DepthToSpace", at=11)
def column_row_depth(node: Node, op: Builder) -> tuple[Value, ...] | Value | Skip | None:
    """DepthToSpace<CRD> -> Reshape, Transpose, Reshape.  Source: ONNX DepthToSpace-1 and -11."""
    mode, block = node.attribute("mode"), node.attribute("blocksize")
    if mode != b"CRD":
        return None if mode is None else rebuilt(op, node, node.inputs, mode=None)
    x = node.inputs[0]
    if x is None or x.shape is None or len(x.shape) != 4 or any(type(size) is not int for size in x.shape[1:]):
        return skip("its mode is CRD and the sizes are unknown")
    _, depth, height, width = x.shape
    channels = depth // block**2
    split = op.Reshape(x, op.ints([0, channels, block, block, height, width]))  # type: ignore[list-item]
    moved = op.Transpose(split, perm=[0, 1, 4, 2, 5, 3])
    sizes = [0, channels, height * block, width * block]
    result: Value = op.Reshape(moved, op.ints(sizes))
    return result


@down("Mod", at=28)
def of_whole_numbers(node: Node, op: Builder) -> Skip | None:
    """Mod<fmod=0> of integers -> the same.  Source: ONNX Mod-13 and -28, which takes floats without fmod too."""
    x = node.inputs[0]
    if not node.attribute("fmod", 0) and (x is None or not x.dtype or is_float(x.dtype)):
        return skip("it takes the remainder of floats with the sign of the divisor")
    return None


@down("LayerNormalization", at=17)
def normalize_by_hand(node: Node, op: Builder) -> Value | Skip:
    """LayerNormalization(x) -> (x - mean) / sqrt(mean((x - mean)^2) + epsilon) * scale + bias.

    Numerics: the deviation is squared before the mean is taken, so that nothing cancels.
    Source: ONNX LayerNormalization-17.
    """
    import numpy as np

    x, rank = node.inputs[0], rank_of(node.inputs[0])
    if rank is None or x is None or x.dtype != node.attribute("stash_type", 1) or len(node.outputs) > 1:
        return skip("the rank or the type is unknown, or its statistics are read")
    axes = tuple(range(node.attribute("axis", -1) % rank, rank))
    centered = op.Sub(x, op.ReduceMean(x, axes=axes))
    epsilon = op.constant(np.array(node.attribute("epsilon", 1e-5), numpy_dtype(x.dtype)))
    deviation = op.Sqrt(op.Add(op.ReduceMean(op.Mul(centered, centered), axes=axes), epsilon))
    result: Value = op.Mul(op.Div(centered, deviation), node.inputs[1])
    if node.input(2) is not None:
        result = op.Add(result, node.inputs[2])
    return result


@down("CastLike", at=15)
def cast_to_a_known_type(node: Node, op: Builder) -> Value | Skip:
    """CastLike(x, like) -> Cast<to>(x).  Source: ONNX CastLike-15."""
    like = node.input(1)
    if like is None or not like.dtype:
        return skip("the type of input 1 is unknown")
    result: Value = op.Cast(node.inputs[0], to=like.dtype)
    return result


@down("ScatterElements", at=11)
def scatter(node: Node, op: Builder) -> tuple[Value, ...]:
    """ScatterElements -> Scatter.  Source: ONNX Scatter-9."""
    return rebuilt(op, node, node.inputs, op_type="Scatter")


@down("Sum", "Max", "Min", "Mean", at=8)
def without_broadcasting(node: Node, op: Builder) -> Value | Skip | None:
    """Sum(a, b, c) of different shapes -> Add(Add(a, b), c).  Source: ONNX Sum-6 and -8, Add-7."""
    first = node.inputs[0]
    if first is not None and all(value is not None and same_shape(first, value) for value in node.inputs[1:]):
        return None
    if node.op_type != "Sum":
        return skip("its inputs are not known to have one shape")
    value = first
    for other in node.inputs[1:]:
        value = op.Add(value, other)
    assert value is not None
    return value
