"""eliminate_nop_split: Split into one piece."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_split import drop_split


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_split,
            "g (float[n,3] x) => (float[n,3] z) { a = Split<axis=1>(x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_split,
            "g (float[n,3] x) => (float[n,3] z) <int64[1] s = {3}> { a = Split<axis=1>(x, s) z = Neg(a) }",
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
            drop_split,
            "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split(x) }",
            "there are several pieces",
            {},
        ),
        (
            drop_split,
            "g (float[n] x, int64[1] s) => (float[k] z) { z = Split(x, s) }",
            "the shape changes or is not known",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
