"""What operators of other domains take: inputs, outputs and attributes, so that onnx can be told about them.

Inputs and outputs are a letter each: S must be there, O is optional, V takes any number. Attributes are `name:kind`
with the kinds i, f, s, t for INT, FLOAT, STRING, TENSOR and capitals for lists of them.
Source: onnxruntime contrib operators, mmdeploy ONNX export documentation, QONNX operator documentation.
"""

from __future__ import annotations

Signature = tuple[str, str, str]

MICROSOFT: dict[str, Signature] = {
    "Attention": ("SSOOOOO", "SO",
        "do_rotary:i mask_filter_value:f num_heads:i past_present_share_buffer:i qkv_hidden_sizes:I "
        "rotary_embedding_dim:i scale:f unidirectional:i"),
    "BiasAdd": ("SSS", "S", ""),
    "BiasDropout": ("SSOOO", "SO", "seed:i"),
    "BiasGelu": ("SS", "S", ""),
    "BiasSoftmax": ("SS", "S", "axis:i is_inner_broadcast:i"),
    "CDist": ("SS", "S", "metric:s"),
    "DequantizeLinear": ("SSO", "S", "axis:i"),
    "DequantizeWithOrder": ("SS", "S", "order_input:i order_output:i to:i"),
    "DynamicQuantizeLSTM": ("SSSOOOOOSSSS", "OOO",
        "activation_alpha:F activation_beta:F activations:S clip:f direction:s hidden_size:i input_forget:i"),
    "DynamicQuantizeMatMul": ("SSSOO", "S", ""),
    "EmbedLayerNormalization": ("SOSSOSSOO", "SOO", "epsilon:f mask_index_type:i"),
    "FastGelu": ("SO", "S", ""),
    "FusedConv": ("SSOO", "S",
        "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"),
    "FusedGemm": ("SSO", "S",
        "activation:s activation_alpha:f activation_beta:f activation_gamma:f alpha:f beta:f transA:i "
        "transB:i"),
    "FusedMatMul": ("SS", "S", "alpha:f transA:i transB:i transBatchA:i transBatchB:i"),
    "FusedMatMulActivation": ("SS", "S",
        "activation:s activation_alpha:f activation_axis:i activation_beta:f activation_gamma:f alpha:f "
        "transA:i transB:i transBatchA:i transBatchB:i"),
    "GatherBlockQuantized": ("SSSO", "S", "bits:i block_size:i gather_axis:i quantize_axis:i"),
    "Gelu": ("S", "S", ""),
    "GemmFastGelu": ("SSO", "S", ""),
    "GroupNorm": ("SSS", "S", "activation:i channels_last:i epsilon:f groups:i"),
    "GroupQueryAttention": ("SOOOOSSOOOOOOOOOO", "SOOO",
        "causal:i do_rotary:i k_norm_epsilon:f k_quant_type:s kv_cache_bit_width:i kv_num_heads:i "
        "local_window_size:i num_heads:i q_norm_epsilon:f qk_norm_epsilon:f qk_output:i rotary_interleaved:i "
        "scale:f sliding_window_cache:i smooth_softmax:i softcap:f v_quant_type:s"),
    "Inverse": ("S", "S", ""),
    "LongformerAttention": ("SSSSSSS", "S", "num_heads:i window:i"),
    "MRotaryEmbedding": ("SSSS", "S",
        "interleaved:i is_packed_batching:i mrope_layout:i mrope_section:I num_heads:i rotary_embedding_dim:i "
        "scale:f"),
    "MatMulBnb4": ("SSS", "S", "K:i N:i block_size:i quant_type:i training_mode:i transB:i"),
    "MatMulInteger16": ("SS", "S", ""),
    "MatMulIntegerToFloat": ("SSSSOOO", "S", ""),
    "MatMulNBits": ("SSSOOO", "S", "K:i N:i accuracy_level:i bits:i block_size:i weight_prepacked:i"),
    "MaxpoolWithMask": ("SS", "S", "auto_pad:s kernel_shape:I pads:I storage_order:i strides:I"),
    "MoE": ("SSSOSOOO", "S",
        "activation_alpha:f activation_beta:f activation_type:s k:i normalize_routing_weights:i "
        "swiglu_fusion:i swiglu_limit:f swiglu_limit_after_activation:i use_sparse_mixer:i"),
    "MoEPacked": ("SSSOSO", "S",
        "activation_type:s down_type:i gate_type:i k:i normalize_routing_weights:i routed_scaling_factor:f "
        "routing_epsilon:f up_type:i"),
    "MulInteger": ("SOSO", "S", ""),
    "MultiHeadAttention": ("SOOOOOOOOO", "SOOO", "mask_filter_value:f num_heads:i scale:f unidirectional:i"),
    "NGramRepeatBlock": ("SS", "S", "ngram_size:i"),
    "NhwcConv": ("SSO", "S", "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"),
    "NhwcFusedConv": ("SSOO", "S",
        "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I"),
    "NhwcMaxPool": ("S", "S", "auto_pad:s ceil_mode:i dilations:I kernel_shape:I pads:I strides:I"),
    "PackedAttention": ("SSSSSO", "S", "num_heads:i qkv_hidden_sizes:I scale:f"),
    "PackedMultiHeadAttention": ("SOOOSSO", "S", "mask_filter_value:f num_heads:i scale:f"),
    "QAttention": ("SSSSSOOOO", "SO",
        "do_rotary:i mask_filter_value:f num_heads:i past_present_share_buffer:i scale:f unidirectional:i"),
    "QEmbedLayerNormalization": ("SOSSOSSOSSOSSSSOSS", "SS", "epsilon:f"),
    "QGemm": ("SSSSSSOOO", "S", "alpha:f transA:i transB:i"),
    "QLinearAdd": ("SSOSSOSO", "S", ""),
    "QLinearAveragePool": ("SSOSO", "S",
        "auto_pad:s ceil_mode:i channels_last:i count_include_pad:i kernel_shape:I pads:I strides:I"),
    "QLinearConcat": ("SSV", "S", "axis:i"),
    "QLinearConv": ("SSSSSSSSO", "S",
        "auto_pad:s channels_last:i dilations:I group:i kernel_shape:I pads:I strides:I"),
    "QLinearGlobalAveragePool": ("SSSSS", "S", "channels_last:i"),
    "QLinearLeakyRelu": ("SSOSO", "S", "alpha:f"),
    "QLinearMul": ("SSOSSOSO", "S", ""),
    "QLinearReduceMean": ("SSOSO", "S", "axes:I keepdims:i"),
    "QLinearSigmoid": ("SSOSO", "S", ""),
    "QLinearSoftmax": ("SSOSS", "S", "axis:i opset:i"),
    "QLinearWhere": ("SSSSSSSSS", "S", ""),
    "QMoE": ("SSSOOSOOOOOOOOOOOOOOO", "S",
        "accuracy_level:i activation_alpha:f activation_beta:f activation_type:s block_size:i "
        "expert_weight_bits:i fc1_expert_weight_bits:i fc2_expert_weight_bits:i fc3_expert_weight_bits:i k:i "
        "normalize_routing_weights:i quant_type:s swiglu_fusion:i swiglu_limit:f "
        "swiglu_limit_after_activation:i use_sparse_mixer:i weights_prepacked:i"),
    "QOrderedGelu": ("SSS", "S", "order_X:i order_Y:i"),
    "QOrderedLayerNormalization": ("SSSOS", "S", "axis:i epsilon:f order_X:i order_Y:i"),
    "QuantizeLinear": ("SSO", "S", "axis:i"),
    "QuantizeWithOrder": ("SS", "S", "order_input:i order_output:i"),
    "QuickGelu": ("S", "S", "alpha:f"),
    "ReduceSumInteger": ("S", "S", "axes:I keepdims:i"),
    "RotaryEmbedding": ("SSSS", "S", "interleaved:i is_packed_batching:i num_heads:i rotary_embedding_dim:i scale:f"),
    "ScaledSiLU": ("SO", "S", "alpha:f"),
    "SkipGroupNorm": ("SSSSO", "SO", "activation:i channels_last:i epsilon:f groups:i"),
    "SkipLayerNormalization": ("SSSOO", "SOOO", "epsilon:f"),
    "SkipSimplifiedLayerNormalization": ("SSSO", "SOOO", "epsilon:f"),
    "SparseAttention": ("SOOSSSSSSOO", "SSS",
        "do_rotary:i kv_num_heads:i num_heads:i rotary_interleaved:i scale:f sparse_block_size:i"),
    "TransposeMatMul": ("SS", "S", "alpha:f transA:i transB:i"),
    "Trilu": ("SO", "S", "upper:i"),
}
MMDEPLOY: dict[str, Signature] = {
    "MMCVDeformConv2d": ("SSS", "S", "deform_groups:i dilation:I group:i groups:i im2col_step:i padding:I stride:I"),
    "MMCVModulatedDeformConv2d": ("SSSSO", "S", "deform_groups:i dilation:I group:i groups:i padding:I stride:I"),
    "MMCVMultiScaleDeformableAttention": ("SSSSS", "S", "im2col_step:i"),
    "TRTBatchedNMS": ("SS", "SSO",
        "background_label_id:i clip_boxes:i iou_threshold:f is_normalized:i keep_topk:i num_classes:i return_index:i "
        "score_threshold:f share_location:i topk:i"),
    "TRTBatchedRotatedNMS": ("SS", "SS",
        "background_label_id:i clip_boxes:i iou_threshold:f is_normalized:i keep_topk:i num_classes:i "
        "score_threshold:f share_location:i topk:i"),
    "bev_pool_v2": ("SSSSSSS", "S", "out_height:i out_width:i output_height:i output_width:i output_z:i"),
}
QONNX: dict[str, Signature] = {
    "BipolarQuant": ("SS", "S", ""),
    "FloatQuant": ("SSSSSO", "S", "has_inf:i has_nan:i has_subnormal:i rounding_mode:s saturation:i"),
    "Quant": ("SSSS", "S", "narrow:i rounding_mode:s signed:i"),
    "Trunc": ("SSSSSO", "S", "narrow:i rounding_mode:s signed:i"),
}
SIGNATURES: dict[str, dict[str, Signature]] = {
    "com.microsoft": MICROSOFT,
    "mmdeploy": MMDEPLOY,
    "mmcv": MMDEPLOY,
    "qonnx.custom_op.general": QONNX,
    "finn.custom_op.general": QONNX,
}
