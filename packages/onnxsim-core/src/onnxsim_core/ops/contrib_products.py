"""onnxruntime's products, convolutions and quantised operators (domain com.microsoft). Shapes only."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, add, mul
from ..ir.dtypes import FLOAT, INT32, UINT8
from ..ir.graph import Node, Value
from .attributes import integer, integers, word
from .broadcasting import broadcast_many
from .contrib_attention import shape_of
from .linear import gemm_shape, product_shape
from .pooling import global_pool_shape, pool_shape
from .quantization import dequantize_linear_shape, quantize_linear_shape
from .registry import SHAPES
from .window import convolved, pooled, pooled_up, slid_shape, window

MICROSOFT = "com.microsoft"
Shape = tuple[Any, ...]


# --- products --------------------------------------------------------------------------------------------------------
@SHAPES.register("MatMulInteger16", "MatMulIntegerToFloat", "DynamicQuantizeMatMul", "GemmFastGelu", domain=MICROSOFT)
def product_like_shape(node: Node, ctx: Any) -> None:
    """A @ B in the type of A, in int32 (MatMulInteger16), or in the type of A's scale (MatMulIntegerToFloat)."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    dtype = a.dtype
    if node.op_type == "MatMulInteger16":
        dtype = INT32
    elif node.op_type == "MatMulIntegerToFloat":
        scale = node.input(2)
        dtype = 0 if scale is None else scale.dtype
    shape = None if a.shape is None or b.shape is None else product_shape(a.shape, b.shape)
    ctx.set(node.outputs[0], dtype, shape)


@SHAPES.register("MatMulNBits", "MatMulBnb4", domain=MICROSOFT)
def matmul_bits_shape(node: Node, ctx: Any) -> None:
    """A [.., K] @ packed weights of N columns -> [.., N].  Source: onnxruntime MatMulNBits, MatMulBnb4."""
    a, columns = node.input(0), integer(node, "N", -1)
    if a is None or not node.outputs:
        return
    if node.op_type == "MatMulBnb4" and not integer(node, "transB", 1):
        columns = integer(node, "K", -1)
    ctx.set(node.outputs[0], a.dtype, [*a.shape[:-1], columns] if a.shape and columns >= 0 else None)


@SHAPES.register("FusedMatMul", "FusedMatMulActivation", "TransposeMatMul", domain=MICROSOFT)
def fused_matmul_shape(node: Node, ctx: Any) -> None:
    """alpha * op(A) @ op(B): trans turns the last two axes, transBatch moves the first axis before the last.

    Source: onnxruntime com.microsoft.FusedMatMul.
    """
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    left = _operand(a.shape, integer(node, "transA", 0), integer(node, "transBatchA", 0))
    right = _operand(b.shape, integer(node, "transB", 0), integer(node, "transBatchB", 0))
    ctx.set(node.outputs[0], a.dtype, None if left is None or right is None else product_shape(left, right))


def _operand(shape: Shape | None, turned: int, batch: int) -> Shape | None:
    """A vector is not turned."""
    if shape is None:
        return None
    if batch and len(shape) > 2:
        shape = (*shape[1:-1], shape[0], shape[-1])
    return (*shape[:-2], shape[-1], shape[-2]) if turned and len(shape) > 1 else shape


SHAPES.register("FusedGemm", domain=MICROSOFT)(gemm_shape)


@SHAPES.register("QGemm", domain=MICROSOFT)
def qgemm_shape(node: Node, ctx: Any) -> None:
    """Gemm of inputs 0 and 3; 8-bit when a zero point of the result is given, else float.

    Source: onnxruntime com.microsoft.QGemm.
    """
    a, b, zero = shape_of(node.input(0), 2), shape_of(node.input(3), 2), node.input(8)
    if not node.outputs:
        return
    shape = None
    if a is not None and b is not None:
        shape = (a[1] if integer(node, "transA", 0) else a[0], b[0] if integer(node, "transB", 0) else b[1])
    ctx.set(node.outputs[0], FLOAT if zero is None else zero.dtype, shape)


