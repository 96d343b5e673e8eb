"""eliminate_nop_monotone_argmax: what keeps the order."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_monotone_argmax import drop_cast_before_argmax


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_cast_before_argmax,
            "g (float[n,4] x) => (int64[n,1] z) { a = Cast<to=11>(x) z = ArgMax<axis=1>(a) }",
            "g (float[n,4] x) => (int64[n,1] z) { z = ArgMax<axis=1>(x) }",
            {},
        ),
        (
            drop_cast_before_argmax,
            "g (int32[n,4] x) => (int64[1,4] z) { a = Cast<to=7>(x) z = ArgMin<select_last_index=1>(a) }",
            "g (int32[n,4] x) => (int64[1,4] z) { z = ArgMin<select_last_index=1>(x) }",
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
            drop_cast_before_argmax,
            "g (double[n,4] x) => (int64[n,1] z) { a = Cast<to=1>(x) z = ArgMax<axis=1>(a) }",
            "the Cast may make elements equal, or its input's type cannot be compared",
            {},
        ),
        (
            drop_cast_before_argmax,
            "g (bool[n,4] x) => (int64[n,1] z) { a = Cast<to=1>(x) z = ArgMax<axis=1>(a) }",
            "the Cast may make elements equal, or its input's type cannot be compared",
            {},
        ),
        (
            drop_cast_before_argmax,
            "g (float[n,4] x) => (int64[n,1] z) { a = Sqrt(x) z = ArgMax<axis=1>(a) }",
            "input is not made by a Cast",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
