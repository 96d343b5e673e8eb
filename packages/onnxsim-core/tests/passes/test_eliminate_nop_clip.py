"""eliminate_nop_clip: Clip that can cut nothing."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_clip import drop_clip


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_clip,
            "g (int64[n] x) => (int64[n] z) { a = Clip(x) z = Neg(a) }",
            "g (int64[n] x) => (int64[n] z) { z = Neg(x) }",
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
            drop_clip,
            "g (float[n] x) => (float[n] z) { z = Clip(x) }",
            "it is no integer",
            {},
        ),
        (
            drop_clip,
            "g (int64[n] x) => (int64[n] z) <int64 c={1}> { z = Clip(x, , c) }",
            "it has a bound",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
