"""explicit_split_sizes: in every form Split has had."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.explicit_split_sizes import stated_sizes


@pytest.mark.parametrize(
    ("opset", "before", "sizes", "after"),
    [
        (12, "Split<axis=1>(x)", "", "Split<axis=1,split=[3,3]>(x)"),
        (13, "Split<axis=1>(x)", "<int64[2] s={3,3}>", "Split<axis=1>(x, s)"),
        (18, "Split<axis=-1,num_outputs=2>(x)", "<int64[2] s={3,3}>", "Split<axis=-1>(x, s)"),
    ],
)
def test_sizes_are_written(opset, before, sizes, after):
    assert_rewrites(
        stated_sizes,
        f"g (float[2,6] x) => (float[2,3] a, float[2,3] b) {{ a, b = {before} }}",
        f"g (float[2,6] x) => (float[2,3] a, float[2,3] b) {sizes} {{ a, b = {after} }}",
        opset=opset,
    )


def test_the_last_piece_may_be_smaller():
    assert_rewrites(
        stated_sizes,
        "g (float[5] x) => (float[2] a, float[2] b, float[1] c) { a, b, c = Split<num_outputs=3>(x) }",
        "g (float[5] x) => (float[2] a, float[2] b, float[1] c) <int64[3] s={2,2,1}> { a, b, c = Split(x, s) }",
        opset=18,
    )


@pytest.mark.parametrize(
    ("opset", "before", "reason"),
    [
        (
            18,
            "g (float[4] x) => (float[1] a, float[3] b) <int64[2] s={1,3}> { a, b = Split(x, s) }",
            "the sizes are stated",
        ),
        (12, "g (float[4] x) => (float[1] a, float[3] b) { a, b = Split<split=[1,3]>(x) }", "the sizes are stated"),
        (18, "g (float[n] x) => (float[m] a, float[k] b) { a, b = Split<num_outputs=2>(x) }", "the size is not known"),
        (13, "g (float[5] x) => (float[m] a, float[k] b) { a, b = Split(x) }", "the pieces are not equal"),
    ],
)
def test_declines(opset, before, reason):
    assert_skips(stated_sizes, before, reason, opset=opset)
