"""fuse_mish: the product Mish is defined as."""

import numpy as np
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.fuse_mish import mish
from onnxsim_testkit import model

BEFORE = "g (float[n,8] x) => (float[n,8] z) { s = Softplus(x) t = Tanh(s) z = Mul(x, t) }"


def test_either_order():
    after = "g (float[n,8] x) => (float[n,8] z) { z = Mish(x) }"
    assert_rewrites(mish, BEFORE, after, opset=18)
    assert_rewrites(mish, BEFORE.replace("Mul(x, t)", "Mul(t, x)"), after, opset=18)


def test_not_finite_values():
    original = model(BEFORE, opset=18)
    result, driver = apply(mish, original)
    assert driver.changes == 1
    x = np.array([[np.nan, np.inf, -np.inf, 3e38, -3e38, -0.0, 1e-40, -100]], np.float32)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})


def test_skips_old_opsets():
    assert_skips(mish, BEFORE, "Mish exists from opset 18 on", opset=17)


def test_skips_another_value():
    assert_skips(mish, BEFORE.replace("Mul(x, t)", "Mul(s, t)"), "it is not x times Tanh(Softplus(x))", opset=18)


def test_skips_other_readers():
    assert_skips(
        mish,
        "g (float[8] x) => (float[8] z, float[8] t) { s = Softplus(x) t = Tanh(s) z = Mul(x, t) }",
        "the gate has other readers",
        opset=18,
    )
