"""fuse_consecutive_squeezes: a Squeeze of a Squeeze."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_squeezes import compose_squeezes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_squeezes,
            "g (float[1,n,1,3,1] x) => (float[n,3] z) <int64[2] a={0,-1}, int64[1] b={1}> { y = Squeeze(x, a)"
            " z = Squeeze(y, b) }",
            "g (float[1,n,1,3,1] x) => (float[n,3] z) <int64[3] a={0,2,4}> { z = Squeeze(x, a) }",
            {},
        ),
        (
            compose_squeezes,
            "g (float[1,n,1] x) => (float[n] z) { y = Squeeze<axes=[0]>(x) z = Squeeze<axes=[1]>(y) }",
            "g (float[1,n,1] x) => (float[n] z) { z = Squeeze<axes=[0,2]>(x) }",
            {"opset": 11},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            compose_squeezes,
            "g (float[1,n,1] x) => (float[n] z) <int64[1] b={1}> { y = Neg(x) w = Unsqueeze(y, b) v = "
            "Squeeze(w, b) z = Squeeze(v) }",
            "input is not made by a Squeeze with known axes",
            {},
        ),
        (
            compose_squeezes,
            "g (float[1,n,1] x) => (float[n] z) <int64[1] b={0}> { y = Squeeze(x, b) z = Squeeze(y) }",
            "input is not made by a Squeeze with known axes",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
