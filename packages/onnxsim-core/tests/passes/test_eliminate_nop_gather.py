"""eliminate_nop_gather: Gather of everything in order."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_gather import drop_gather


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_gather,
            "g (float[n,4] x) => (float[n,4] z) <int64[4] i={0,1,2,3}> { b = Gather<axis=1>(x, i) z = Neg(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_gather,
            "g (float[n,4] x) => (float[n,4] z) <int64[4] i={0,-3,2,-1}> { b = Gather<axis=-1>(x, i) z = Neg(b) }",
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
            drop_gather,
            "g (float[n,4] x) => (float[n,4] z) <int64[4] i={0,1,3,2}> { z = Gather<axis=1>(x, i) }",
            "the indices are out of order",
            {},
        ),
        (
            drop_gather,
            "g (float[n,4] x) => (float[n,3] z) <int64[3] i={0,1,2}> { z = Gather<axis=1>(x, i) }",
            "the indices are not known, or not as many as the axis has elements",
            {},
        ),
        (
            drop_gather,
            "g (float[n,4] x) => (float[1,4] z) <int64[1] i={0}> { z = Gather(x, i) }",
            "the indices are not known, or not as many as the axis has elements",
            {},
        ),
        (
            drop_gather,
            "g (float[1,4] x) => (float[4] z) <int64 i={0}> { z = Gather(x, i) }",
            "the indices are no vector, or the rank is unknown",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
