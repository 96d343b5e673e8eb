"""The catalogue: which names there are, and what asking for or skipping one does."""

import pytest

from onnxsim_core import OptionError, simplify
from onnxsim_core.passes import catalog
from onnxsim_core.rewrite.rule import RULES
from onnxsim_testkit import model

catalog.load()

ONNXOPTIMIZER = """adjust_add rename_input_output set_unique_name_for_nodes nop eliminate_nop_cast eliminate_nop_dropout
    eliminate_nop_flatten extract_constant_to_initializer eliminate_consecutive_idempotent_ops
    eliminate_if_with_const_cond eliminate_nop_monotone_argmax eliminate_nop_pad eliminate_nop_concat eliminate_nop_split
    eliminate_nop_expand eliminate_shape_gather eliminate_slice_after_shape eliminate_nop_transpose
    fuse_add_bias_into_conv fuse_bn_into_conv fuse_consecutive_concats fuse_consecutive_log_softmax
    fuse_consecutive_reduce_unsqueeze fuse_consecutive_squeezes fuse_consecutive_transposes
    fuse_matmul_add_bias_into_gemm fuse_pad_into_conv fuse_pad_into_pool fuse_transpose_into_gemm
    replace_einsum_with_matmul lift_lexical_references split_init split_predict fuse_concat_into_reshape
    eliminate_nop_reshape eliminate_nop_with_unit eliminate_common_subexpression fuse_qkv fuse_consecutive_unsqueezes
    eliminate_deadend eliminate_identity eliminate_shape_op fuse_consecutive_slices eliminate_unused_initializer
    eliminate_duplicate_initializer adjust_slice_and_matmul rewrite_input_dtype rewrite_where""".split()
EARLIER = """fuse_consecutive_squeeze_unsqueeze eliminate_loop_with_const_trip_count eliminate_optional_get_element
    eliminate_optional_has_element eliminate_nop_reduce eliminate_nop_softmax eliminate_reshape_around_elementwise
    eliminate_reshape_family_on_constant eliminate_sequence_at_construct eliminate_sequence_length_construct
    fuse_attention fuse_consecutive_mul fuse_consecutive_reduce fuse_consecutive_reshapes fuse_gelu fuse_gqa
    fuse_layer_norm fuse_mul_into_conv fuse_preceding_mul_into_conv fuse_reshape_family fuse_lp_normalization
    fuse_rms_norm fuse_rope fuse_split_gather_concat rewrite_arg_reduce_select_last_index rewrite_bool_where
    fuse_matmul_add_bias_into_gemm_batched adpq any_precision_llm aqlm drop_by_drop lo_bcq quip_sharp
    attention_quantization intactkv kbvq_moe zeroquant llm_fp4 qoq d2quant_dsq cross_layer_equalization deepseek_fp8
    defuse_matmul_integer_to_float dilated_conv_to_taps double_quantization dynamic_quantize_attention
    dynamic_quantize_matmul dynamic_quantize_matmul_integer_to_float dynamic_quantize_ternary_matmul explicit_auto_pad
    explicit_conv_padding float16_to_float32 fp6_llm fuse_matmul_into_conv fuse_reduce_sum_into_conv
    gemm_transA_to_transpose gguf_q2_k gguf_q3_k gguf_q4_k gguf_q4_0 gguf_q4_1 gguf_q5_k gguf_q5_0 gguf_q5_1 gguf_q6_k
    gguf_q8_0 gguf_ternary_quant hqq ibert_gelu ibert_softmax icquant if4 iq4_nl kmeans_quantization leptoquant
    magnitude_pruning_attention magnitude_pruning_conv magnitude_pruning_global magnitude_pruning_matmul
    maxpool_rowmajor_when_indices_unused neg_to_mul nf4 nvfp4_quantization olive pow2_to_mul
    qoperator_quantize_activation qoperator_quantize_concat qoperator_quantize_conv qoperator_quantize_elementwise
    qoperator_quantize_gemm qoperator_quantize_matmul qoperator_quantize_pool qoperator_quantize_softmax
    qoperator_quantize_where quantize_bf16 quantize_fp16 quantize_fp8 quarot rank0_to_rank1 rewrite_bev_pool_to_scatter
    rewrite_deform_conv_to_gather rewrite_gatherelements_to_gather rewrite_gathernd_to_gather
    rewrite_gather_over_concat rewrite_gridsample_to_gather rewrite_implicit_broadcast rewrite_msdeformattn_to_gridsample
    rewrite_scatterelements_to_scatternd rewrite_tensor_scatter_to_scatter_elements rewrite_trt_batched_nms
    rewrite_trt_batched_rotated_nms split_large_gather static_quantize_conv static_quantize_matmul
    static_quantize_int16_conv static_quantize_int16_matmul weight_only_quantize_conv weight_only_quantize_matmul
    weight_only_quantize_int16_conv weight_only_quantize_int16_matmul weight_only_quantize_int4_conv
    weight_only_quantize_int4_matmul weight_only_quantize_int8_block_conv weight_only_quantize_int8_block_matmul
    weight_only_quantize_matmul_nbits weight_only_quantize_mxfp4_matmul""".split()
