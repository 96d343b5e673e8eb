"""fuse_consecutive_reduce_unsqueeze: axes a reduction keeps or drops."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_reduce_unsqueeze import keep_or_drop_axes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            keep_or_drop_axes,
            "g (float[n,3,4] x) => (float[n,1,1] z) <int64[2] a={1,2}> { y = "
            "ReduceMean<axes=[2,1],keepdims=0>(x) z = Unsqueeze(y, a) }",
            "g (float[n,3,4] x) => (float[n,1,1] z) { z = ReduceMean<axes=[2,1],keepdims=1>(x) }",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[n,3,4] x) => (float[n,3] z) <int64[1] a={-1}> { y = ReduceSum(x, a) z = Squeeze(y, a) }",
            "g (float[n,3,4] x) => (float[n,3] z) <int64[1] a={-1}> { z = ReduceSum<keepdims=0>(x, a) }",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[n,3] x) => (int64[n] z) <int64[1] a={1}> { y = ArgMax<axis=-1>(x) z = Squeeze(y, a) }",
            "g (float[n,3] x) => (int64[n] z) { z = ArgMax<axis=-1,keepdims=0>(x) }",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[2,3] x) => (float[1,1] z) { y = ReduceMax<keepdims=0>(x) z = Unsqueeze<axes=[0,1]>(y) }",
            "g (float[2,3] x) => (float[1,1] z) { z = ReduceMax<keepdims=1>(x) }",
            {"opset": 11},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            keep_or_drop_axes,
            "g (float[n,3,4] x) => (float[n,1,3] z) <int64[1] a={1}> { y = ReduceMean<axes=[2],keepdims=0>(x)"
            " z = Unsqueeze(y, a) }",
            "the axes differ or are not known",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[n,1,4] x) => (float[n] z) <int64[2] a={1,2}> { y = ReduceMean<axes=[2]>(x) z = "
            "Squeeze(y, a) }",
            "the axes differ or are not known",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[1,3] x) => (float[3] z) <int64[1] a={0}, int64[0] b={}> { y = "
            "ReduceSum<noop_with_empty_axes=1>(x, b) z = Squeeze(y, a) }",
            "the axes differ or are not known",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[n,3] x) => (float[n,1,1] z) <int64[1] a={1}> { y = ReduceMean<axes=[1]>(x) z = "
            "Unsqueeze(y, a) }",
            "the rank is unknown or the axes are there already",
            {},
        ),
        (
            keep_or_drop_axes,
            "g (float[n,3] x) => (float[n,1] z, float[n] y) <int64[1] a={1}> { y = "
            "ReduceMean<axes=[1],keepdims=0>(x) z = Unsqueeze(y, a) }",
            "input is not made by a reduction that is read here only",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_skips_what_is_computed_once_around_a_loop():
    text = """g (float[2,3,4] x, int64 n, float[2,3,4] s) => (float[2,3,4] z) <int64[1] a = {1}> {
        t = ReduceMean<axes=[1],keepdims=0>(x)
        z = Loop(n, "", s) <body = b (int64 i, bool c, float[2,3,4] p) => (bool d, float[2,3,4] q)
            { d = Identity(c) y = Unsqueeze(t, a) q = Add(p, y) }> }"""
    assert_skips(keep_or_drop_axes, text, "input is not made by a reduction that is read here only")
