"""eliminate_nop_with_unit: neutral operands."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.eliminate_nop_with_unit import drop_unit
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float one = {1}> { a = Mul(x, one) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float[3] one = {1,1,1}> { a = Mul(one, x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float one = {1}> { a = Div(x, one) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <double one = {1}> { a = Pow(x, one) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float zero = {0}> { a = Sub(x, zero) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float zero = {0}> { a = Add(zero, x) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (bool[n] x) => (bool[n] z) <bool t = {1}, bool f = {0}> { a = And(x, t) b = Or(f, a) c = "
            "Xor(b, f) z = Not(c) }",
            "g (bool[n] x) => (bool[n] z) { z = Not(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) one = ConstantOfShape<value = float[1] {1}>(s)"
            " a = Mul(x, one) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) zero = ConstantOfShape(s) a = Add(x, zero) z ="
            " Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float one = {1}> { s = Shape(x) e = Expand(one, s) a = "
            "Mul(x, e) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
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
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float two = {2}> { z = Mul(x, two) }",
            "no operand is the neutral element",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float[3] c = {1,1,2}> { z = Mul(x, c) }",
            "no operand is the neutral element",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float one = {1}> { z = Div(one, x) }",
            "no operand is the neutral element",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float zero = {0}> { z = Sub(zero, x) }",
            "no operand is the neutral element",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) c = ConstantOfShape(s) z = Mul(x, c) }",
            "no operand is the neutral element",
            {},
        ),
        (
            drop_unit,
            "g (float[1,3] x) => (float[2,3] z) <float[2,1] zero = {0,0}> { z = Add(x, zero) }",
            "the operand widens the result",
            {},
        ),
        (
            drop_unit,
            "g (float[3] x) => (float[1,3] z) <float[1,1] one = {1}> { z = Mul(x, one) }",
            "the operand widens the result",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float zero = {0}> { a = Add(x, zero) z = Div(x, a) }",
            "a reader tells 0.0 from -0.0",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float zero = {0}> { a = Add(x, zero) z = Reciprocal(a) }",
            "a reader tells 0.0 from -0.0",
            {},
        ),
        (
            drop_unit,
            "g (float[n,3] x) => (float[n,3] z) <float one = {1}> { z = Mul<broadcast=1>(x, one) }",
            "broadcasting follows the rules before opset 7",
            {"opset": 6},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


FOLLOWED = "g (float[n] x, float[n] y) => (float[n] z) <float zero = {0}, float two = {2}, float[1] less = {-1}> "


@pytest.mark.parametrize("reader", ["Div(a, y)", "Div(a, two)", "Pow(a, two)", "Pow(a, zero)", "Pow(y, a)", "Pow(two, a)"])
def test_a_zero_that_stays_a_zero_or_is_no_power_may_have_any_sign(reader):
    result, driver = apply(drop_unit, FOLLOWED + f"{{ a = Add(x, zero) z = {reader} }}")
    assert driver.changes and len(result.graph.node) == 1
    original = model(FOLLOWED + f"{{ a = Add(x, zero) z = {reader} }}", opset=17)
    numbers = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, 3, -1], np.float32)
    x, y = (part.reshape(-1) for part in np.meshgrid(numbers, numbers))
    assert_same_model(original, result, rtol=0, atol=1e-300, feeds={"x": x, "y": y})  # equal, but for signs of zeros


@pytest.mark.parametrize("reader", ["Div(y, a)", "Div(a, a)", "Pow(a, less)", "Pow(a, y)", "Pow(a, a)", "Atan(a)"])
def test_declines_where_the_sign_of_a_zero_decides(reader):
    assert_skips(drop_unit, FOLLOWED + f"{{ a = Add(x, zero) z = {reader} }}", "a reader tells 0.0 from -0.0")


def test_an_exponent_may_become_known_later():
    original = model("g (float[8] x) => (float[8] z) <float zero = {0}, int64 two = {2}> "
                     "{ a = Add(x, zero) e = Cast<to=1>(two) z = Pow(a, e) }", opset=17)
    assert [node.op_type for node in apply(drop_unit, original)[0].graph.node] == ["Add", "Cast", "Pow"]
    assert [node.op_type for node in apply(drop_unit, original, fold=True)[0].graph.node] == ["Pow"]


def test_a_bias_of_zeros_before_an_exported_gelu_goes():
    text = """g (float[2,4] x, float[4,4] w) => (float[2,4] z) <float[4] b = {0,0,0,0}, float r = {1.4142135}, float one = {1},
        float half = {0.5}> { m = MatMul(x, w) a = Add(b, m) d = Div(a, r) e = Erf(d) f = Add(e, one) g = Mul(a, f) z = Mul(g, half) }"""
    result, _ = apply(drop_unit, text)
    assert [node.op_type for node in result.graph.node] == ["MatMul", "Div", "Erf", "Add", "Mul", "Mul"]


def test_integers_may_lose_a_zero_before_a_division():
    assert_rewrites(
        drop_unit,
        "g (int64[n] x) => (int64[n] z) <int64 zero = {0}, int64 k = {7}> "
        "{ a = Add(x, zero) b = Max(a, k) z = Div(k, b) }",
        "g (int64[n] x) => (int64[n] z) <int64 k = {7}> { b = Max(x, k) z = Div(k, b) }",
    )


def test_not_finite_values_stay():
    text = """g (float[8] x) => (float[8] z) <float one = {1}, float zero = {0}> {
        a = Mul(x, one) b = Div(a, one) z = Sub(b, zero) }"""
    original = model(text, opset=17)
    result, driver = apply(drop_unit, original)
    assert driver.changes == 2
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, 3e38, -1], np.float32)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})


def test_a_sum_kept_for_a_reader_goes_when_that_reader_goes():
    text = """g (float[8] x) => (float[8] z) <float one = {1}, float zero = {0}> {
        a = Add(x, zero) b = Pow(a, one) c = Exp(b) d = Neg(a) e = Abs(a) f = Sum(c, d, e) z = Identity(f) }"""
    original = model(text, opset=17)
    result = simplify(original).model
    assert [node.op_type for node in result.graph.node] == ["Exp", "Neg", "Abs", "Sum"]
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1e-45, 3, -1], np.float32)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})
