"""Operators of other domains: those of onnxruntime, mmdeploy and QONNX whose result is like an input. Shapes only."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size
from ..ir.dtypes import BOOL, FLOAT, INT8
from ..ir.graph import Node, Value
from .attributes import integer
from .registry import SHAPES

MICROSOFT = "com.microsoft"
QONNX = ("qonnx.custom_op.general", "finn.custom_op.general")
MMDEPLOY = ("mmdeploy", "mmcv")


# --- like the first input --------------------------------------------------------------------------------------------
@SHAPES.register(
    "BiasAdd", "BiasGelu", "BiasSoftmax", "FastGelu", "Gelu", "GroupNorm", "Inverse", "LongformerAttention", "MoE",
    "MoEPacked", "MRotaryEmbedding", "QLinearLeakyRelu", "QLinearSigmoid", "QLinearSoftmax", "QMoE", "QOrderedGelu",
    "QOrderedLayerNormalization", "QuickGelu", "RotaryEmbedding", "ScaledSiLU", "Trilu", domain=MICROSOFT,
)
def like_first_shape(node: Node, ctx: Any) -> None:
    """The result has the type and shape of the first input.  Source: onnxruntime contrib operators."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], x.dtype, x.shape)


for _domain in QONNX:
    SHAPES.register("Quant", "BipolarQuant", "Trunc", "FloatQuant", domain=_domain)(like_first_shape)


@SHAPES.register("NGramRepeatBlock", domain=MICROSOFT)
def like_scores_shape(node: Node, ctx: Any) -> None:
    """The scores [batch, vocabulary] with repetitions masked out."""
    scores = node.input(1)
    if scores is not None and node.outputs:
        ctx.set(node.outputs[0], scores.dtype, scores.shape)


@SHAPES.register("BiasDropout", domain=MICROSOFT)
def bias_dropout_shape(node: Node, ctx: Any) -> None:
    """The result and the mask have the shape of the data."""
    x = node.input(0)
    if x is not None:
        for index, value in enumerate(node.outputs[:2]):
            ctx.set(value, BOOL if index else x.dtype, x.shape)


@SHAPES.register("QuantizeWithOrder", "DequantizeWithOrder", domain=MICROSOFT)
def with_order_shape(node: Node, ctx: Any) -> None:
    """Another type (int8, or the attribute `to`) under the same shape."""
    x = node.input(0)
    if x is not None and node.outputs:
        dtype = INT8 if node.op_type == "QuantizeWithOrder" else integer(node, "to", 0)
        ctx.set(node.outputs[0], dtype, x.shape)


# --- normalisations --------------------------------------------------------------------------------------------------
@SHAPES.register("SimplifiedLayerNormalization")
@SHAPES.register("SimplifiedLayerNormalization", domain=MICROSOFT)
def simplified_layer_normalization_shape(node: Node, ctx: Any) -> None:
    """Y has the shape of X and the type of the scale; the inverse deviation has 1 for each normalised axis."""
    x, scale = node.input(0), node.input(1)
    if x is None or scale is None or not node.outputs:
        return
    ctx.set(node.outputs[0], scale.dtype, x.shape)
    if len(node.outputs) > 1:
        shape: list[Size] | None = None
        if x.shape is not None:
            rank = len(x.shape)
            axis = integer(node, "axis", -1)
            if -rank <= axis < rank:
                axis %= rank
                shape = [*x.shape[:axis], *(1,) * (rank - axis)]
        ctx.set(node.outputs[1], integer(node, "stash_type", 1), shape)


@SHAPES.register("SkipLayerNormalization", "SkipSimplifiedLayerNormalization", domain=MICROSOFT)
def skip_layer_normalization_shape(node: Node, ctx: Any) -> None:
    """Outputs 0 and 3 (the sum before normalising) are like the input; 1 and 2 are statistics of type float."""
    x = node.input(0)
    if x is None:
        return
    for index, value in enumerate(node.outputs):
        if index in (0, 3):
            ctx.set(value, x.dtype, x.shape)
        else:
            ctx.set(value, FLOAT)


