"""fuse_hard_swish: one node from opset 14 on, two before."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import given

from onnxsim_core.passes.fuse_hard_sigmoid import hard_sigmoid
from onnxsim_core.passes.fuse_hard_swish import hard_swish, hard_swish_in_parts
from onnxsim_testkit import model

RULES = [hard_swish, hard_swish_in_parts]
BOUND = {"rtol": 1e-6, "atol": 3e-7}
NUMBERS = {"zero": 0.0, "three": 3.0, "six": 6.0, "sixth": 1 / 6, "four": 4.0}
AFTER = "g (float[n,8] x) => (float[n,8] z) { z = HardSwish(x) }"
CLIP = "a = Add(x, three) c = Clip(a, zero, six)"


def graph(body: str, kind: str = "float", **more: np.ndarray) -> str:
    words = set(body.replace("(", " ").replace(")", " ").replace(",", " ").split())
    dtype = {"float": np.float32, "double": np.float64}[kind]
    held = {name: np.array(value, dtype) for name, value in NUMBERS.items() if name in words}
    return given(f"g ({kind}[n,8] x) => ({kind}[n,8] z) {{ {body} }}", **{**held, **more})


@pytest.mark.parametrize(
    "body",
    [
        f"{CLIP} m = Mul(x, c) z = Div(m, six)",
        f"{CLIP} m = Mul(c, x) z = Mul(sixth, m)",
        f"{CLIP} m = Div(c, six) z = Mul(m, x)",
        f"{CLIP} m = Div(x, six) z = Mul(m, c)",
    ],
)
def test_in_parts(body):
    assert_rewrites([*RULES, hard_sigmoid], graph(body), AFTER, **BOUND)


def test_of_a_hard_sigmoid():
    assert_rewrites(RULES, graph("s = HardSigmoid<alpha=0.16666667, beta=0.5>(x) z = Mul(s, x)"), AFTER)


@pytest.mark.parametrize("opset", [11, 13])
def test_before_opset_14_a_gate_and_a_product_are_left(opset):
    assert_rewrites(
        RULES,
        graph(f"{CLIP} m = Mul(x, c) z = Div(m, six)"),
        "g (float[n,8] x) => (float[n,8] z) { s = HardSigmoid<alpha=0.16666667, beta=0.5>(x) z = Mul(x, s) }",
        opset=opset,
        **BOUND,
    )


def test_not_finite_values():
    original = model(graph(f"{CLIP} m = Mul(x, c) z = Div(m, six)"), opset=17)
    result, driver = apply(RULES, original)
    assert driver.changes == 1
    x = np.array([[np.nan, np.inf, -np.inf, 5e37, -3e38, -3, 3, -0.0]], np.float32)
    assert_same_model(original, result, **BOUND, feeds={"x": x})


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("it is not x times its HardSigmoid", "z = Mul(x, x)"),
        ("the gate has another slope", "s = HardSigmoid(x) z = Mul(s, x)"),
        ("the gate has other readers", "s = HardSigmoid<alpha=0.16666667>(x) m = Mul(s, x) z = Add(s, m)"),
        ("it is not a sixth of a product of two", f"{CLIP} m = Mul(x, c) z = Div(m, four)"),
        ("no factor is a Clip", "c = Relu(x) m = Mul(x, c) z = Div(m, six)"),
        ("the gate is another one", "a = Add(x, four) c = Clip(a, zero, six) m = Mul(x, c) z = Div(m, six)"),
        ("the gate is another one", f"{CLIP} y = Neg(x) m = Mul(y, c) z = Div(m, six)"),
        ("the gate is another one", f"{CLIP} m = Mul(x, c) d = Div(m, six) z = Add(d, c)"),
        ("Clip is not from 0 to a number", "a = Add(x, three) c = Clip(a, three, six) m = Mul(x, c) z = Div(m, six)"),
    ],
)
def test_skips(reason, body):
    assert_skips(RULES, graph(body), reason)


def test_skips_old_opsets():
    assert_skips(
        hard_swish,
        graph("s = HardSigmoid<alpha=0.16666667>(x) z = Mul(s, x)"),
        "HardSwish exists from opset 14 on",
        opset=13,
    )


def test_skips_double():
    assert_skips(
        hard_swish_in_parts,
        graph(f"{CLIP} m = Mul(x, c) z = Div(m, six)", "double"),
        "HardSwish does not take this type",
    )


def test_skips_a_constant_that_widens_the_result():
    text = graph(f"{CLIP} m = Mul(x, c) z = Div(m, wide)", wide=np.full((1, 1, 1), 6, np.float32))
    assert_skips(RULES, text.replace("=> (float[n,8] z)", "=> (float[1,n,8] z)"), "a constant widens the result")
