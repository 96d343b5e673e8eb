"""eliminate_nop_transpose: Transpose that moves nothing."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_transpose import drop_transpose


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_transpose,
            "g (float[n,3] x) => (float[n,3] z) { a = Transpose<perm=[0,1]>(x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_transpose,
            "g (float[1,1,n] x) => (float[1,1,n] z) { a = Transpose<perm=[1,0,2]>(x) z = Neg(a) }",
            "g (float[1,1,n] x) => (float[1,1,n] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_transpose,
            "g (float[n] x) => (float[n] z) { a = Transpose(x) z = Neg(a) }",
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
            drop_transpose,
            "g (float[n,n] x) => (float[n,n] z) { z = Transpose<perm=[1,0]>(x) }",
            "it moves elements",
            {},
        ),
        (
            drop_transpose,
            "g (float[1,n] x) => (float[n,1] z) { z = Transpose(x) }",
            "it moves elements",
            {},
        ),
        (
            drop_transpose,
            "g (float[2] x) => (float[k] z) { a = acme.Make(x) z = Transpose(a) }",
            "a perm is left to its default and the rank is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