@SHAPES.register("SkipGroupNorm", domain=MICROSOFT)
def skip_group_norm_shape(node: Node, ctx: Any) -> None:
    """The result and the sum are like X [batch, height, width, channels]."""
    x = node.input(0)
    if x is not None:
        for value in node.outputs[:2]:
            ctx.set(value, x.dtype, x.shape)


# --- mmdeploy, mmcv --------------------------------------------------------------------------------------------------
def deform_conv_shape(node: Node, ctx: Any) -> None:
    """input [N, C, H, W], offset [N, ., oH, oW], weight [M, ...] -> [N, M, oH, oW]: every result has its offset.

    Source: mmdeploy MMCVDeformConv2d and MMCVModulatedDeformConv2d, whose weight follows offset or offset and mask.
    """
    x, offset = node.input(0), node.input(1)
    weight = node.input(3 if node.op_type == "MMCVModulatedDeformConv2d" else 2)
    if x is None or not node.outputs:
        return
    shape = None
    if _rank(x) == 4 and _rank(offset) == 4 and _rank(weight) == 4:
        shape = (x.shape[0], weight.shape[0], *offset.shape[2:])  # type: ignore[index, union-attr]
    ctx.set(node.outputs[0], x.dtype, shape)


def deformable_attention_shape(node: Node, ctx: Any) -> None:
    """value [B, ., heads, C], locations [B, queries, ...] -> [B, queries, heads * C].

    Source: mmdeploy MMCVMultiScaleDeformableAttention(value, sizes, starts, locations, weights).
    """
    value, locations = node.input(0), node.input(3)
    if value is None or not node.outputs:
        return
    shape = None
    if _rank(value) == 4 and _rank(locations) == 6:
        batch, _, heads, channels = value.shape  # type: ignore[misc]
        shape = (batch, locations.shape[1], heads * channels)  # type: ignore[index, union-attr]
    ctx.set(node.outputs[0], value.dtype, shape)


def batched_nms_shape(node: Node, ctx: Any) -> None:
    """boxes [B, ...] -> [B, keep_topk, 5] (6 when rotated: with the angle) and labels [B, keep_topk].

    Source: mmdeploy TRTBatchedNMS, TRTBatchedRotatedNMS.
    """
    boxes, kept = node.input(0), integer(node, "keep_topk", -1)
    if boxes is None:
        return
    known = boxes.shape is not None and len(boxes.shape) > 0 and kept >= 0
    for index, value in enumerate(node.outputs):
        if not known:
            ctx.set(value, 0 if index else boxes.dtype)
            continue
        shape = (boxes.shape[0], kept)  # type: ignore[index]
        if index:
            ctx.set(value, 0, shape)
        else:
            ctx.set(value, boxes.dtype, (*shape, 6 if node.op_type == "TRTBatchedRotatedNMS" else 5))


def bev_pool_shape(node: Node, ctx: Any) -> None:
    """feat [., ., ., C] -> [1, height, width, C], with the sizes in attributes.  Source: mmdeploy bev_pool_v2."""
    depth, feat = node.input(0), node.input(1)
    height = integer(node, "output_height", integer(node, "out_height", -1))
    width = integer(node, "output_width", integer(node, "out_width", -1))
    if depth is None or not node.outputs:
        return
    shape = None
    if feat is not None and feat.shape and height >= 0 and width >= 0:
        shape = (1, height, width, feat.shape[-1])
    ctx.set(node.outputs[0], depth.dtype, shape)


def _rank(value: Value | None) -> int:
    return -1 if value is None or value.shape is None else len(value.shape)


for _domain in MMDEPLOY:
    SHAPES.register("MMCVDeformConv2d", "MMCVModulatedDeformConv2d", domain=_domain)(deform_conv_shape)
    SHAPES.register("MMCVMultiScaleDeformableAttention", domain=_domain)(deformable_attention_shape)
    SHAPES.register("TRTBatchedNMS", "TRTBatchedRotatedNMS", domain=_domain)(batched_nms_shape)
    SHAPES.register("bev_pool_v2", domain=_domain)(bev_pool_shape)
