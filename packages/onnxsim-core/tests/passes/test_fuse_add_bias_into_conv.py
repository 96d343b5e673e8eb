"""fuse_add_bias_into_conv: constants that run along the channels, and those that only look like it."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_add_bias_into_conv import convolution_with_bias

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W = drawn(4, 3, 3, 3)
BEFORE = "g (float[2,3,6,6] x) => (float[2,4,4,4] z) { y = Conv(x, w) z = Add(y, c) }"


@pytest.mark.parametrize("dims", [(1, 4, 1, 1), (4, 1, 1)])
def test_a_constant_per_channel_becomes_the_bias(dims):
    c = drawn(4, seed=1)
    assert_rewrites(
        convolution_with_bias,
        given(BEFORE, w=W, c=c.reshape(dims)),
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w, c) }", w=W, c=c),
        **BOUND,
    )


@pytest.mark.parametrize("dims", [(), (1,), (1, 1), (1, 1, 1, 1)])
def test_one_number_is_added_to_every_channel(dims):
    assert_rewrites(
        convolution_with_bias,
        given(BEFORE, w=W, c=np.full(dims, 0.7, np.float32)),
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w, c) }", w=W, c=np.full(4, 0.7, np.float32)),
        **BOUND,
    )


def test_it_is_summed_with_the_bias_there_is():
    b, c = drawn(4, seed=1), drawn(1, 4, 1, 1, seed=2)
    assert_rewrites(
        convolution_with_bias,
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { y = Conv(x, w, b) z = Add(c, y) }", w=W, b=b, c=c),
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w, b) }", w=W, b=b + c.reshape(-1)),
        **BOUND,
    )


def test_subtraction():
    b, c = drawn(4, seed=1), drawn(1, 4, 1, 1, seed=2)
    assert_rewrites(
        convolution_with_bias,
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { y = Conv(x, w, b) z = Sub(y, c) }", w=W, b=b, c=c),
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w, b) }", w=W, b=b - c.reshape(-1)),
        **BOUND,
    )


def test_subtraction_from_a_constant_turns_the_sign():
    b, c = drawn(4, seed=1), drawn(1, 4, 1, 1, seed=2)
    assert_rewrites(
        convolution_with_bias,
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { y = Conv(x, w, b) z = Sub(c, y) }", w=W, b=b, c=c),
        given("g (float[2,3,6,6] x) => (float[2,4,4,4] z) { z = Conv(x, w, b) }", w=-W, b=c.reshape(-1) - b),
        **BOUND,
    )


def test_a_weight_that_is_an_input_may_get_a_bias():
    assert_rewrites(
        convolution_with_bias,
        given(
            "g (float[2,3,6,6] x, float[4,3,3,3] w) => (float[2,4,4,4] z) { y = Conv(x, w) z = Add(y, c) }",
            c=drawn(4, 1, 1),
        ),
        given(
            "g (float[2,3,6,6] x, float[4,3,3,3] w) => (float[2,4,4,4] z) { z = Conv(x, w, c) }",
            c=drawn(4, 1, 1).ravel(),
        ),
        **BOUND,
    )


def test_conv_transpose_counts_channels_over_groups():
    w, c = drawn(4, 3, 2, 2), drawn(6, 1, 1)
    assert_rewrites(
        convolution_with_bias,
        given(
            "g (float[2,4,3,3] x) => (float[2,6,4,4] z) { y = ConvTranspose<group=2>(x, w) z = Add(y, c) }", w=w, c=c
        ),
        given("g (float[2,4,3,3] x) => (float[2,6,4,4] z) { z = ConvTranspose<group=2>(x, w, c) }", w=w, c=c.ravel()),
        **BOUND,
    )


@pytest.mark.parametrize(
    "dims", [(4,), (4, 1), (1, 4, 1, 4), (4, 1, 1, 1), (1, 1, 1, 1, 4), (1, 1, 1, 1, 1), (1, 8, 1, 1)]
)
def test_skips_what_runs_along_other_axes_or_widens_the_result(dims):
    """[4] runs along the width though there are 4 channels; five axes make the result five axes long."""
    text = BEFORE if len(dims) < 5 and 8 not in dims else BEFORE.replace("float[2,4,4,4]", "float[]")
    assert_skips(
        convolution_with_bias, given(text, w=W, c=drawn(*dims)), "the constant does not run along the output channels"
    )


def test_skips_a_constant_that_widens_one_channel():
    text = "g (float[2,3,6,6] x) => (float[] z) { y = Conv(x, w) z = Add(y, c) }"
    assert_skips(
        convolution_with_bias,
        given(text, w=drawn(1, 3, 3, 3), c=drawn(1, 4, 1, 1)),
        "the constant does not run along the output channels",
    )


def test_skips_two_computed_operands():
    assert_skips(
        convolution_with_bias,
        given("g (float[2,3,6,6] x, float[4,1,1] c) => (float[2,4,4,4] z) { y = Conv(x, w) z = Add(y, c) }", w=W),
        "there is no constant operand",
    )


def test_skips_other_producers():
    assert_skips(
        convolution_with_bias,
        given("g (float[2,4] x) => (float[2,4] z) { y = Relu(x) z = Add(y, c) }", c=drawn(4)),
        "no operand is made by such a layer",
    )


def test_skips_other_readers():
    assert_skips(
        convolution_with_bias,
        given(
            "g (float[2,3,6,6] x) => (float[2,4,4,4] z, float[2,4,4,4] u) { y = Conv(x, w) u = Abs(y) z = Add(y, c) }",
            w=W,
            c=drawn(4, 1, 1),
        ),
        "the layer's result has other readers",
    )


def test_skips_an_unknown_number_of_channels():
    assert_skips(
        convolution_with_bias,
        given(
            "g (float[2,3,6,6] x, float[k,3,3,3] w) => (float[] z) { y = Conv(x, w) z = Add(y, c) }", c=drawn(4, 1, 1)
        ),
        "the number of output channels is not known",
    )


def test_skips_a_bias_that_is_an_input():
    assert_skips(
        convolution_with_bias,
        given(
            "g (float[2,3,6,6] x, float[4] b) => (float[2,4,4,4] z) { y = Conv(x, w, b) z = Add(y, c) }",
            w=W,
            c=drawn(4, 1, 1),
        ),
        "the bias is not a constant",
    )


def test_skips_a_quantized_weight():
    text = """g (float[2,3,6,6] x, int8[4,3,3,3] q) => (float[2,4,4,4] z) {
        w = DequantizeLinear(q, s) y = Conv(x, w) z = Add(y, c) }"""
    assert_skips(
        convolution_with_bias,
        given(text, s=np.float32(0.1), c=drawn(4, 1, 1)),
        "the layer's weight or bias is quantized",
    )


def test_skips_infinity():
    assert_skips(
        convolution_with_bias,
        given(BEFORE, w=W),
        "the constant is not finite",
        initializers={"c": np.full((4, 1, 1), np.inf, np.float32)},
    )
