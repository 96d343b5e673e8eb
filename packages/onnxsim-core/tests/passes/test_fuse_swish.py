"""fuse_swish: the product Swish is defined as."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import given

from onnxsim_core.passes.fuse_swish import swish
from onnxsim_testkit import model

BEFORE = "g (float[n,8] x) => (float[n,8] z) { s = Sigmoid(x) z = Mul(x, s) }"


@pytest.mark.parametrize("product", ["Mul(x, s)", "Mul(s, x)"])
def test_either_order(product):
    assert_rewrites(
        swish,
        BEFORE.replace("Mul(x, s)", product),
        "g (float[n,8] x) => (float[n,8] z) { z = Swish<alpha=1.0>(x) }",
        opset=24,
        rtol=1e-6,
        atol=1e-7,
    )


def test_a_slope():
    assert_rewrites(
        swish,
        given("g (float[n,8] x) => (float[n,8] z) { a = Mul(c, x) s = Sigmoid(a) z = Mul(x, s) }", c=np.float32(1.5)),
        "g (float[n,8] x) => (float[n,8] z) { z = Swish<alpha=1.5>(x) }",
        opset=24,
        rtol=1e-6,
        atol=1e-7,
    )


def test_not_finite_values():
    original = model(BEFORE, opset=24)
    result, driver = apply(swish, original)
    assert driver.changes == 1
    x = np.array([[np.nan, np.inf, -np.inf, 3e38, -3e38, -0.0, 1e-40, -100]], np.float32)
    assert_same_model(original, result, rtol=1e-6, atol=1e-7, feeds={"x": x})


@pytest.mark.parametrize("opset", [23, 25])
def test_skips_opsets_under_which_no_runtime_has_it(opset):
    assert_skips(swish, BEFORE, "Swish runs under opset 24 only", opset=opset)


@pytest.mark.parametrize("body", ["s = Tanh(x) z = Mul(x, s)", "a = Add(x, one) s = Sigmoid(a) z = Mul(x, s)"])
def test_skips_other_gates(body):
    assert_skips(
        swish,
        given(f"g (float[8] x) => (float[8] z) {{ {body} }}", one=np.float32(1)),
        "it is not x times its Sigmoid",
        opset=24,
    )


def test_skips_other_readers():
    assert_skips(
        swish,
        "g (float[8] x) => (float[8] z, float[8] s) { s = Sigmoid(x) z = Mul(x, s) }",
        "the gate has other readers",
        opset=24,
    )


def test_skips_a_constant_that_widens_the_result():
    text = "g (float[8,8] x) => (float[1,8,8] z) { a = Mul(c, x) s = Sigmoid(a) z = Mul(x, s) }"
    assert_skips(swish, given(text, c=np.full((1, 1, 1), 2, np.float32)), "it is not x times its Sigmoid", opset=24)


def test_skips_a_double_that_alpha_cannot_hold():
    text = "g (double[8] x) => (double[8] z) { a = Mul(x, c) s = Sigmoid(a) z = Mul(x, s) }"
    assert_skips(swish, given(text, c=np.float64(1.702)), "alpha has too few digits", opset=24)
