"""eliminate_nop_concat: inputs that add nothing."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_concat import drop_concat_of_one, drop_empty_inputs


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_concat_of_one,
            "g (float[n,3] x) => (float[n,3] z) { a = Concat<axis=1>(x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_empty_inputs,
            "g (float[n,3] x, float[n,0] e, float[n,2] y) => (float[n,5] z) { z = Concat<axis=1>(x, e, y) }",
            "g (float[n,3] x, float[n,0] e, float[n,2] y) => (float[n,5] z) { z = Concat<axis=1>(x, y) }",
            {},
        ),
        (
            drop_empty_inputs,
            "g (float[n,3] x, float[0,3] e) => (float[n,3] z) { a = Concat<axis=-2>(e, x) z = Neg(a) }",
            "g (float[n,3] x, float[0,3] e) => (float[n,3] z) { z = Neg(x) }",
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
            drop_concat_of_one,
            "g (float[2] x, float[2] y) => (float[4] z) { z = Concat<axis=0>(x, y) }",
            "there are several inputs",
            {},
        ),
        (
            drop_empty_inputs,
            "g (float[n,3] x, float[m,3] y) => (float[k,3] z) { z = Concat<axis=0>(x, y) }",
            "no input is empty, or all are",
            {},
        ),
        (
            drop_empty_inputs,
            "g (float[0,3] x, float[0,3] y) => (float[0,3] z) { z = Concat<axis=0>(x, y) }",
            "no input is empty, or all are",
            {},
        ),
        (
            drop_empty_inputs,
            "g (float[0,n] x, float[2,m] y) => (float[2,k] z) { z = Concat<axis=0>(x, y) }",
            "an empty input may have other sizes",
            {},
        ),
        (
            drop_empty_inputs,
            "g (float[2,3] x) => (float[k,3] z) { a = acme.Make(x) z = Concat<axis=0>(x, a) }",
            "the axis or a rank is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
