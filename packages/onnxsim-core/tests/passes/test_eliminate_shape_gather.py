"""eliminate_shape_gather: sizes picked out of a Shape."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_shape_gather import shape_of_some_axes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            shape_of_some_axes,
            "g (float[n,3,m] x) => (int64[1] z) <int64[1] i={2}> { s = Shape(x) z = Gather(s, i) }",
            "g (float[n,3,m] x) => (int64[1] z) { z = Shape<start=2,end=3>(x) }",
            {},
        ),
        (
            shape_of_some_axes,
            "g (float[n,3,m] x) => (int64[2] z) <int64[2] i={-2,-1}> { s = Shape(x) z = Gather(s, i) }",
            "g (float[n,3,m] x) => (int64[2] z) { z = Shape<start=1,end=3>(x) }",
            {},
        ),
        (
            shape_of_some_axes,
            "g (float[n,3,m] x) => (int64[1] z) <int64[1] i={1}> { s = Shape<start=1>(x) z = Gather(s, i) }",
            "g (float[n,3,m] x) => (int64[1] z) { z = Shape<start=2,end=3>(x) }",
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
            shape_of_some_axes,
            "g (float[n,3,m] x) => (int64 z) <int64 i={2}> { s = Shape(x) z = Gather(s, i) }",
            "it does not pick a vector out of a Shape",
            {},
        ),
        (
            shape_of_some_axes,
            "g (int64[3] s) => (int64[1] z) <int64[1] i={2}> { z = Gather(s, i) }",
            "it does not pick a vector out of a Shape",
            {},
        ),
        (
            shape_of_some_axes,
            "g (float[n,3,m] x) => (int64[2] z) <int64[2] i={2,0}> { s = Shape(x) z = Gather(s, i) }",
            "the indices are not one after the other",
            {},
        ),
        (
            shape_of_some_axes,
            "g (float[n,3,m] x) => (int64[1] z) <int64[1] i={2}> { s = Shape(x) z = Gather(s, i) }",
            "the indices or the rank are not known, or Shape has no start",
            {"opset": 14},
        ),
        (
            shape_of_some_axes,
            "g (float[n,3,m] x, int64[1] i) => (int64[1] z) { s = Shape(x) z = Gather(s, i) }",
            "the indices or the rank are not known, or Shape has no start",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
