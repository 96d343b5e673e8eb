"""fuse_hard_sigmoid: clipped lines against the runtime, and lines that are no gates."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import given

from onnxsim_core.passes.fuse_hard_sigmoid import hard_sigmoid, hard_sigmoid_up_to_one
from onnxsim_testkit import model

RULES = [hard_sigmoid, hard_sigmoid_up_to_one]
BOUND = {"rtol": 1e-6, "atol": 3e-7}
NUMBERS = {"zero": 0.0, "one": 1.0, "three": 3.0, "six": 6.0, "half": 0.5, "sixth": 1 / 6, "fifth": 0.2, "seven": 7.0}
AFTER = "g (float[n,8] x) => (float[n,8] z) { z = HardSigmoid<alpha=0.16666667, beta=0.5>(x) }"


def graph(body: str, kind: str = "float", **more: np.ndarray) -> str:
    words = set(body.replace("(", " ").replace(")", " ").replace(",", " ").split())
    dtype = {"float": np.float32, "double": np.float64}[kind]
    held = {name: np.array(value, dtype) for name, value in NUMBERS.items() if name in words}
    return given(f"g ({kind}[n,8] x) => ({kind}[n,8] z) {{ {body} }}", **{**held, **more})


@pytest.mark.parametrize(
    "body",
    [
        "a = Add(x, three) c = Clip(a, zero, six) z = Div(c, six)",
        "a = Add(three, x) c = Clip(a, zero, six) z = Mul(sixth, c)",
        "m = Mul(x, sixth) a = Add(m, half) z = Clip(a, zero, one)",
        "m = Div(x, six) a = Add(half, m) z = Clip(a, zero, one)",
    ],
)
def test_a_sixth(body):
    assert_rewrites(RULES, graph(body), AFTER, **BOUND)


def test_a_fifth():
    assert_rewrites(
        RULES,
        graph("m = Mul(fifth, x) a = Add(m, half) z = Clip(a, zero, one)"),
        "g (float[n,8] x) => (float[n,8] z) { z = HardSigmoid<alpha=0.2, beta=0.5>(x) }",
        **BOUND,
    )


def test_bounds_as_attributes():
    body = "a = Add(x, three) c = Clip<min=0.0, max=6.0>(a) z = Div(c, six)"
    assert_rewrites(RULES, graph(body).replace("n,8", "3,8"), AFTER.replace("n,8", "3,8"), opset=9, **BOUND)


def test_not_finite_values():
    text = graph("a = Add(x, three) c = Clip(a, zero, six) z = Div(c, six)")
    original = model(text, opset=17)
    result, driver = apply(hard_sigmoid, original)
    assert driver.changes == 1
    x = np.array([[np.nan, np.inf, -np.inf, 3e38, -3e38, -3, 3, 0]], np.float32)
    assert_same_model(original, result, **BOUND, feeds={"x": x})


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("it is not a number times a Clip", "z = Mul(x, three)"),
        ("it is not a number times a Clip", "a = Add(x, three) c = Clip(a, zero, six) z = Mul(c, x)"),
        ("the result does not end at 1", "a = Add(x, three) c = Clip(a, zero, six) z = Div(c, seven)"),
        ("Clip is not from 0 to a number", "a = Add(x, three) c = Clip(a, half, six) z = Div(c, six)"),
        ("Clip is not from 0 to a number", "a = Add(x, three) c = Clip(a, zero) z = Div(c, six)"),
        ("what is clipped is no sum of its own", "c = Clip(x, zero, six) z = Div(c, six)"),
        (
            "what is clipped is no sum of its own",
            "a = Add(x, three) c = Clip(a, zero, six) d = Div(c, six) z = Mul(d, a)",
        ),
        ("what is clipped is no line of one value", "b = Neg(x) a = Add(x, b) c = Clip(a, zero, six) z = Div(c, six)"),
        ("the line is no hard sigmoid's", "m = Mul(x, half) a = Add(m, half) z = Clip(a, zero, one)"),
    ],
)
def test_skips(reason, body):
    assert_skips(RULES, graph(body), reason)


def test_skips_a_clip_with_other_readers():
    assert_skips(
        hard_sigmoid,
        graph("a = Add(x, three) c = Clip(a, zero, six) d = Div(c, six) z = Add(d, c)"),
        "it is not a number times a Clip",
    )


def test_skips_double():
    assert_skips(
        RULES,
        graph("a = Add(x, three) c = Clip(a, zero, six) z = Div(c, six)", "double"),
        "HardSigmoid does not take this type",
    )


def test_skips_a_constant_that_widens_the_result():
    text = graph("a = Add(x, three) c = Clip(a, zero, six) z = Div(c, wide)", wide=np.full((1, 1, 1), 6, np.float32))
    text = text.replace("=> (float[n,8] z)", "=> (float[1,n,8] z)")
    assert_skips(hard_sigmoid, text, "a constant widens the result")
