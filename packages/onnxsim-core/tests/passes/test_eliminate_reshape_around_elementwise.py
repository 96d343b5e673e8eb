"""eliminate_reshape_around_elementwise: chains between two views."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_reshape_around_elementwise import chain_without_views

HEAD = "g (float[n,3,4] x) => (float[n,3,4] z) <int64[2] a={0,12}, int64[3] b={0,3,4}, float c={2}>"


@pytest.mark.parametrize(
    ("between", "after"),
    [
        ("r = Relu(y) z = Reshape(r, b)", "z = Relu(x)"),
        ("p = Mul(y, c) q = Sub(c, p) r = Clip(q, c) z = Reshape(r, b)", "p = Mul(x, c) q = Sub(c, p) z = Clip(q, c)"),
    ],
)
def test_views_back_and_forth_go(between, after):
    assert_rewrites(chain_without_views, f"{HEAD} {{ y = Reshape(x, a) {between} }}", f"{HEAD} {{ {after} }}")


def test_views_of_another_shape_become_one():
    assert_rewrites(
        chain_without_views,
        "g (float[n,3,4] x) => (float[n,4,3] z) <int64[2] a={0,12}, int64[3] b={0,4,3}> "
        "{ y = Reshape(x, a) r = Relu(y) z = Reshape(r, b) }",
        "g (float[n,3,4] x) => (float[n,4,3] z) <int64[3] b={0,4,3}> { r = Relu(x) z = Reshape(r, b) }",
    )


def test_squeeze_and_unsqueeze():
    assert_rewrites(
        chain_without_views,
        "g (float[n,1] x) => (int64[n,1] z) <int64[1] a={1}> "
        "{ y = Squeeze(x, a) r = Cast<to=7>(y) z = Unsqueeze(r, a) }",
        "g (float[n,1] x) => (int64[n,1] z) { z = Cast<to=7>(x) }",
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            f"{HEAD} {{ y = Reshape(x, a) z = Reshape(y, b) }}",
            "the input is not made by an operator on single elements",
        ),
        (
            f"{HEAD} {{ y = Reshape(x, a) s = Softmax(y) z = Reshape(s, b) }}",
            "the input is not made by an operator on single elements",
        ),
        (f"{HEAD} {{ y = Relu(x) z = Reshape(y, b) }}", "there is no Reshape before"),
        (
            "g (float[2,3] x) => (float[3,2] z, float[6] s) <int64[1] a={6}, int64[2] b={3,2}> "
            "{ y = Reshape(x, a) r = Relu(y) s = Neg(r) z = Reshape(r, b) }",
            "a step has other readers",
        ),
        (
            "g (float[] x) => (float[2,3] z) <int64[1] a={6}, int64[2] b={2,3}> "
            "{ y = Reshape(x, a) r = Relu(y) z = Reshape(r, b) }",
            "the shapes are not known",
        ),
        (
            "g (float[2,3] x) => (float[3,2] z, float[6] s) <int64[1] a={6}, int64[2] b={3,2}> "
            "{ y = Reshape(x, a) r = Relu(y) s = Neg(y) z = Reshape(r, b) }",
            "the shapes differ, and one Reshape would not do",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(chain_without_views, before, reason)
