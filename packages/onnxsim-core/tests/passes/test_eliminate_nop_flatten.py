"""eliminate_nop_flatten: Flatten of two axes."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_flatten import drop_flatten


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_flatten,
            "g (float[n,3] x) => (float[n,3] z) { a = Flatten(x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_flatten,
            "g (float[1,n] x) => (float[1,n] z) { a = Flatten<axis=0>(x) z = Neg(a) }",
            "g (float[1,n] x) => (float[1,n] z) { z = Neg(x) }",
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
            drop_flatten,
            "g (float[n,3] x) => (float[1,k] z) { z = Flatten<axis=0>(x) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_flatten,
            "g (float[n,3,1] x) => (float[n,3] z) { z = Flatten(x) }",
            "the shape changes or is not known",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
