"""fuse_rms_norm: the spellings of exporters, and what only looks like it."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import given

from onnxsim_core.passes.fuse_rms_norm import rms_norm

BOUND = {"rtol": 1e-5, "atol": 2e-6}
NUMBERS = {
    "eps": np.float32(1e-6),
    "two": np.float32(2),
    "one": np.float32(1),
    "axes": np.array([-1], np.int64),
    "wide": np.full((1, 1, 1, 1), 1e-6, np.float32),
}
HEAD = "g (float[b,s,8] x) => (float[b,s,8] z)"
ROOT = "v = ReduceMean(p, axes) a = Add(v, eps) r = Sqrt(a)"


def graph(body: str, head: str = HEAD) -> str:
    words = set(body.replace("(", " ").replace(")", " ").replace(",", " ").split())
    return given(f"{head} {{ {body} }}", **{name: value for name, value in NUMBERS.items() if name in words})


@pytest.mark.parametrize(
    "body",
    [
        f"p = Pow(x, two) {ROOT} i = Reciprocal(r) z = Mul(x, i)",
        f"p = Mul(x, x) {ROOT} i = Div(one, r) z = Mul(i, x)",
        f"p = Mul(x, x) {ROOT} z = Div(x, r)",
    ],
)
def test_spellings(body):
    after = given(HEAD + "{ z = RMSNormalization<axis=-1, epsilon=1e-6>(x, ones) }", ones=np.ones(8, np.float32))
    assert_rewrites(rms_norm, graph(body), after, opset=23, **BOUND)


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("it is no division by a root", "z = Mul(x, x)"),
        ("the root is not of a mean square over the last axes plus a constant", "r = Sqrt(x) z = Div(x, r)"),
        ("the mean square is of another value", f"y = Neg(x) p = Mul(y, y) {ROOT} z = Div(x, r)"),
    ],
)
def test_skips(reason, body):
    assert_skips(rms_norm, graph(body), reason, opset=23)


PLAIN = f"p = Mul(x, x) {ROOT} z = Div(x, r)"


def test_skips_old_opsets():
    assert_skips(rms_norm, graph(PLAIN), "RMSNormalization exists from opset 23 on", opset=22)


def test_skips_double():
    assert_skips(rms_norm, graph(PLAIN).replace("float", "double"), "RMSNormalization computes in float32", opset=23)


def test_skips_an_unknown_size():
    assert_skips(
        rms_norm,
        graph(PLAIN, "g (float[b,s,k] x) => (float[b,s,k] z)"),
        "the size of the normalized axes is not known",
        opset=23,
    )


def test_skips_an_epsilon_that_widens_the_result():
    assert_skips(
        rms_norm,
        graph(PLAIN.replace("eps", "wide"), "g (float[b,s,8] x) => (float[1,b,s,8] z)"),
        "a constant widens the result",
        opset=23,
    )
