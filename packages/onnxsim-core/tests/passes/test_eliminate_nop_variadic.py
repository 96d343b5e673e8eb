"""eliminate_nop_variadic: Sum, Mean, Max and Min of one value."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_variadic import drop_of_one


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_of_one,
            "g (float[n,4] x) => (float[n,4] z) { a = Sum(x) b = Mean(a) c = Max(b) d = Min(c) z = Neg(d) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_of_one,
            "g (float[n,4] x) => (float[n,4] z) { a = Max(x, x) z = Neg(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
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
            drop_of_one,
            "g (float[n,4] x) => (float[n,4] z) { z = Sum(x, x) }",
            "there are several inputs",
            {},
        ),
        (
            drop_of_one,
            "g (float[n] x, float[n] y) => (float[n] z) { z = Min(x, y) }",
            "there are several inputs",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
