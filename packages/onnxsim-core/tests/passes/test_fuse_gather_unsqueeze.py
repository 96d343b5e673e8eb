"""fuse_gather_unsqueeze: one element and its axis."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_gather_unsqueeze import gather_dropping_axis, gather_keeping_axis


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            gather_keeping_axis,
            "g (float[n,3,4] x) => (float[n,1,4] z) <int64 i={-1}, int64[1] a={1}> { y = Gather<axis=1>(x, i)"
            " z = Unsqueeze(y, a) }",
            "g (float[n,3,4] x) => (float[n,1,4] z) <int64[1] i={-1}> { z = Gather<axis=1>(x, i) }",
            {},
        ),
        (
            gather_dropping_axis,
            "g (float[n,3,4] x) => (float[n,4] z) <int64[1] i={2}, int64[1] a={-2}> { y = Gather<axis=1>(x, "
            "i) z = Squeeze(y, a) }",
            "g (float[n,3,4] x) => (float[n,4] z) <int64 i={2}> { z = Gather<axis=1>(x, i) }",
            {},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            gather_keeping_axis,
            "g (float[n,3,4] x) => (float[1,n,4] z) <int64 i={1}, int64[1] a={0}> { y = Gather<axis=1>(x, i) "
            "z = Unsqueeze(y, a) }",
            "the axis comes back in another place",
            {},
        ),
        (
            gather_keeping_axis,
            "g (float[n,3] x, int64 i) => (float[n,1] z) <int64[1] a={1}> { y = Gather<axis=1>(x, i) z = "
            "Unsqueeze(y, a) }",
            "the index is not a scalar constant",
            {},
        ),
        (
            gather_keeping_axis,
            "g (float[n] x) => (float[n,1] z) <int64[1] a={1}> { z = Unsqueeze(x, a) }",
            "input is not made by a Gather that is read here only",
            {},
        ),
        (
            gather_dropping_axis,
            "g (float[n,1,4] x) => (float[n,1] z) <int64[1] i={2}, int64[1] a={1}> { y = Gather<axis=2>(x, i)"
            " z = Squeeze(y, a) }",
            "another axis is dropped",
            {},
        ),
        (
            gather_dropping_axis,
            "g (float[n,3] x, int64[1] i) => (float[n] z) <int64[1] a={1}> { y = Gather<axis=1>(x, i) z = "
            "Squeeze(y, a) }",
            "the index is not a constant of one element",
            {},
        ),
        (
            gather_dropping_axis,
            "g (float[n,1] x) => (float[n] z) <int64[1] a={1}> { z = Squeeze(x, a) }",
            "input is not made by a Gather that is read here only",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_skips_what_is_computed_once_around_a_loop():
    text = """g (float[2,3,4] x, int64 n, float[2,3,4] s) => (float[2,3,4] z) <int64[1] a = {1}, int64 i = {2}> {
        t = Gather<axis=1>(x, i)
        z = Loop(n, "", s) <body = b (int64 j, bool c, float[2,3,4] p) => (bool d, float[2,3,4] q)
            { d = Identity(c) y = Unsqueeze(t, a) q = Add(p, y) }> }"""
    assert_skips(gather_keeping_axis, text, "input is not made by a Gather that is read here only")
