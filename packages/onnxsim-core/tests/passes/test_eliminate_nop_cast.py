"""eliminate_nop_cast: a Cast to the type the value has."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_cast import drop_cast_to_own_type


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_cast_to_own_type,
            "g (float[2] x) => (float[2] z) { a = Cast<to=1>(x) z = Neg(a) }",
            "g (float[2] x) => (float[2] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_cast_to_own_type,
            "g (float[2] x, float[3] w) => (float[2] z) { a = CastLike(x, w) z = Neg(a) }",
            "g (float[2] x, float[3] w) => (float[2] z) { z = Neg(x) }",
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
            drop_cast_to_own_type,
            "g (float[2] x) => (double[2] z) { z = Cast<to=11>(x) }",
            "the types differ",
            {},
        ),
        (
            drop_cast_to_own_type,
            "g (float[2] x, double[1] w) => (double[2] z) { z = CastLike(x, w) }",
            "the types differ",
            {},
        ),
        (
            drop_cast_to_own_type,
            "g (float[2] x) => (float[2] z) { a = acme.Make(x) z = Cast<to=1>(a) }",
            "the type of the input is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
