"""fuse_neg_into_add: adding what was negated."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_neg_into_add import subtract


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            subtract,
            "g (float[n,4] x, float[4] y) => (float[n,4] z) { a = Neg(y) z = Add(x, a) }",
            "g (float[n,4] x, float[4] y) => (float[n,4] z) { z = Sub(x, y) }",
            {},
        ),
        (
            subtract,
            "g (float[n,4] x, float[4] y) => (float[n,4] z) { a = Neg(x) z = Add(a, y) }",
            "g (float[n,4] x, float[4] y) => (float[n,4] z) { z = Sub(y, x) }",
            {},
        ),
        (
            subtract,
            "g (int64[n] x, int64[n] y) => (int64[n] z) { a = Neg(y) z = Sub(x, a) }",
            "g (int64[n] x, int64[n] y) => (int64[n] z) { z = Add(x, y) }",
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
            subtract,
            "g (float[n] x, float[n] y) => (float[n] z) { a = Neg(x) z = Sub(a, y) }",
            "no operand is a Neg that is read here only",
            {},
        ),
        (
            subtract,
            "g (float[n] x, float[n] y) => (float[n] z, float[n] a) { a = Neg(y) z = Add(x, a) }",
            "no operand is a Neg that is read here only",
            {},
        ),
        (
            subtract,
            "g (float[n] x, float[n] y) => (float[n] z) { a = Neg(y) z = Add(x, a) }",
            "broadcasting follows the rules before opset 7",
            {"opset": 6},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
