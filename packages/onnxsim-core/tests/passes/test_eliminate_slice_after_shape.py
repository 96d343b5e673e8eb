"""eliminate_slice_after_shape: a range of sizes."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_slice_after_shape import shape_of_range


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            shape_of_range,
            "g (float[n,3,m] x) => (int64[2] z) <int64[1] s={1}, int64[1] e={9}> { a = Shape(x) z = Slice(a, "
            "s, e) }",
            "g (float[n,3,m] x) => (int64[2] z) { z = Shape<start=1,end=3>(x) }",
            {},
        ),
        (
            shape_of_range,
            "g (float[n,3,m] x) => (int64[1] z) <int64[1] s={-1}, int64[1] e={9}> { a = Shape<end=2>(x) z = "
            "Slice(a, s, e) }",
            "g (float[n,3,m] x) => (int64[1] z) { z = Shape<start=1,end=2>(x) }",
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
            shape_of_range,
            "g (float[n,3,m] x) => (int64[0] z) <int64[1] s={2}, int64[1] e={1}> { a = Shape(x) z = Slice(a, "
            "s, e) }",
            "the range is empty",
            {},
        ),
        (
            shape_of_range,
            "g (float[n,3,m] x) => (int64[k] z) <int64[1] s={0}, int64[1] e={9}, int64[1] a={0}, int64[1] "
            "t={2}> { b = Shape(x) z = Slice(b, s, e, a, t) }",
            "the range or the rank is not known",
            {},
        ),
        (
            shape_of_range,
            "g (float[n,3,m] x, int64[1] e) => (int64[k] z) <int64[1] s={0}> { b = Shape(x) z = Slice(b, s, e) }",
            "the range or the rank is not known",
            {},
        ),
        (
            shape_of_range,
            "g (float[n,3,m] x) => (int64[1] z) <int64[1] s={0}, int64[1] e={1}> { b = Shape(x) z = Slice(b, "
            "s, e) }",
            "input is not made by a Shape that could have a start",
            {"opset": 14},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
