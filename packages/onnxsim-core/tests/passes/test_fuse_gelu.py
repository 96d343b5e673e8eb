"""fuse_gelu: every usual spelling, against the runtime, and the near misses."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import given

from onnxsim_core.passes.fuse_gelu import gelu
from onnxsim_testkit import model

BOUND = {"rtol": 2e-6, "atol": 1e-6}
NUMBERS = {
    "root": 2**0.5,
    "inverse": 0.5**0.5,
    "one": 1.0,
    "two": 2.0,
    "half": 0.5,
    "three": 3.0,
    "cubic": 0.044715,
    "slope": (2 / np.pi) ** 0.5,
    "wide": 1.7,
}
ERF = "a = Div(x, root) e = Erf(a) s = Add(e, one)"
CUBE = "p = Pow(x, three) q = Mul(cubic, p) r = Add(x, q) u = Mul(slope, r)"
TANH = "t = Tanh(u) s = Add(one, t)"


def graph(body: str, kind: str = "float", dims: str = "n,8") -> str:
    names = [name for name in NUMBERS if name in body.replace("(", " ").replace(")", " ").replace(",", " ").split()]
    dtype = {"float": np.float32, "float16": np.float16, "double": np.float64}[kind]
    return given(
        f"g ({kind}[{dims}] x) => ({kind}[{dims}] z) {{ {body} }}",
        **{name: np.array(NUMBERS[name], dtype) for name in names},
    )


@pytest.mark.parametrize(
    "body",
    [
        f"{ERF} m = Mul(x, s) z = Mul(m, half)",
        f"{ERF} m = Mul(s, x) z = Div(m, two)",
        f"{ERF} h = Mul(half, x) z = Mul(h, s)",
        f"{ERF} h = Mul(s, half) z = Mul(x, h)",
        "a = Mul(x, inverse) e = Erf(a) s = Add(one, e) h = Div(x, two) z = Mul(s, h)",
    ],
)
def test_erf(body):
    assert_rewrites(gelu, graph(body), "g (float[n,8] x) => (float[n,8] z) { z = Gelu(x) }", opset=20, **BOUND)


@pytest.mark.parametrize(
    "body",
    [
        f"{CUBE} {TANH} h = Mul(x, half) z = Mul(h, s)",
        f"{CUBE} {TANH} m = Mul(x, s) z = Mul(half, m)",
        f"b = Mul(x, x) c = Mul(x, b) q = Mul(cubic, c) r = Add(q, x) u = Mul(r, slope) {TANH} h = Mul(s, half)"
        " z = Mul(x, h)",
        f"b = Mul(x, x) q = Mul(b, cubic) r = Add(q, one) c = Mul(x, slope) u = Mul(c, r) {TANH} h = Mul(x, half)"
        " z = Mul(h, s)",
    ],
)
def test_tanh(body):
    assert_rewrites(
        gelu, graph(body), 'g (float[n,8] x) => (float[n,8] z) { z = Gelu<approximate="tanh">(x) }', opset=20, **BOUND
    )


def test_float16_constants_are_as_exact_as_float16():
    assert_rewrites(
        gelu,
        graph(f"{ERF} m = Mul(x, s) z = Mul(m, half)", "float16"),
        "g (float16[n,8] x) => (float16[n,8] z) { z = Gelu(x) }",
        opset=20,
        rtol=4e-3,
        atol=2e-3,
    )


def test_not_finite_and_large_values():
    original = model(graph(f"{ERF} h = Mul(x, half) z = Mul(h, s)", dims="8"), opset=20)
    result, driver = apply(gelu, original)
    assert driver.changes == 1
    x = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, -0.0, 1e-40, -9.0], np.float32)
    assert_same_model(original, result, **BOUND, feeds={"x": x})


def test_skips_old_opsets():
    assert_skips(gelu, graph(f"{ERF} m = Mul(x, s) z = Mul(m, half)"), "Gelu exists from opset 20 on", opset=19)


@pytest.mark.parametrize(
    "body",
    [
        f"{ERF} m = Mul(x, s) z = Mul(m, two)",
        f"{ERF} z = Mul(s, half)",
        "z = Mul(x, half)",
    ],
)
def test_skips_other_products(body):
    assert_skips(gelu, graph(body), "it is not half a product of two", opset=20)


@pytest.mark.parametrize(
    "body",
    [
        "a = Div(x, wide) e = Erf(a) s = Add(e, one) m = Mul(x, s) z = Mul(m, half)",
        "y = Neg(x) a = Div(y, root) e = Erf(a) s = Add(e, one) m = Mul(x, s) z = Mul(m, half)",
        "u = Mul(x, slope) t = Tanh(u) s = Add(t, one) m = Mul(x, s) z = Mul(m, half)",
    ],
)
def test_skips_other_arguments(body):
    assert_skips(gelu, graph(body), "the argument of Erf or Tanh is another one", opset=20)


@pytest.mark.parametrize(
    "body",
    [
        "a = Div(x, root) e = Erf(a) s = Add(e, two) m = Mul(x, s) z = Mul(m, half)",
        "a = Div(x, root) e = Sin(a) s = Add(e, one) m = Mul(x, s) z = Mul(m, half)",
        f"{ERF} w = Neg(s) k = Neg(w) m = Mul(x, k) z = Mul(m, half)",
    ],
)
def test_skips_other_factors(body):
    assert_skips(gelu, graph(body), "no factor is 1 + Erf or 1 + Tanh", opset=20)


def test_skips_a_one_that_widens_the_result():
    text = f"g (float[8] x) => (float[1,8] z) {{ {ERF} m = Mul(x, s) z = Mul(m, half) }}"
    assert_skips(
        gelu,
        given(text, root=np.float32(2**0.5), one=np.ones((1, 1), np.float32), half=np.float32(0.5)),
        "a constant widens the result",
        opset=20,
    )


def test_skips_double_for_which_no_runtime_has_it():
    text = """g (double[8] x) => (double[8] z) {
        b = Mul(x, x) c = Mul(b, x) d = Mul(c, k) a = Add(x, d) u = Mul(a, slope)
        t = Tanh(u) s = Add(t, one) m = Mul(x, s) z = Mul(m, half)
    }"""
    constants = {"k": 0.044715, "slope": (2 / np.pi) ** 0.5, "one": 1.0, "half": 0.5}
    text = given(text, **{name: np.float64(number) for name, number in constants.items()})
    assert_skips(gelu, text, "Gelu runs on float and float16 only", opset=20)


def test_skips_what_is_computed_outside_a_body():
    """A Gelu in the branch would compute what the graph around it has computed already."""
    text = """g (bool c, float[8] x) => (float[8] z) { a = Div(x, root) e = Erf(a) s = Add(e, one) z = If(c)
        <then_branch = t () => (float[8] p) { m = Mul(x, s) p = Mul(m, half) },
         else_branch = f () => (float[8] q) { q = Neg(x) }> }"""
    constants = {name: np.float32(NUMBERS[name]) for name in ("root", "one", "half")}
    assert_skips(gelu, given(text, **constants), "no factor is 1 + Erf or 1 + Tanh", opset=20)
