"""fuse_consecutive_reshapes: views in a row."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_reshapes import compose_reshapes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_reshapes,
            "g (float[2,3,4] x) => (float[4,6,1] z) <int64[3] s={4,3,2}, int64[3] t={0,6,-1}> { y = "
            "Reshape(x, s) z = Reshape(y, t) }",
            "g (float[2,3,4] x) => (float[4,6,1] z) <int64[3] t={4,6,1}> { z = Reshape(x, t) }",
            {},
        ),
        (
            compose_reshapes,
            "g (float[n,3,4] x) => (float[n,12] z) <int64[4] s={0,3,2,2}> { y = Reshape(x, s) z = Flatten(y) }",
            "g (float[n,3,4] x) => (float[n,12] z) { z = Flatten<axis=1>(x) }",
            {},
        ),
        (
            compose_reshapes,
            "g (float[n,12] x) => (float[n,3,4] z) <int64[4] s={0,1,3,4}, int64[1] a={1}> { y = Reshape(x, s)"
            " z = Squeeze(y, a) }",
            "g (float[n,12] x) => (float[n,3,4] z) <int64[3] s={0,3,4}> { z = Reshape(x, s) }",
            {},
        ),
        (
            compose_reshapes,
            "g (float[n,1,3] x) => (float[m] z) <int64[1] a={1}, int64[1] s={-1}> { y = Squeeze(x, a) z = "
            "Reshape(y, s) }",
            "g (float[n,1,3] x) => (float[m] z) <int64[1] s={-1}> { z = Reshape(x, s) }",
            {},
        ),
        (
            compose_reshapes,
            "g (float[n,3,4] x) => (float[n,3,4] z) <int64[2] s={0,12}, int64[3] t={0,3,4}> { y = Reshape(x, "
            "s) w = Reshape(y, t) z = Neg(w) }",
            "g (float[n,3,4] x) => (float[n,3,4] z) { z = Neg(x) }",
            {},
        ),
        (
            compose_reshapes,
            "g (float[n,m,4] x) => (float[k,4] z) <int64[4] s={0,0,2,2}, int64[2] t={-1,4}> { y = Reshape(x, "
            "s) z = Reshape(y, t) }",
            "g (float[n,m,4] x) => (float[k,4] z) <int64[2] t={-1,4}> { z = Reshape(x, t) }",
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
            compose_reshapes,
            "g (float[n,m,4] x, int64[2] u) => (float[k,l] z) <int64[2] t={4,-1}> { y = Reshape(x, t) z = "
            "Reshape(y, u) }",
            "the target cannot be written as a constant",
            {},
        ),
        (
            compose_reshapes,
            "g (float[n,1] x) => (float[1,n,1] z) <int64[1] a={0}> { y = Unsqueeze(x, a) z = Unsqueeze(w, a) "
            "w = Squeeze(y, a) }",
            "both are Squeeze or Unsqueeze",
            {},
        ),
        (
            compose_reshapes,
            "g (float[2,3] x) => (float[6] z) <int64[1] s={-1}> { y = Neg(x) z = Reshape(y, s) }",
            "input is not made by an operator of the family",
            {},
        ),
        (
            compose_reshapes,
            "g (float[2,3] x) => (float[6] z) { y = Reshape<shape=[3,2]>(x) z = Reshape<shape=[6]>(y) }",
            "Reshape has no target input before opset 5",
            {"opset": 1},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
