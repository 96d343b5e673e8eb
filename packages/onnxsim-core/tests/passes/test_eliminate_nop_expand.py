"""eliminate_nop_expand: Expand to the shape the value has."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_expand import drop_expand


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_expand,
            "g (float[n,3] x) => (float[n,3] z) <int64[2] s = {1,3}> { a = Expand(x, s) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_expand,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) a = Expand(x, s) z = Neg(a) }",
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
            drop_expand,
            "g (float[n,3] x) => (float[1,n,3] z) <int64[3] s = {1,1,3}> { z = Expand(x, s) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_expand,
            "g (float[1,3] x) => (float[4,3] z) <int64[1] s = {4}, int64[1] t = {3}> { u = Concat<axis=0>(s, "
            "t) z = Expand(x, u) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_expand,
            "g (float[n,3] x, int64[2] s) => (float[k,3] z) { z = Expand(x, s) }",
            "the shape changes or is not known",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
