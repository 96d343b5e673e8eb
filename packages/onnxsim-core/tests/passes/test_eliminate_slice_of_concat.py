"""eliminate_slice_of_concat: what is cut out of a Concat."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_slice_of_concat import slice_of_input, split_into_inputs


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            slice_of_input,
            "g (float[n,2] x, float[n,3] y) => (float[n,3] z, float[n,5] c) <int64[1] s1={2}, int64[1] "
            "e1={9}, int64[1] a1={1}> { c = Concat<axis=1>(x, y) a = Slice(c, s1, e1, a1) z = Neg(a) }",
            "g (float[n,2] x, float[n,3] y) => (float[n,3] z, float[n,5] c) { c = Concat<axis=1>(x, y) z = Neg(y) }",
            {},
        ),
        (
            slice_of_input,
            "g (float[n,2] x, float[n,3] y) => (float[n,1] z) <int64[1] s1={-2}, int64[1] e1={4}, int64[1] "
            "a1={-1}> { c = Concat<axis=1>(x, y) z = Slice(c, s1, e1, a1) }",
            "g (float[n,2] x, float[n,3] y) => (float[n,1] z) <int64[1] s1={1}, int64[1] e1={2}, int64[1] "
            "a1={1}> { z = Slice(y, s1, e1, a1) }",
            {},
        ),
        (
            split_into_inputs,
            "g (float[n,2] x, float[n,3] y) => (float[n,2] z, float[n,3] w) <int64[2] s={2,3}> { c = "
            "Concat<axis=1>(x, y) a, b = Split<axis=-1>(c, s) z = Neg(a) w = Neg(b) }",
            "g (float[n,2] x, float[n,3] y) => (float[n,2] z, float[n,3] w) { z = Neg(x) w = Neg(y) }",
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
            slice_of_input,
            "g (float[n,2] x, float[n,3] y) => (float[n,3] z) <int64[1] s1={1}, int64[1] e1={4}, int64[1] "
            "a1={1}> { c = Concat<axis=1>(x, y) z = Slice(c, s1, e1, a1) }",
            "it cuts across inputs",
            {},
        ),
        (
            slice_of_input,
            "g (float[n,2] x, float[n,3] y) => (float[n,2] z, float[n,5] c) <int64[1] s1={3}, int64[1] "
            "e1={5}, int64[1] a1={1}> { c = Concat<axis=1>(x, y) z = Slice(c, s1, e1, a1) }",
            "it cuts across inputs",
            {},
        ),
        (
            slice_of_input,
            "g (float[n,2] x, float[m,2] y) => (float[k,2] z) <int64[1] s1={0}, int64[1] e1={1}, int64[1] "
            "a1={0}> { c = Concat<axis=0>(x, y) z = Slice(c, s1, e1, a1) }",
            "it cuts along another axis, or the size is unknown",
            {},
        ),
        (
            slice_of_input,
            "g (float[4,2] x, float[4,3] y) => (float[2,5] z) <int64[1] s1={0}, int64[1] e1={2}, int64[1] "
            "a1={0}> { c = Concat<axis=1>(x, y) z = Slice(c, s1, e1, a1) }",
            "it cuts along another axis, or the size is unknown",
            {},
        ),
        (
            slice_of_input,
            "g (float[9] x) => (float[2] z) <int64[1] s1={0}, int64[1] e1={2}, int64[1] a1={0}> { z = "
            "Slice(x, s1, e1, a1) }",
            "input is not made by a Concat, or the Slice is not along one axis with known bounds",
            {},
        ),
        (
            split_into_inputs,
            "g (float[n,2] x, float[n,4] y) => (float[n,3] z, float[n,3] w) { c = Concat<axis=1>(x, y) z, w ="
            " Split<axis=1>(c) }",
            "the sizes differ or are not known",
            {},
        ),
        (
            split_into_inputs,
            "g (float[4,2] x, float[4,2] y) => (float[2,4] z, float[2,4] w) { c = Concat<axis=1>(x, y) z, w ="
            " Split<axis=0>(c) }",
            "the axes differ",
            {},
        ),
        (
            split_into_inputs,
            "g (float[4] x) => (float[2] z, float[2] w) { z, w = Split<axis=0>(x) }",
            "input is not made by a Concat of as many values",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