@SHAPES.register("GatherBlockQuantized", domain=MICROSOFT)
def gather_block_quantized_shape(node: Node, ctx: Any) -> None:
    """Gather along `gather_axis` in the type of the scales; uint8 data hold several elements along the last axis."""
    data, indices, scales = node.input(0), node.input(1), node.input(2)
    if data is None or indices is None or scales is None or not node.outputs:
        return
    shape = None
    if data.shape and indices.shape is not None:
        sizes = list(data.shape)
        axis = integer(node, "gather_axis", 0)
        axis += len(sizes) if axis < 0 else 0
        if data.dtype == UINT8:
            bits = integer(node, "bits", 4)
            sizes[-1] = mul(sizes[-1], 8 // bits) if bits in (2, 4, 8) else ctx.fresh()
        if 0 <= axis < len(sizes):
            shape = [*sizes[:axis], *indices.shape, *sizes[axis + 1:]]
    ctx.set(node.outputs[0], scales.dtype, shape)


@SHAPES.register("CDist", domain=MICROSOFT)
def cdist_shape(node: Node, ctx: Any) -> None:
    """[m, k], [n, k] -> [m, n]."""
    a, b = shape_of(node.input(0), 2), shape_of(node.input(1), 2)
    if node.inputs and node.inputs[0] is not None and node.outputs:
        ctx.set(node.outputs[0], node.inputs[0].dtype, None if a is None or b is None else (a[0], b[0]))


# --- convolutions and pools ------------------------------------------------------------------------------------------
@SHAPES.register("FusedConv", domain=MICROSOFT)
def fused_conv_shape(node: Node, ctx: Any) -> None:
    """[N, C, *in], [M, C/group, *k] -> [N, M, *out], also with a sum and an activation behind it."""
    _convolve(node, node.input(0), node.input(1), 0, False, ctx)


@SHAPES.register("NhwcConv", "NhwcFusedConv", domain=MICROSOFT)
def nhwc_conv_shape(node: Node, ctx: Any) -> None:
    """[N, *in, C], [M, *k, C/group] -> [N, *out, M].  Source: onnxruntime com.microsoft.NhwcConv (filters OHWI)."""
    _convolve(node, node.input(0), node.input(1), 0, None, ctx)


@SHAPES.register("QLinearConv", domain=MICROSOFT)
def qlinear_conv_shape(node: Node, ctx: Any) -> None:
    """Conv of inputs 0 and 3 (filters OIHW) in the type of the zero point; the channels may be last."""
    zero = node.input(7)
    _convolve(node, node.input(0), node.input(3), 0 if zero is None else zero.dtype,
              bool(integer(node, "channels_last", 0)), ctx)


def _convolve(node: Node, x: Value | None, weight: Value | None, dtype: int, last: bool | None, ctx: Any) -> None:
    """`last`: are the channels of x last; None if the layout of the filters is not sure either."""
    if x is None or weight is None or not node.outputs:
        return
    dtype = dtype or x.dtype
    shape, filters = x.shape, weight.shape
    kernel = integers(node, "kernel_shape") or (() if filters is None or last is None else filters[2:])
    win = None if shape is None or filters is None or len(shape) < 3 else window(node, len(shape) - 2, kernel)
    if shape is None or not filters or win is None:
        ctx.set(node.outputs[0], dtype)
        return
    first = shape if last is False else (shape[0], shape[-1], *shape[1:-1])
    sizes = slid_shape(first, win, convolved)
    ctx.set(node.outputs[0], dtype, [shape[0], filters[0], *sizes] if last is False else [shape[0], *sizes, filters[0]])


SHAPES.register("MaxpoolWithMask", domain=MICROSOFT)(pool_shape)


@SHAPES.register("QLinearAveragePool", "NhwcMaxPool", domain=MICROSOFT)
def qlinear_pool_shape(node: Node, ctx: Any) -> None:
    """A pool in the type of its input; the channels may be last."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    if node.op_type != "NhwcMaxPool" and not integer(node, "channels_last", 0):
        pool_shape(node, ctx)
        return
    shape, sizes = x.shape, None
    if shape is not None and len(shape) >= 3:
        win = window(node, len(shape) - 2, integers(node, "kernel_shape") or ())
        if win is not None:
            turned = (shape[0], shape[-1], *shape[1:-1])
            spatial = slid_shape(turned, win, pooled_up if integer(node, "ceil_mode", 0) else pooled)
            sizes = None if None in spatial else [shape[0], *spatial, shape[-1]]
    ctx.set(node.outputs[0], x.dtype, sizes)


@SHAPES.register("QLinearGlobalAveragePool", domain=MICROSOFT)
def qlinear_global_pool_shape(node: Node, ctx: Any) -> None:
    """Spatial sizes become 1."""
    x = node.input(0)
    if not integer(node, "channels_last", 0):
        global_pool_shape(node, ctx)
    elif x is not None and node.outputs:
        shape = x.shape
        ctx.set(node.outputs[0], x.dtype, None if shape is None or len(shape) < 3 else
                [shape[0], *(1,) * (len(shape) - 2), shape[-1]])


# --- quantised elementwise -------------------------------------------------------------------------------------------
SHAPES.register("QuantizeLinear", domain=MICROSOFT)(quantize_linear_shape)
SHAPES.register("DequantizeLinear", domain=MICROSOFT)(dequantize_linear_shape)

_OPERANDS = {"QLinearAdd": (0, 3), "QLinearMul": (0, 3), "MulInteger": (0, 2), "QLinearWhere": (1, 4, 0)}


@SHAPES.register("QLinearAdd", "QLinearMul", "MulInteger", "QLinearWhere", domain=MICROSOFT)
def qlinear_broadcast_shape(node: Node, ctx: Any) -> None:
    """The operands broadcast; the type is that of the first one, int32 for MulInteger."""
    operands = [node.input(index) for index in _OPERANDS[node.op_type]]
    first = operands[0]
    if first is None or None in operands or not node.outputs:
        return
    shape = broadcast_many([value.shape for value in operands])  # type: ignore[union-attr]
    ctx.set(node.outputs[0], INT32 if node.op_type == "MulInteger" else first.dtype, shape)


@SHAPES.register("QLinearConcat", domain=MICROSOFT)
def qlinear_concat_shape(node: Node, ctx: Any) -> None:
    """Concat of inputs 2, 5, 8, ... in the type of the zero point of the result."""
    zero, parts = node.input(1), node.inputs[2::3]
    if zero is None or not parts or not node.outputs:
        return
    ctx.set(node.outputs[0], zero.dtype, _joined(parts, integer(node, "axis", 0)))


def _joined(parts: list[Value | None], axis: int) -> list[Size] | None:
    result: list[Size] | None = None
    for value in parts:
        if value is None or value.shape is None:
            return None
        if result is None:
            result = list(value.shape)
            axis += len(result) if axis < 0 else 0
            if not 0 <= axis < len(result):
                return None
            continue
        if len(value.shape) != len(result):
            return None
        for index, size in enumerate(value.shape):
            if index == axis:
                result[index] = add(result[index], size)
            elif type(size) is int:
                result[index] = size
    return result


@SHAPES.register("QLinearReduceMean", "ReduceSumInteger", domain=MICROSOFT)
def qlinear_reduce_shape(node: Node, ctx: Any) -> None:
    """The axes (all when there are none) become 1, or go when keepdims=0; ReduceSumInteger gives int32."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape, sizes = x.shape, None
    if shape is not None:
        raw = integers(node, "axes") or tuple(range(len(shape)))
        axes = {axis + len(shape) if axis < 0 else axis for axis in raw}
        if integer(node, "keepdims", 1):
            sizes = [1 if index in axes else size for index, size in enumerate(shape)]
        else:
            sizes = [size for index, size in enumerate(shape) if index not in axes]
    ctx.set(node.outputs[0], INT32 if node.op_type == "ReduceSumInteger" else x.dtype, sizes)


@SHAPES.register("DynamicQuantizeLSTM", domain=MICROSOFT)
def dynamic_quantize_lstm_shape(node: Node, ctx: Any) -> None:
    """LSTM with weights [directions, in, 4 * hidden], recurrence [directions, hidden, 4 * hidden]."""
    x = node.input(0)
    if x is None:
        return
    shape, recurrence = shape_of(x, 3), shape_of(node.input(2), 3)
    hidden: Any = integer(node, "hidden_size", -1)
    if hidden < 0:
        hidden = None if recurrence is None else recurrence[1]
    both = word(node, "direction", b"forward").lower() == b"bidirectional"
    y = last = None
    if shape is not None and hidden is not None:
        y = (shape[0], 2 if both else 1, shape[1], hidden)
        last = (y[1], shape[1], hidden)
    for index, value in enumerate(node.outputs[:3]):
        ctx.set(value, x.dtype, last if index else y)
