"""fuse_preceding_mul_into_conv: scales of the input channels, over groups and under padding."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_preceding_mul_into_conv import convolution_of_scaled

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W, C = drawn(4, 3, 3, 3), drawn(3, seed=2, low=0.5, high=2.0)
BEFORE = "g (float[2,3,6,6] x) => (float[2,4,6,6] z) { y = Mul(x, c) z = Conv<pads=[1,1,1,1]>(y, w) }"
AFTER = "g (float[2,3,6,6] x) => (float[2,4,6,6] z) { z = Conv<pads=[1,1,1,1]>(x, w) }"


@pytest.mark.parametrize("dims", [(1, 3, 1, 1), (3, 1, 1)])
def test_a_factor_per_channel(dims):
    assert_rewrites(
        convolution_of_scaled, given(BEFORE, w=W, c=C.reshape(dims)), given(AFTER, w=W * C.reshape(-1, 1, 1)), **BOUND
    )


def test_one_divisor():
    assert_rewrites(
        convolution_of_scaled,
        given(BEFORE.replace("Mul", "Div"), w=W, c=np.float32(255)),
        given(AFTER, w=(W / np.float64(255)).astype(np.float32)),
        **BOUND,
    )


def test_grouped_conv():
    w, c = drawn(4, 3, 2), drawn(6, 1, seed=3)
    wanted = np.stack([w[m] * c[(m // 2) * 3 : (m // 2) * 3 + 3] for m in range(4)])
    assert_rewrites(
        convolution_of_scaled,
        given(
            "g (float[2,6,5] x) => (float[2,4,4] z) { y = Mul(c, x) z = Conv<group=2>(y, w, b) }", w=w, c=c, b=drawn(4)
        ),
        given("g (float[2,6,5] x) => (float[2,4,4] z) { z = Conv<group=2>(x, w, b) }", w=wanted, b=drawn(4)),
        **BOUND,
    )


def test_grouped_conv_transpose():
    w, c = drawn(4, 3, 2), drawn(4, 1, seed=3)
    assert_rewrites(
        convolution_of_scaled,
        given("g (float[2,4,5] x) => (float[2,6,6] z) { y = Mul(x, c) z = ConvTranspose<group=2>(y, w) }", w=w, c=c),
        given("g (float[2,4,5] x) => (float[2,6,6] z) { z = ConvTranspose<group=2>(x, w) }", w=w * c.reshape(4, 1, 1)),
        **BOUND,
    )


@pytest.mark.parametrize("dims", [(3,), (6,), (1, 1, 1, 6), (2, 1, 1, 1), (1, 1, 1, 1, 1)])
def test_skips_what_runs_along_other_axes(dims):
    text = BEFORE.replace("[2,3,6,6]", "[2,3,6,3]").replace("[2,4,6,6]", "[2,4,6,3]") if dims == (3,) else BEFORE
    assert_skips(
        convolution_of_scaled, given(text, w=W, c=drawn(*dims)), "the constant does not run along the input channels"
    )


def test_skips_a_constant_that_widens_the_input():
    """x has one channel, x * c three."""
    text = "g (float[2,1,6,6] x) => (float[2,4,4,4] z) { y = Mul(x, c) z = Conv(y, w) }"
    assert_skips(convolution_of_scaled, given(text, w=W, c=C.reshape(3, 1, 1)), "the scaling widens its input")


def test_skips_an_input_of_unknown_rank():
    assert_skips(
        convolution_of_scaled,
        given("g (float[] x) => (float[] z) { y = Mul(x, c) z = Conv(y, w) }", w=W, c=C),
        "the number of input channels is not known",
    )


def test_skips_other_producers():
    assert_skips(
        convolution_of_scaled,
        given(BEFORE.replace("Mul", "Add"), w=W, c=C.reshape(3, 1, 1)),
        "the input is not made by Mul or Div",
    )


def test_skips_other_readers():
    assert_skips(
        convolution_of_scaled,
        given(
            "g (float[2,3,6,6] x) => (float[2,4,4,4] z, float[2,3,6,6] y) { y = Mul(x, c) z = Conv(y, w) }",
            w=W,
            c=np.float32(2),
        ),
        "the scaled input has other readers",
    )


@pytest.mark.parametrize("scaling", ["Mul(x, x)", "Div(c, x)"])
def test_skips_what_is_no_scaling_by_a_constant(scaling):
    assert_skips(
        convolution_of_scaled,
        given(BEFORE.replace("Mul(x, c)", scaling), w=W, c=np.float32(2)),
        "the input is not scaled by a constant",
    )


def test_skips_a_weight_that_is_an_input():
    text = "g (float[2,3,6,6] x, float[4,3,3,3] w) => (float[2,4,4,4] z) { y = Mul(x, c) z = Conv(y, w) }"
    assert_skips(convolution_of_scaled, given(text, c=np.float32(2)), "the weight is not a constant")


@pytest.mark.parametrize("scaling", ["Mul(x, h)", "Div(x, o)"])
def test_skips_what_leaves_the_range_of_the_weight(scaling):
    assert_skips(
        convolution_of_scaled,
        given(BEFORE.replace("Mul(x, c)", scaling), w=W * np.float32(1e20), h=np.float32(1e30), o=np.float32(0)),
        "the scaled weight leaves the range of its type",
    )


def test_skips_a_weight_other_convs_read():
    w = drawn(64, 1024, 3, 3)
    text = """g (float[1,1024,4,4] x) => (float[1,64,2,2] z, float[1,64,2,2] u) {
        y = Mul(x, c) u = Conv(x, w) z = Conv(y, w) }"""
    assert_skips(
        convolution_of_scaled,
        given(text, c=np.float32(2)),
        "the new weight would make the model grow",
        initializers={"w": w},
    )
