"""fuse_concat_into_reshape: computed targets."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.fuse_concat_into_reshape import constant_reshape
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            constant_reshape,
            "g (float[b,s,8] x) => (float[b,s,2,4] z) <int64 i={0}, int64 j={1}, int64[1] o={0}, int64[2] "
            "k={2,4}> { h = Shape(x) p = Gather(h, i) q = Gather(h, j) r = Unsqueeze(p, o) t = Unsqueeze(q, "
            "o) u = Concat<axis=0>(r, t, k) z = Reshape(x, u) }",
            "g (float[b,s,8] x) => (float[b,s,2,4] z) <int64[4] u={0,0,2,4}> { z = Reshape(x, u) }",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,3,4] x) => (float[b,12] z) <int64[1] m={-1}> { p = Shape<end=1>(x) u = "
            "Concat<axis=0>(p, m) z = Reshape(x, u) }",
            "g (float[b,3,4] x) => (float[b,12] z) <int64[2] u={0,-1}> { z = Reshape(x, u) }",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,s,8] x) => (float[k,8] z) <int64[1] e={8}> { h = Shape<end=2>(x) p = "
            "ReduceProd<axes=[0]>(h) u = Concat<axis=0>(p, e) z = Reshape(x, u) }",
            "g (float[b,s,8] x) => (float[k,8] z) <int64[2] u={-1,8}> { z = Reshape(x, u) }",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,3,4] x) => (float[b,4,3] z) <int64[2] m={4,3}> { p = Shape<end=1>(x) u = "
            "Concat<axis=0>(p, m) z = Reshape<allowzero=1>(x, u) }",
            "g (float[b,3,4] x) => (float[b,4,3] z) <int64[3] u={0,4,3}> { z = Reshape(x, u) }",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,3,4] x, float[b,2] y) => (float[b,6,2] z) <int64[1] m={-1}, int64[1] t={2}> { p = "
            "Shape<end=1>(y) u = Concat<axis=0>(p, m, t) z = Reshape(x, u) }",
            "g (float[b,3,4] x, float[b,2] y) => (float[b,6,2] z) <int64[3] u={0,-1,2}> { z = Reshape(x, u) }",
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
            constant_reshape,
            "g (float[b,s,3] x) => (float[s,k] z) <int64[1] m={3}> { p = Shape<end=1>(x) q = "
            "Shape<start=1,end=2>(x) w = Mul(p, m) u = Concat<axis=0>(q, w) z = Reshape(x, u) }",
            "the target takes more than kept sizes and one -1",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,c,h,w] x) => (float[b,c,k] z) { p = Shape<end=2>(x) q = Shape<start=2>(x) r = "
            "ReduceProd<axes=[0]>(q) u = Concat<axis=0>(p, r) z = Reshape(x, u) }",
            "the target takes more than kept sizes and one -1",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,0,4] x) => (float[b,0,2] z) <int64[1] m={0}, int64[1] t={2}> { p = Shape<end=1>(x) u "
            "= Concat<axis=0>(p, m, t) z = Reshape<allowzero=1>(x, u) }",
            "allowzero makes a 0 in the target a size",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,4] x, int64[2] u) => (float[k,m] z) { z = Reshape(x, u) }",
            "the elements of the target are not known",
            {},
        ),
        (
            constant_reshape,
            "g (float[b,4] x) => (float[b,2,2] z) <int64[3] u={0,2,2}> { z = Reshape(x, u) }",
            "the target is a constant already",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


@pytest.mark.parametrize(("batch", "seq"), [(0, 3), (2, 0), (0, 0), (2, 3)])
def test_empty_tensors_have_the_same_shape(batch, seq):
    """A 0 copies the empty axis; a -1 next to it would be refused by the runtime."""
    text = """g (float[b,s,8] x) => (float[b,s,2,4] z) <int64[2] k = {2,4}> {
        p = Shape<end=2>(x) u = Concat<axis=0>(p, k) z = Reshape(x, u) }"""
    original = model(text, opset=17)
    result, driver = apply(constant_reshape, original)
    assert driver.changes == 1
    x = np.zeros((batch, seq, 8), np.float32)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})


def test_numbers_are_left_to_folding():
    """They would be stored even where nothing is to fold."""
    before = "g (float[2,3] x, float[3,2] y) => (float[3,2] z) { s = Shape(y) z = Reshape(x, s) }"
    assert_skips(constant_reshape, before, "all elements are numbers: that is for folding")


def test_a_zero_beyond_the_input_stays_computed():
    """It fails when the model runs; written as a constant, the model could not even be loaded."""
    text = """g (float[b,2] x) => (float[k,l,m] z) <int64[2] k = {1, 0}> {
        p = Shape<end=1>(x) u = Concat<axis=0>(p, k) z = Reshape(x, u) }"""
    assert_skips(constant_reshape, text, "the target takes more than kept sizes and one -1")
