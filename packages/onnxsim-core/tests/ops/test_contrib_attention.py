"""onnxruntime's attention operators: what is stated against what its CPU kernels give."""

import numpy as np
import pytest
from ops.foreign import judged, stated

X = "float[b,s,8] x"
MERGED = f"{X}, float[8,24] w, float[24] c"
PAST = ", float[2,b,2,p,4] q"
LENGTHS = {"l": np.array([2, 2], np.int32), "z": np.array(3, np.int32)}
QUANTIZED = "uint8[b,s,8] x, uint8[8,24] w, float[24] c, float k, float l, uint8 m, uint8 n"


@pytest.mark.parametrize(
    ("signature", "inputs", "attributes", "shapes"),
    [
        (MERGED, "x, w, c", "num_heads = 2", ["[b, s, 8]"]),
        (MERGED, "x, w, c", "num_heads = 2, unidirectional = 1", ["[b, s, 8]", "[2, b, 2, s, 4]"]),
        (MERGED + PAST, "x, w, c, , q", "num_heads = 2, unidirectional = 1", ["[b, s, 8]", "[2, b, 2, s + p, 4]"]),
        (f"{X}, float[8,20] w, float[20] c", "x, w, c", "num_heads = 2, qkv_hidden_sizes = [8, 8, 4]", ["[b, s, 4]"]),
    ],
)
def test_attention(signature, inputs, attributes, shapes):
    found = judged("Attention", signature, inputs, len(shapes), attributes)
    assert [found.shape(f"y{index}") for index in range(len(shapes))] == shapes


@pytest.mark.parametrize(
    ("signature", "inputs", "shapes"),
    [
        (QUANTIZED, "x, w, c, k, l, , m, n", ["[b, s, 8]"]),
        (QUANTIZED + PAST, "x, w, c, k, l, , m, n, q", ["[b, s, 8]", "[2, b, 2, s + p, 4]"]),
    ],
)
def test_quantised_attention(signature, inputs, shapes):
    found = judged("QAttention", signature, inputs, len(shapes), "num_heads = 2, unidirectional = 1")
    assert [found.shape(f"y{index}") for index in range(len(shapes))] == shapes


def test_a_shared_buffer_keeps_its_length():
    found = stated("Attention", MERGED + PAST, "x, w, c, , q", 2, "num_heads = 2, past_present_share_buffer = 1")
    assert found.shape("y1") == "[2, b, 2, p, 4]"


def test_attention_with_weights_that_do_not_divide_by_three_says_only_the_type():
    found = stated("Attention", f"{X}, float[8,20] w, float[20] c", "x, w, c", 2, "num_heads = 2")
    assert [found.shape("y0"), found.shape("y1"), found.values["y0"].dtype] == ["?", "?", 1]


@pytest.mark.parametrize(
    ("signature", "inputs", "shapes"),
    [
        (f"{X}, float[b,l,8] k, float[b,l,12] v", "x, k, v", ["[b, s, 12]"]),
        (f"{X}, float[b,l,8] k, float[b,l,8] v", "x, k, v", ["[b, s, 8]", "[b, 2, l, 4]", "[b, 2, l, 4]"]),
        (
            f"{X}, float[b,l,8] k, float[b,l,8] v, float[b,2,p,4] i, float[b,2,p,4] j",
            "x, k, v, , , , i, j",
            ["[b, s, 8]", "[b, 2, l + p, 4]", "[b, 2, l + p, 4]"],
        ),
        (f"{X}, float[b,2,l,4] k, float[b,2,l,4] v", "x, k, v", ["[b, s, 8]"]),
    ],
)
def test_multi_head_attention(signature, inputs, shapes):
    found = judged("MultiHeadAttention", signature, inputs, len(shapes), "num_heads = 2")
    assert [found.shape(f"y{index}") for index in range(len(shapes))] == shapes


