"""fuse_consecutive_transposes: two Transposes in a row."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_transposes import compose_transposes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_transposes,
            "g (float[2,3,4] x) => (float[4,2,3] z) { y = Transpose<perm=[0,2,1]>(x) z = "
            "Transpose<perm=[1,0,2]>(y) }",
            "g (float[2,3,4] x) => (float[4,2,3] z) { z = Transpose<perm=[2,0,1]>(x) }",
            {},
        ),
        (
            compose_transposes,
            "g (float[n,3] x) => (float[n,3] z) { a = Transpose(x) b = Transpose(a) z = Neg(b) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
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
            compose_transposes,
            "g (float[2,3] x) => (float[3,2] z) { a = Neg(x) z = Transpose(a) }",
            "input is not made by a Transpose",
            {},
        ),
        (
            compose_transposes,
            "g (float[2] x) => (float[k] z) { a = acme.Make(x) b = Transpose(a) z = Transpose(b) }",
            "a perm is left to its default and the rank is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
