"""eliminate_consecutive_inverses: what is undone at once."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_consecutive_inverses import drop_both


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_both,
            "g (float[n,4] x) => (float[n,4] z) { a = Neg(x) b = Neg(a) z = Abs(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Abs(x) }",
            {},
        ),
        (
            drop_both,
            "g (bool[n] x) => (bool[n] z) { a = Not(x) b = Not(a) c = Not(b) d = Not(c) z = And(d, d) }",
            "g (bool[n] x) => (bool[n] z) { z = And(x, x) }",
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
            drop_both,
            "g (float[n,4] x) => (float[n,4] z) { a = Abs(x) z = Neg(a) }",
            "the input is not made by its inverse",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
