"""Passes that other tools have under other names, or that are not here: what is done instead, or why nothing is."""

from __future__ import annotations

from .catalog import declare

_SEQUENCE = ("eliminate_sequence",)
ALIASES: dict[str, tuple[str, ...]] = {
    "eliminate_optional_get_element": _SEQUENCE,
    "eliminate_optional_has_element": _SEQUENCE,
    "eliminate_sequence_at_construct": _SEQUENCE,
    "eliminate_sequence_length_construct": _SEQUENCE,
    "eliminate_reshape_family_on_constant": ("fold_constants",),
    "fuse_reshape_family": ("fuse_consecutive_reshapes", "fuse_layout_chain"),
    "fuse_split_gather_concat": ("eliminate_concat_of_pieces", "eliminate_slice_of_concat"),
}
"""Names of other tools for what other passes do here."""

BACKED: dict[str, str] = {
    "rename_input_output": "rename inputs and outputs to input_0, output_0, ...; done by onnxoptimizer",
    "lift_lexical_references": "list what a body captures among its owner's inputs; done by onnxoptimizer",
    "split_init": "leave only what computes weights; done by onnxoptimizer",
    "split_predict": "leave what does not compute weights, which become inputs; done by onnxoptimizer",
    "rewrite_input_dtype": "take int64 inputs as int32; done by onnxoptimizer",
}
"""What the package onnxoptimizer does for us, when asked for."""

_TIES = "which of equal elements counts is part of the result"
_PLUGIN = "an operator of a vendor is kept for the runtime that has it"
_LAYOUT = "runtimes find the operator as it is; taking it apart costs memory and is for the exporter that needs it"
NOTHING: dict[str, str] = {
    "nop": "that is what it is for",
    "rewrite_arg_reduce_select_last_index": _TIES,
    "fuse_matmul_into_conv": "a product of matrices is what it is to every runtime; a Conv would need Reshapes",
    "fuse_reduce_sum_into_conv": "a sum of channels is cheaper than a Conv with ones for weights",
    "split_large_gather": "how large a Gather may be is known to the exporter of the device that limits it",
    "rewrite_bev_pool_to_scatter": _PLUGIN,
    "rewrite_trt_batched_nms": _PLUGIN,
    "rewrite_trt_batched_rotated_nms": _PLUGIN,
    "rewrite_deform_conv_to_gather": _LAYOUT,
    "rewrite_gridsample_to_gather": _LAYOUT,
    "rewrite_msdeformattn_to_gridsample": _LAYOUT,
    "rewrite_tensor_scatter_to_scatter_elements": _LAYOUT,
}
"""Accepted, and why nothing is done."""

QUANTIZATION: tuple[str, ...] = (
    "adpq", "any_precision_llm", "aqlm", "attention_quantization", "cross_layer_equalization", "d2quant_dsq",
    "deepseek_fp8", "defuse_matmul_integer_to_float", "double_quantization", "drop_by_drop",
    "dynamic_quantize_attention", "dynamic_quantize_matmul", "dynamic_quantize_matmul_integer_to_float",
    "dynamic_quantize_ternary_matmul", "fp6_llm", "gguf_q2_k", "gguf_q3_k", "gguf_q4_0", "gguf_q4_1", "gguf_q4_k",
    "gguf_q5_0", "gguf_q5_1", "gguf_q5_k", "gguf_q6_k", "gguf_q8_0", "gguf_ternary_quant", "hqq", "ibert_gelu",
    "ibert_softmax", "icquant", "if4", "intactkv", "iq4_nl", "kbvq_moe", "kmeans_quantization", "leptoquant", "llm_fp4",
    "lo_bcq", "magnitude_pruning_attention", "magnitude_pruning_conv", "magnitude_pruning_global",
    "magnitude_pruning_matmul", "nf4", "nvfp4_quantization", "olive", "qoperator_quantize_activation",
    "qoperator_quantize_concat", "qoperator_quantize_conv", "qoperator_quantize_elementwise", "qoperator_quantize_gemm",
    "qoperator_quantize_matmul", "qoperator_quantize_pool", "qoperator_quantize_softmax", "qoperator_quantize_where",
    "qoq", "quantize_bf16", "quantize_fp16", "quantize_fp8", "quarot", "quip_sharp", "static_quantize_conv",
    "static_quantize_int16_conv", "static_quantize_int16_matmul", "static_quantize_matmul", "weight_only_quantize_conv",
    "weight_only_quantize_int16_conv", "weight_only_quantize_int16_matmul", "weight_only_quantize_int4_conv",
    "weight_only_quantize_int4_matmul", "weight_only_quantize_int8_block_conv",
    "weight_only_quantize_int8_block_matmul", "weight_only_quantize_matmul", "weight_only_quantize_matmul_nbits",
    "weight_only_quantize_mxfp4_matmul", "zeroquant",
)
"""Recipes that change what a model computes: no simplification, and not here."""

for _name, _means in ALIASES.items():
    declare(_name, "the same as " + " and ".join(_means), kind="alias", means=_means)
for _name, _summary in BACKED.items():
    declare(_name, _summary, kind="onnxoptimizer")
for _name, _reason in NOTHING.items():
    declare(_name, f"nothing: {_reason}", kind="none")
for _name in QUANTIZATION:
    declare(_name, "it changes what the model computes; quantization and pruning come with onnxsim-qat",
            kind="elsewhere")
