"""fuse_mul_of_reciprocal: square roots, whose inverses are always in range, and nothing else."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_skips
from weights import given

from onnxsim_core.passes.fuse_mul_of_reciprocal import quotient
from onnxsim_testkit import model, run

HEAD = "g (float[n,4] x, float[n,1] v) => (float[n,4] z)"
ONE = np.float32(1)


@pytest.mark.parametrize("inverse", ["Reciprocal(s)", "Div(one, s)"])
@pytest.mark.parametrize("product", ["Mul(x, r)", "Mul(r, x)"])
def test_a_quotient(inverse, product):
    text = f"{HEAD} {{ a = Abs(v) s = Sqrt(a) r = {inverse} z = {product} }}"
    after = HEAD + "{ a = Abs(v) s = Sqrt(a) z = Div(x, s) }"
    assert_rewrites(quotient, given(text, one=ONE) if "one" in inverse else text, after, rtol=3e-7, atol=1e-30)


@pytest.mark.parametrize(("kind", "rtol"), [("float32", 2e-7), ("float64", 4e-16), ("float16", 2e-3)])
def test_every_extreme_gives_the_same_infinities_and_nan(kind, rtol):
    info = np.finfo(kind)
    numbers = [0, -0.0, np.inf, np.nan, -1, info.smallest_subnormal, info.tiny, info.max, 2]
    x, v = np.meshgrid(np.array(numbers, kind), np.array(numbers, kind))
    onnx_type = {"float32": "float", "float64": "double", "float16": "float16"}[kind]
    body = "g (float[9,9] x, float[9,9] v) => (float[9,9] z) { s = Sqrt(v) r = Reciprocal(s) z = Mul(x, r) }"
    original = model(body.replace("float", onnx_type), opset=17)
    result, driver = apply(quotient, original)
    assert driver.changes == 1
    before, after = (run(m, {"x": x, "v": v})["z"] for m in (original, result))
    np.testing.assert_array_equal(np.isnan(before), np.isnan(after))
    np.testing.assert_array_equal(np.isinf(before), np.isinf(after))
    finite = np.isfinite(before)
    np.testing.assert_allclose(after[finite], before[finite], rtol=rtol, atol=float(info.smallest_subnormal))


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("no operand is an inverse", "z = Mul(x, v)"),
        ("no operand is an inverse", "s = Sqrt(v) r = Div(v, s) z = Mul(x, r)"),
        ("no operand is an inverse", "s = Sqrt(v) r = Div(two, s) z = Mul(x, r)"),
        ("no operand is an inverse", "s = Sqrt(v) r = Div(wide, s) z = Mul(x, r)"),
        ("what is inverted is no square root", "r = Reciprocal(v) z = Mul(x, r)"),
        ("the inverse has other readers", "s = Sqrt(v) r = Reciprocal(s) p = Mul(x, r) z = Add(p, r)"),
    ],
)
def test_skips(reason, body):
    constants = {"two": 2 * ONE, "wide": np.ones((1, 1, 1), np.float32)}
    assert_skips(quotient, given(f"g (float[n,4] x, float[n,1] v) => (float[] z) {{ {body} }}", **constants), reason)


def test_skips_factors_that_attributes_broadcast():
    text = """g (float[3,3] x, float[3] v) => (float[3,3] z) {
        r = Sqrt(v) i = Reciprocal(r) z = Mul<broadcast=1, axis=0>(x, i) }"""
    assert_skips(quotient, text, "operands broadcast by attributes before opset 7", opset=6)
