"""Operators of other domains whose result is like an input: against onnxruntime where it has them."""

import numpy as np
import pytest
from ops.foreign import header, judged, stated
from ops.judging import facts, judge

X = "float[b,s,8] x"

LIKE_FIRST = [
    ("BiasGelu", f"{X}, float[8] c", "x, c", ""),
    ("FastGelu", f"{X}, float[8] c", "x, c", ""),
    ("Gelu", X, "x", ""),
    ("QuickGelu", X, "x", ""),
    ("Inverse", "float[b,3,3] x", "x", ""),
    ("Trilu", "float[b,s,3] x", "x", ""),
    ("RotaryEmbedding", f"{X}, int64[b,s] i, float[9,2] c, float[9,2] d", "x, i, c, d", ""),
    ("MoE", "float[n,8] x, float[n,4] r, float[4,16,8] a, float[4,8,16] c", "x, r, a, , c", "k = 1"),
    ("QLinearLeakyRelu", "uint8[b,4] x, float xs, uint8 xz, float ys, uint8 yz", "x, xs, xz, ys, yz", ""),
    ("QLinearSigmoid", "uint8[b,4] x, float xs, uint8 xz, float ys, uint8 yz", "x, xs, xz, ys, yz", ""),
    ("QLinearSoftmax", "uint8[b,4] x, float xs, uint8 xz, float ys, uint8 yz", "x, xs, xz, ys, yz", "opset = 13"),
]


@pytest.mark.parametrize(("op", "signature", "inputs", "attributes"), LIKE_FIRST, ids=lambda case: None)
def test_the_result_is_like_the_first_input(op, signature, inputs, attributes):
    found = judged(op, signature, inputs, 1, attributes)
    assert (found.shape("y0"), found.values["y0"].dtype) == (found.shape("x"), found.values["x"].dtype)


@pytest.mark.parametrize("op", ["GroupNorm", "LongformerAttention", "QMoE", "ScaledSiLU", "QOrderedGelu", "BiasAdd"])
def test_the_result_is_like_the_first_input_where_the_cpu_has_no_kernel(op):
    found = stated(op, "float16[b,s,8] x, float16[8] c", "x, c", 1)
    assert (found.shape("y0"), found.values["y0"].dtype) == ("[b, s, 8]", 10)


def test_repetitions_are_masked_in_the_scores():
    assert judged("NGramRepeatBlock", "int64[b,k] x, float[b,v] c", "x, c", 1, "ngram_size = 2").shape("y0") == "[b, v]"


@pytest.mark.parametrize("op", ["SkipLayerNormalization", "SkipSimplifiedLayerNormalization"])
@pytest.mark.parametrize("skip", ["float[b,s,8] c", "float[1,s,8] c", "float[s,8] c"])
def test_a_skip_normalisation_gives_the_sum_too(op, skip):
    text = f"g ({X}, {skip}, float[8] g) => () {{ y0, , , y3 = com.microsoft.{op}(x, c, g) }}"
    feeds = {"x": (2, 3, 8), "c": (2, 3, 8)[-skip.count(",") - 1 :], "g": (8,)}
    feeds = {
        name: np.ones((1, *shape[1:]) if "[1," in skip and name == "c" else shape, np.float32)
        for name, shape in feeds.items()
    }
    found = judge(header() + text, feeds, kernels=False)
    assert [found.shape("y0"), found.shape("y3")] == ["[b, s, 8]", "[b, s, 8]"]


@pytest.mark.parametrize(("axis", "statistic"), [(-1, "[b, s, 1]"), (1, "[b, 1, 1]")])
def test_simplified_layer_normalisation_gives_the_inverse_deviation(axis, statistic):
    scale = "float[8] c" if axis == -1 else "float[s,8] c"
    text = f"g ({X}, {scale}) => () {{ y0, y1 = SimplifiedLayerNormalization<axis = {axis}>(x, c) }}"
    c = np.ones((8,) if axis == -1 else (3, 8), np.float32)
    found = judge(header() + text, {"x": np.ones((2, 3, 8), np.float32), "c": c}, kernels=False)
    assert [found.shape("y0"), found.shape("y1")] == ["[b, s, 8]", statistic]