def test_packed_operands_of_multi_head_attention():
    assert stated("MultiHeadAttention", "float[b,s,2,3,4] x", "x", 1, "num_heads = 2").shape("y0") == "[b, s, 8]"
    packed = stated("MultiHeadAttention", f"{X}, float[b,l,2,2,4] k", "x, k", 2, "num_heads = 2")
    assert [packed.shape("y0"), packed.shape("y1")] == ["[b, s, 8]", "?"]


def test_multi_head_attention_of_unknown_rank_says_only_the_type():
    found = stated("MultiHeadAttention", "float[] x, float[b,l,8] k, float[b,l,8] v", "x, k, v", 3, "num_heads = 2")
    assert [found.shape("y0"), found.values["y2"].dtype] == ["?", 1]


@pytest.mark.parametrize(
    ("signature", "inputs", "shapes"),
    [
        ("float[b,s,32] x, float[b,s,16] k, float[b,s,16] v", "x, k, v, , , l, z", ["[b, s, 32]", "[b, 2, _, 8]"]),
        ("float[b,s,64] x", "x, , , , , l, z", ["[b, s, 32]", "[b, 2, _, 8]"]),
    ],
)
def test_group_query_attention(signature, inputs, shapes):
    found = judged(
        "GroupQueryAttention",
        f"{signature}, int32[b] l, int32 z",
        inputs,
        3,
        "num_heads = 4, kv_num_heads = 2",
        **LENGTHS,
    )
    assert [found.shape("y0"), found.shape("y1"), found.shape("y2")] == [*shapes, shapes[1]]


def test_group_query_attention_continues_a_cache():
    signature = "float[b,1,64] x, float[b,2,p,8] i, float[b,2,p,8] j, int32[b] l, int32 z"
    found = judged(
        "GroupQueryAttention",
        signature,
        "x, , , i, j, l, z",
        3,
        "num_heads = 4, kv_num_heads = 2",
        l=np.array([3, 3], np.int32),
        z=np.array(4, np.int32),
    )
    assert [found.shape("y0"), found.shape("y1")] == ["[b, 1, 32]", "[b, 2, _, 8]"]


def test_group_query_attention_without_head_counts_says_only_the_type():
    found = stated("GroupQueryAttention", X, "x", 2)
    assert [found.shape("y0"), found.shape("y1")] == ["?", "?"]


def test_packed_tokens():
    assert stated("PackedAttention", "float[n,8] x, float[8,24] w", "x, w", 1, "num_heads = 2").shape("y0") == "[n, 8]"
    signature = "float[n,8] x, float[n,8] k, float[n,12] v"
    assert stated("PackedMultiHeadAttention", signature, "x, k, v", 1, "num_heads = 2").shape("y0") == "[n, 12]"
    assert stated("PackedMultiHeadAttention", "float[n,2,3,4] x", "x", 1, "num_heads = 2").shape("y0") == "[n, 8]"


def test_embeddings():
    signature = (
        "int32[b,s] x, int32[b,s] i, float[v,8] w, float[p,8] e, float[4,8] t, float[8] g, float[8] c, int32[b,s] m"
    )
    found = judged("EmbedLayerNormalization", signature, "x, i, w, e, t, g, c, m", 3)
    assert [found.shape(f"y{index}") for index in range(3)] == ["[b, s, 8]", "[b]", "[b, s, 8]"]


def test_quantised_embeddings():
    tables = (
        "int32[b,s] a, int32[b,s] j, uint8[v,8] c, uint8[p,8] d, uint8[4,8] e, uint8[8] f, uint8[8] g, int32[b,s] h"
    )
    signature = ", ".join([tables, *(f"float s{i}" for i in range(5)), *(f"uint8 z{i}" for i in range(5))])
    inputs = "a, j, c, d, e, f, g, h, s0, s1, s2, s3, s4, z0, z1, z2, z3, z4"
    found = judged("QEmbedLayerNormalization", signature, inputs, 2)
    assert [found.shape("y0"), found.shape("y1"), found.values["y0"].dtype] == ["[b, s, 8]", "[b]", 1]
