"""fuse_consecutive_unsqueezes: an Unsqueeze of an Unsqueeze."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_unsqueezes import compose_unsqueezes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_unsqueezes,
            "g (float[n,3] x) => (float[1,n,1,3,1] z) <int64[2] a={1,3}, int64[1] b={0}> { y = Unsqueeze(x, "
            "a) z = Unsqueeze(y, b) }",
            "g (float[n,3] x) => (float[1,n,1,3,1] z) <int64[3] a={0,2,4}> { z = Unsqueeze(x, a) }",
            {},
        ),
        (
            compose_unsqueezes,
            "g (float[n,3] x) => (float[n,1,1,3] z) <int64[1] a={-2}> { y = Unsqueeze(x, a) z = Unsqueeze(y, a) }",
            "g (float[n,3] x) => (float[n,1,1,3] z) <int64[2] a={1,2}> { z = Unsqueeze(x, a) }",
            {},
        ),
        (
            compose_unsqueezes,
            "g (float[n] x) => (float[1,n,1] z) { y = Unsqueeze<axes=[0]>(x) z = Unsqueeze<axes=[2]>(y) }",
            "g (float[n] x) => (float[1,n,1] z) { z = Unsqueeze<axes=[0,2]>(x) }",
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
            compose_unsqueezes,
            "g (float[n] x, int64[1] a) => (float[k,l,m] z) <int64[1] b={0}> { y = Unsqueeze(x, a) z = "
            "Unsqueeze(y, b) }",
            "input is not made by an Unsqueeze with known axes",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
