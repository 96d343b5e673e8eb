"""fuse_consecutive_concats: a Concat inside a Concat."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_concats import flatten_concats


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            flatten_concats,
            "g (float[n,1] a, float[n,2] b, float[n,3] c) => (float[n,6] z) { y = Concat<axis=1>(b, c) z = "
            "Concat<axis=-1>(a, y) }",
            "g (float[n,1] a, float[n,2] b, float[n,3] c) => (float[n,6] z) { z = Concat<axis=-1>(a, b, c) }",
            {},
        ),
        (
            flatten_concats,
            "g (float[n,1] a, float[n,2] b) => (float[n,7] z) { x = Concat<axis=1>(b, b) y = "
            "Concat<axis=1>(a, b) z = Concat<axis=1>(x, y) }",
            "g (float[n,1] a, float[n,2] b) => (float[n,7] z) { z = Concat<axis=1>(b, b, a, b) }",
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
            flatten_concats,
            "g (float[2,1] a, float[2,1] b, float[2,2] c) => (float[4,2] z) { y = Concat<axis=1>(a, b) z = "
            "Concat<axis=0>(y, c) }",
            "no input is such a Concat of its own",
            {},
        ),
        (
            flatten_concats,
            "g (float[n] a, float[m] b) => (float[k] z) { y = Concat<axis=0>(a, b) z = Concat<axis=0>(y, y) }",
            "no input is such a Concat of its own",
            {},
        ),
        (
            flatten_concats,
            "g (float[2] x) => (float[] z) { a = acme.Make(x) b = Concat<axis=0>(a, a) z = Concat<axis=0>(a, b) }",
            "the axis or the rank is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
