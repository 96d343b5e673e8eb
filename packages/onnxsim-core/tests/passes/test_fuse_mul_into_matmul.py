"""fuse_mul_into_matmul: constant factors right and left, of any rank."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_mul_into_matmul import scaled_matmul

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W, C = drawn(5, 3), drawn(3, seed=6, low=0.5, high=2)
BEFORE = "g (float[b,s,5] x) => (float[b,s,3] z) { y = MatMul(x, w) z = Mul(y, c) }"
AFTER = "g (float[b,s,5] x) => (float[b,s,3] z) { z = MatMul(x, w) }"


@pytest.mark.parametrize("dims", [(3,), (1, 3), (1, 1, 3)])
def test_a_factor_per_column(dims):
    assert_rewrites(scaled_matmul, given(BEFORE, w=W, c=C.reshape(dims)), given(AFTER, w=W * C), **BOUND)


@pytest.mark.parametrize("tail", ["Mul(y, c)", "Mul(c, y)", "Div(y, d)"])
def test_one_factor(tail):
    assert_rewrites(
        scaled_matmul,
        given(BEFORE.replace("Mul(y, c)", tail), w=W, c=np.float32(0.125), d=np.float32(8)),
        given(AFTER, w=W / 8),
        **BOUND,
    )


def test_neg_of_a_batch_of_matrices():
    w = drawn(2, 5, 3)
    assert_rewrites(
        scaled_matmul,
        given("g (float[2,4,5] x) => (float[2,4,3] z) { y = MatMul(x, w) z = Neg(y) }", w=w),
        given("g (float[2,4,5] x) => (float[2,4,3] z) { z = MatMul(x, w) }", w=-w),
        **BOUND,
    )


def test_one_factor_of_a_constant_on_the_left():
    w = drawn(3, 5)
    assert_rewrites(
        scaled_matmul,
        given("g (float[5,n] x) => (float[3,n] z) { y = MatMul(w, x) z = Mul(y, c) }", w=w, c=np.float32(2)),
        given("g (float[5,n] x) => (float[3,n] z) { z = MatMul(w, x) }", w=2 * w),
        **BOUND,
    )


def test_skips_one_factor_per_column_of_a_constant_on_the_left():
    text = "g (float[5,3] x) => (float[4,3] z) { y = MatMul(w, x) z = Mul(y, c) }"
    assert_skips(scaled_matmul, given(text, w=drawn(4, 5), c=C), "the weight is not a constant")


@pytest.mark.parametrize("dims", [(3, 1), (2, 1, 1), (1, 1, 1, 3)])
def test_skips_what_runs_along_other_axes(dims):
    text = "g (float[2,3,5] x) => (float[] z) { y = MatMul(x, w) z = Mul(y, c) }"
    assert_skips(scaled_matmul, given(text, w=W, c=drawn(*dims)), "the constant does not run along the output channels")


def test_skips_a_constant_of_two_axes_when_the_rank_is_unknown():
    """With a vector x the product has one axis and the result two."""
    assert_skips(
        scaled_matmul,
        given("g (float[] x) => (float[] z) { y = MatMul(x, w) z = Mul(y, c) }", w=W, c=C.reshape(1, 3)),
        "the constant does not run along the output channels",
    )


def test_skips_a_vector_as_weight():
    assert_skips(
        scaled_matmul,
        given("g (float[4,5] x) => (float[4] z) { y = MatMul(x, w) z = Mul(y, c) }", w=drawn(5), c=np.float32(2)),
        "the number of output channels is not known",
    )


def test_skips_a_product_of_inputs():
    assert_skips(
        scaled_matmul,
        given("g (float[4,5] x, float[5,3] w) => (float[4,3] z) { y = MatMul(x, w) z = Mul(y, c) }", c=np.float32(2)),
        "the weight is not a constant",
    )


def test_skips_integers():
    assert_skips(
        scaled_matmul,
        given(
            "g (int32[4,5] x) => (int32[4,3] z) { y = MatMul(x, w) z = Mul(y, c) }",
            w=np.ones((5, 3), np.int32),
            c=np.int32(2),
        ),
        "the weight is not of a float type",
    )


def test_skips_a_dequantized_weight():
    text = """g (float[4,5] x, uint8[5,3] q, float scale, uint8 zero) => (float[4,3] z) {
        w = DequantizeLinear(q, scale, zero) y = MatMul(x, w) z = Mul(y, c) }"""
    assert_skips(scaled_matmul, given(text, c=np.float32(2)), "the weight is not a constant")
