"""rewrite_slice_bounds: bounds computed from the size of the axis."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_slice_bounds import constant_bounds


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            constant_bounds,
            "g (float[n,4] x) => (float[n,4] z) <int64[1] o={0}> { e = Shape<end=1>(x) z = Slice(x, o, e, o) }",
            "g (float[n,4] x) => (float[n,4] z) <int64[1] o={0}, int64[1] e={9223372036854775807}> { z = "
            "Slice(x, o, e, o) }",
            {},
        ),
        (
            constant_bounds,
            "g (float[n,4] x) => (float[n,4] z) <int32[1] o={0}> { s = Shape<end=1>(x) e = Cast<to=6>(s) z = Slice(x, "
            "o, e, o) }",
            "g (float[n,4] x) => (float[n,4] z) <int32[1] o={0}, int32[1] e={2147483647}> { z = Slice(x, o, e, o) }",
            {},
        ),
        (
            constant_bounds,
            "g (float[k] y) => (float[j] z) <float[3] w={1,2,3}, int64[1] o={0}, int64[1] two={2}> { c = "
            "Concat<axis=0>(y, w) s = Shape(c) e = Sub(s, two) z = Slice(c, o, e, o) }",
            "g (float[k] y) => (float[j] z) <float[3] w={1,2,3}, int64[1] o={0}, int64[1] e={-2}> { c = "
            "Concat<axis=0>(y, w) z = Slice(c, o, e, o) }",
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
            constant_bounds,
            "g (float[n,4] x) => (float[j,4] z) <int64[1] o={0}, int64[1] two={2}> { s = Shape<end=1>(x) e = "
            "Sub(s, two) z = Slice(x, o, e, o) }",
            "no bound is the size of its axis or a number less",
            {},
        ),
        (
            constant_bounds,
            "g (float[n,4] x, float[m] y) => (float[j,4] z) <int64[1] o={0}> { e = Shape(y) z = Slice(x, o, e, o) }",
            "no bound is the size of its axis or a number less",
            {},
        ),
        (
            constant_bounds,
            "g (float[n,4] x, int64[1] e) => (float[j,4] z) <int64[1] o={0}> { z = Slice(x, o, e, o) }",
            "no bound is the size of its axis or a number less",
            {},
        ),
        (
            constant_bounds,
            "g (float[n,4] x) => (float[j,4] z) <int64[1] o={0}, int64[1] t={-1}> { e = Shape<end=1>(x) z = "
            "Slice(x, e, o, o, t) }",
            "the axes are not known, or it goes backwards",
            {},
        ),
        (
            constant_bounds,
            "g (float[n,4] x) => (float[n,2] z) { z = Slice<starts=[0],ends=[2],axes=[1]>(x) }",
            "the bounds are attributes, or the rank is unknown",
            {"opset": 9},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