RELU = model("g (float[n] x) => (float[n] z) { y = Identity(x) z = Relu(y) }")


def select(skipped=(), extra=(), optimize=True):
    return catalog.select(optimize=optimize, skipped=frozenset(skipped), extra=tuple(extra))


@pytest.mark.parametrize("name", sorted({*ONNXOPTIMIZER, *EARLIER}))
def test_every_name_that_scripts_use_is_known_and_can_be_skipped(name):
    one = catalog.CATALOG[name]

    assert one.summary
    assert name not in select(skipped=[name])
    assert (one.kind == "rules") == (name in RULES)
    assert set(one.means) <= set(catalog.CATALOG) and bool(one.means) == (one.kind == "alias")


def test_what_runs_is_what_is_listed_as_default():
    """F21: two dozen passes once ran without being listed."""
    assert select() == {name for name, one in catalog.CATALOG.items() if one.default}
    assert all(one.kind in ("rules", "engine") for one in catalog.CATALOG.values() if one.default)


def test_a_pass_can_be_added_and_left_out():
    assert "neg_to_mul" not in select() and "neg_to_mul" in select(extra=["neg_to_mul"])
    assert "fuse_bn_into_conv" not in select(skipped=["fuse_bn_into_conv"])
    assert "neg_to_mul" not in select(skipped=["neg_to_mul"], extra=["neg_to_mul"])


def test_without_optimizing_there_is_no_pass():
    assert select(optimize=False, extra=["neg_to_mul"]) == frozenset()


def test_an_alias_stands_for_what_it_means():
    assert "eliminate_sequence" not in select(skipped=["eliminate_sequence_at_construct"])
    assert "eliminate_sequence" in select(extra=["eliminate_sequence_at_construct"])


def test_a_pass_takes_the_place_of_the_one_that_would_undo_it():
    assert "fuse_pad_into_conv" not in select(extra=["explicit_conv_padding"])
    assert "fuse_pad_into_conv" in select(extra=["explicit_conv_padding"], skipped=["explicit_conv_padding"])


@pytest.mark.parametrize("keyword", ["skipped_optimizers", "extra_optimizers"])
@pytest.mark.parametrize("optimize", [True, False])
def test_an_unknown_name_is_an_error_with_near_matches(keyword, optimize):
    with pytest.raises(OptionError, match="no pass called 'fuse_bn_in_conv'.*did you mean fuse_bn_into_conv"):
        simplify(RELU, perform_optimization=optimize, **{keyword: ["fuse_bn_in_conv"]})
    with pytest.raises(OptionError, match="no pass called 'zzz'.*--list-other-optimizers"):
        simplify(RELU, **{keyword: ["zzz"]})


def test_any_iterable_of_names_will_do_and_stays_as_it_is():
    names = ["eliminate_identity"]
    for given in (names, tuple(names), set(names), dict.fromkeys(names), iter(names)):
        assert len(simplify(RELU, skipped_optimizers=given).model.graph.node) == 2
    assert names == ["eliminate_identity"]


def test_asking_for_what_does_nothing_is_a_warning():
    report = simplify(RELU, extra_optimizers=["nop", "neg_to_mul"]).report

    assert report.warnings == ["pass nop was asked for and does nothing: that is what it is for"]


def test_asking_for_what_is_elsewhere_is_an_error():
    with pytest.raises(OptionError, match="'quarot' is not part of this installation.*onnxsim-qat"):
        simplify(RELU, extra_optimizers=["quarot"])
    assert simplify(RELU, skipped_optimizers=["quarot"]).ok


def test_a_plugin_may_declare_what_was_elsewhere_and_nothing_else():
    before = catalog.CATALOG["quarot"]
    try:
        catalog.declare("quarot", "rotate", default=False)
        assert "quarot" in select(extra=["quarot"])
    finally:
        catalog.CATALOG["quarot"] = before
    with pytest.raises(ValueError, match="declared twice"):
        catalog.declare("nop", "again")
