"""fuse_mul_into_conv: scales per channel, their inverses and signs, and the ranges that forbid them."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_add_bias_into_conv import convolution_with_bias
from onnxsim_core.passes.fuse_mul_into_conv import scaled_convolution

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W, B = drawn(4, 3, 3, 3), drawn(4, seed=1)
C = drawn(4, seed=2, low=0.5, high=2.0)
AFTER = "g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w, b) }"


def before(tail: str) -> str:
    return f"g (float[2,3,6,6] x) => (float[2,4,4,4] z) {{ y = Conv(x, w, b) {tail} }}"


@pytest.mark.parametrize("dims", [(1, 4, 1, 1), (4, 1, 1)])
@pytest.mark.parametrize("tail", ["z = Mul(y, c)", "z = Mul(c, y)"])
def test_a_factor_per_channel(dims, tail):
    assert_rewrites(
        scaled_convolution,
        given(before(tail), w=W, b=B, c=C.reshape(dims)),
        given(AFTER, w=W * C.reshape(-1, 1, 1, 1), b=B * C),
        **BOUND,
    )


@pytest.mark.parametrize("dims", [(), (1,), (1, 1, 1, 1)])
def test_one_divisor(dims):
    assert_rewrites(
        scaled_convolution,
        given(before("z = Div(y, c)"), w=W, b=B, c=np.full(dims, 3, np.float32)),
        given(AFTER, w=(W / np.float64(3)).astype(np.float32), b=(B / np.float64(3)).astype(np.float32)),
        **BOUND,
    )


def test_a_divisor_per_channel():
    assert_rewrites(
        scaled_convolution,
        given(before("z = Div(y, c)"), w=W, b=B, c=C.reshape(4, 1, 1)),
        given(
            AFTER,
            w=(W / C.reshape(-1, 1, 1, 1).astype(np.float64)).astype(np.float32),
            b=(B / C.astype(np.float64)).astype(np.float32),
        ),
        **BOUND,
    )


def test_neg():
    assert_rewrites(scaled_convolution, given(before("z = Neg(y)"), w=W, b=B), given(AFTER, w=-W, b=-B), **BOUND)


def test_without_bias_none_is_made():
    assert_rewrites(
        scaled_convolution,
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { y = Conv(x, w) z = Mul(y, c) }", w=W, c=np.float32(0.5)),
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w) }", w=W / 2),
        **BOUND,
    )


def test_grouped_conv_transpose():
    w, c = drawn(4, 3, 2, 2), drawn(6, 1, 1, seed=3)
    wanted = np.stack([w[i] * c[(i // 2) * 3 : (i // 2) * 3 + 3] for i in range(4)])
    assert_rewrites(
        scaled_convolution,
        given(
            "g (float[2,4,3,3] x) => (float[2,6,4,4] z) { y = ConvTranspose<group=2>(x, w) z = Mul(y, c) }", w=w, c=c
        ),
        given("g (float[2,4,3,3] x) => (float[2,6,4,4] z) { z = ConvTranspose<group=2>(x, w) }", w=wanted),
        **BOUND,
    )


def test_a_whole_tail_becomes_one_conv():
    s, t = drawn(1, 4, 1, 1, seed=4), drawn(1, 4, 1, 1, seed=5)
    assert_rewrites(
        [scaled_convolution, convolution_with_bias],
        given(before("a = Mul(y, s) d = Add(a, t) e = Sub(d, b1) z = Neg(e)"), w=W, b=B, s=s, t=t, b1=np.float32(0.25)),
        given(AFTER, w=-W * s.reshape(-1, 1, 1, 1), b=-(B * s.ravel() + t.ravel() - np.float32(0.25))),
        **BOUND,
    )


@pytest.mark.parametrize("dims", [(4,), (1, 1, 1, 4), (2, 1, 1, 1), (4, 4)])
def test_skips_what_runs_along_other_axes(dims):
    assert_skips(
        scaled_convolution,
        given(before("z = Mul(y, c)"), w=W, b=B, c=drawn(*dims)),
        "the constant does not run along the output channels",
    )


@pytest.mark.parametrize("tail", ["z = Div(c, y)", "z = Div(y, o)"])
def test_skips_divisions_that_are_no_scale(tail):
    o = np.array([1, 0, 1, 1], np.float32).reshape(4, 1, 1)
    assert_skips(
        scaled_convolution,
        given(before(tail), w=W, b=B, c=C.reshape(4, 1, 1), o=o),
        "the division is not by a constant other than 0",
    )


def test_skips_infinite_factors():
    assert_skips(
        scaled_convolution,
        given(before("z = Mul(y, c)"), w=W, b=B),
        "the constant is not finite",
        initializers={"c": np.full((4, 1, 1), np.inf, np.float32)},
    )


@pytest.mark.parametrize("factor", [1e30, 1e-30])
def test_skips_what_leaves_the_range_of_the_weight(factor):
    """x * 1e-30 * 1e30 is finite; x * inf is not, and x * 0 is not x * 1e-20."""
    weight = W * np.float32(1e20 if factor > 1 else 1e-20)
    assert_skips(
        scaled_convolution,
        given(before("z = Mul(y, c)"), w=weight, b=B, c=np.float32(factor)),
        "the scaled weight leaves the range of its type",
    )


def test_skips_a_float16_weight_that_would_lose_its_digits():
    text = before("z = Mul(y, c)").replace("float", "float16")
    half = {name: array.astype(np.float16) for name, array in {"w": W, "b": B, "c": np.full((), 1e-5)}.items()}
    assert_skips(scaled_convolution, given(text, **half), "the scaled weight leaves the range of its type")


def test_skips_a_weight_that_is_an_input():
    assert_skips(
        scaled_convolution,
        given(
            "g (float[2,3,6,6] x, float[4,3,3,3] w) => (float[2,4,4,4] z) { y = Conv(x, w) z = Mul(y, c) }",
            c=C.reshape(4, 1, 1),
        ),
        "the weight is not a constant",
    )


def test_skips_two_computed_operands():
    assert_skips(
        scaled_convolution, given(before("a = Sigmoid(y) z = Mul(y, a)"), w=W, b=B), "there is no constant operand"
    )


def test_skips_other_producers_and_readers():
    assert_skips(
        scaled_convolution,
        given("g (float[2,4] x) => (float[2,4] z) { y = Relu(x) z = Mul(y, c) }", c=C),
        "no operand is made by such a layer",
    )
    assert_skips(
        scaled_convolution,
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z, float[2,4,4,4] y) { y = Conv(x, w) z = Neg(y) }", w=W),
        "the layer's result has other readers",
    )


def test_skips_a_weight_of_unknown_shape():
    text = "g (float[2,3,6,6] x, float[] w) => (float[2,4,4,4] z) { y = Conv(x, w) z = Neg(y) }"
    assert_skips(scaled_convolution, text, "the number of output channels is not known")