def test_simplified_layer_normalisation_with_an_axis_that_does_not_exist_says_only_the_type():
    text = f"g ({X}, float[8] c) => () {{ y0, y1 = com.microsoft.SimplifiedLayerNormalization<axis = 7>(x, c) }}"
    assert facts(header() + text).shape("y1") == "?"


def test_dropout_after_a_bias_gives_a_mask():
    found = stated("BiasDropout", f"{X}, float[8] c", "x, c", 2)
    assert (found.shape("y1"), found.values["y1"].dtype) == ("[b, s, 8]", 9)


def test_reordering_quantises():
    assert stated("QuantizeWithOrder", f"{X}, float c", "x, c", 1).values["y0"].dtype == 3
    assert stated("DequantizeWithOrder", "int8[b,4] x, float c", "x, c", 1, "to = 10").values["y0"].dtype == 10


@pytest.mark.parametrize("domain", ["qonnx.custom_op.general", "finn.custom_op.general"])
@pytest.mark.parametrize("op", ["Quant", "BipolarQuant", "Trunc", "FloatQuant"])
def test_fake_quantisation_keeps_type_and_shape(domain, op):
    found = stated(op, f"{X}, float c, float d, float e", "x, c, d, e", 1, domain=domain)
    assert (found.shape("y0"), found.values["y0"].dtype) == ("[b, s, 8]", 1)


@pytest.mark.parametrize("domain", ["mmdeploy", "mmcv"])
def test_deformable_convolutions_have_the_size_of_their_offsets(domain):
    signature = "float[b,4,h,w] x, float[b,18,k,n] o, float[6,4,3,3] f"
    plain = stated("MMCVDeformConv2d", signature, "x, o, f", 1, domain=domain)
    assert plain.shape("y0") == "[b, 6, k, n]"
    modulated = stated(
        "MMCVModulatedDeformConv2d",
        "float[b,4,h,w] x, float[b,18,k,n] o, float[b,9,k,n] m, float[6,4,3,3] f, float[6] c",
        "x, o, m, f, c",
        1,
        domain=domain,
    )
    assert modulated.shape("y0") == "[b, 6, k, n]"
    unsure = stated("MMCVDeformConv2d", "float[b,4,h,w] x, float[] o, float[6,4,3,3] f", "x, o, f", 1, domain=domain)
    assert (unsure.shape("y0"), unsure.values["y0"].dtype) == ("?", 1)


def test_deformable_attention_joins_the_heads():
    signature = "float[b,s,8,32] x, int64[4,2] z, int64[4] i, float[b,q,8,4,4,2] c, float[b,q,8,4,4] a"
    found = stated("MMCVMultiScaleDeformableAttention", signature, "x, z, i, c, a", 1, domain="mmdeploy")
    assert found.shape("y0") == "[b, q, 256]"


@pytest.mark.parametrize(("op", "width"), [("TRTBatchedNMS", 5), ("TRTBatchedRotatedNMS", 6)])
def test_batched_suppression_keeps_a_fixed_number(op, width):
    found = stated(op, "float[b,n,1,4] x, float[b,n,7] c", "x, c", 2, "keep_topk = 100", domain="mmdeploy")
    assert [found.shape("y0"), found.shape("y1")] == [f"[b, 100, {width}]", "[b, 100]"]
    unsure = stated(op, "float[b,n,1,4] x, float[b,n,7] c", "x, c", 2, domain="mmdeploy")
    assert [unsure.shape("y0"), unsure.shape("y1")] == ["?", "?"]


def test_a_pooled_birds_eye_view_has_the_size_in_the_attributes():
    signature = "float[6,59,h,w] x, float[6,h,w,80] f"
    found = stated("bev_pool_v2", signature, "x, f", 1, "output_height = 128, output_width = 64", domain="mmdeploy")
    assert found.shape("y0") == "[1, 128, 64, 80]"
    assert stated("bev_pool_v2", signature, "x, f", 1, "output_height = 128", domain="mmdeploy").shape("y0") == "?"
