"""eliminate_nop_pad: Pad by nothing."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_pad import drop_pad


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_pad,
            "g (float[n,3] x) => (float[n,3] z) <int64[4] p = {0,0,0,0}> { a = Pad(x, p) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_pad,
            'g (float[n,3] x) => (float[n,3] z) <int64[4] p = {0,0,0,0}> { a = Pad<mode="reflect">(x, p) z = '
            'Neg(a) }',
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_pad,
            "g (float[n,3] x) => (float[n,3] z) { a = Pad<pads=[0,0,0,0]>(x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {"opset": 10},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            drop_pad,
            "g (float[n,3] x) => (float[n,4] z) <int64[4] p = {0,1,0,0}> { z = Pad(x, p) }",
            "it pads or crops",
            {},
        ),
        (
            drop_pad,
            "g (float[n,3] x) => (float[n,3] z) <int64[4] p = {0,1,0,-1}> { z = Pad(x, p) }",
            "it pads or crops",
            {},
        ),
        (
            drop_pad,
            "g (float[n,3] x, int64[4] p) => (float[n,k] z) { z = Pad(x, p) }",
            "the amounts are not known",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
