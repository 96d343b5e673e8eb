"""eliminate_concat_of_pieces: cut and put together again."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_concat_of_pieces import join_slices, join_split


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            join_split,
            "g (float[n,4] x) => (float[n,4] z) { a, b = Split<axis=1>(x) c = Concat<axis=-1>(a, b) z = Neg(c) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            join_slices,
            "g (float[n,9] x) => (float[n,9] z) <int64[1] s1={0}, int64[1] e1={3}, int64[1] a1={1}, int64[1] "
            "s2={3}, int64[1] e2={5}, int64[1] a2={1}, int64[1] s3={5}, int64[1] e3={99}, int64[1] a3={1}> { "
            "a = Slice(x, s1, e1, a1) b = Slice(x, s2, e2, a2) c = Slice(x, s3, e3, a3) d = Concat<axis=1>(a,"
            " b, c) z = Neg(d) }",
            "g (float[n,9] x) => (float[n,9] z) { z = Neg(x) }",
            {},
        ),
        (
            join_slices,
            "g (float[n,9] x) => (float[k,9] z) <int64[1] s1={1}, int64[1] e1={3}, int64[1] a1={0}, int64[1] "
            "s2={3}, int64[1] e2={5}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) b = Slice(x, s2, e2, a2) z "
            "= Concat<axis=0>(x, a, b) }",
            "g (float[n,9] x) => (float[k,9] z) <int64[1] s1={1}, int64[1] e1={5}, int64[1] a1={0}> { a = "
            "Slice(x, s1, e1, a1) z = Concat<axis=0>(x, a) }",
            {},
        ),
        (
            join_slices,
            "g (float[n] x) => (float[n] z) <int64[1] s1={0}, int64[1] e1={3}, int64[1] a1={0}, int64[1] "
            "s2={3}, int64[1] e2={9223372036854775807}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) b = "
            "Slice(x, s2, e2, a2) c = Concat<axis=0>(a, b) z = Neg(c) }",
            "g (float[n] x) => (float[n] z) { z = Neg(x) }",
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
            join_split,
            "g (float[n,4] x) => (float[n,4] z) { a, b = Split<axis=1>(x) z = Concat<axis=1>(b, a) }",
            "the inputs are not all the pieces of one Split, in order",
            {},
        ),
        (
            join_split,
            "g (float[4,4] x) => (float[8,2] z) { a, b = Split<axis=1>(x) z = Concat<axis=0>(a, b) }",
            "the axes differ",
            {},
        ),
        (
            join_slices,
            "g (float[n,9] x) => (float[n,9] z) <int64[1] s1={0}, int64[1] e1={3}, int64[1] a1={1}, int64[1] "
            "s2={3}, int64[1] e2={9}, int64[1] a2={1}> { a = Slice(x, s1, e1, a1) b = Slice(x, s2, e2, a2) z "
            "= Concat<axis=1>(b, a) }",
            "no two inputs are neighbouring Slices",
            {},
        ),
        (
            join_slices,
            "g (float[4,4] x) => (float[8,2] z) <int64[1] s1={0}, int64[1] e1={2}, int64[1] a1={1}, int64[1] "
            "s2={2}, int64[1] e2={4}, int64[1] a2={1}> { a = Slice(x, s1, e1, a1) b = Slice(x, s2, e2, a2) z "
            "= Concat<axis=0>(a, b) }",
            "no two inputs are neighbouring Slices",
            {},
        ),
        (
            join_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={0}, int64[1] e1={-2}, int64[1] a1={0}, int64[1] "
            "s2={-2}, int64[1] e2={9}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) b = Slice(x, s2, e2, a2) z"
            " = Concat<axis=0>(a, b) }",
            "no two inputs are neighbouring Slices",
            {},
        ),
        (
            join_slices,
            "g (float[9] x) => (float[4] z, float[2] a) <int64[1] s1={1}, int64[1] e1={3}, int64[1] a1={0}, "
            "int64[1] s2={3}, int64[1] e2={5}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) b = Slice(x, s2, "
            "e2, a2) z = Concat<axis=0>(a, b) }",
            "a Slice is read elsewhere too",
            {},
        ),
        (
            join_slices,
            "g (float[2] x) => (float[] z) { a = acme.Make(x) z = Concat<axis=0>(a, a) }",
            "the axis or the rank is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
