"""When two models are one state."""

import numpy as np
import onnx
import pytest

from onnxsim_core.ir.read import read_model
from onnxsim_core.passes.state import States
from onnxsim_testkit import model


def same(a: onnx.ModelProto | str, b: onnx.ModelProto | str) -> bool:
    states = States()
    first, second = (states.of(read_model(model(one, opset=18) if isinstance(one, str) else one)) for one in (a, b))
    return first == second


BASE = "g (float[2] x, float[2] z) => (float[2] y) { a = Exp(x) b = Neg(z) y = Add(a, b) }"


@pytest.mark.parametrize(("other", "equal"), [
    ("g (float[2] x, float[2] z) => (float[2] y) { p = Exp(x) q = Neg(z) y = Add(p, q) }", True),
    ("h (float[2] x, float[2] z) => (float[2] y) { b = Neg(z) a = Exp(x) y = Add(a, b) }", True),
    ("g (float[2] x, float[2] z) => (float[2] y) <float[2] a> { [n] a = Exp(x) b = Neg(z) y = Add(a, b) }", True),
    ("g (float[2] x, float[2] z) => (float[2] y) { a = Exp(x) b = Neg(z) y = Add(b, a) }", False),
    ("g (float[2] x, float[2] z) => (float[2] y) { a = Exp(z) b = Neg(x) y = Add(a, b) }", False),
    ("g (float[2] x, float[2] z) => (float[2] y) { a = Exp(x) b = Neg(z) c = Neg(z) y = Add(a, b) }", False),
    ("g (float[2] x, float[2] z) => (float[2] w) { a = Exp(x) b = Neg(z) w = Add(a, b) }", False),
    ("g (float[2] x, float[2] q) => (float[2] y) { a = Exp(x) b = Neg(q) y = Add(a, b) }", False),
])
def test_nodes(other, equal):
    assert same(BASE, other) is equal


@pytest.mark.parametrize(("a", "b", "equal"), [
    ("<alpha=0.5>", "<alpha=0.5>", True), ("<alpha=0.5>", "<alpha=0.25>", False), ("<alpha=0.01>", "", False),
    ("<k=1>", "<k=1.0>", False), ("<k=[1,2]>", "<k=[1,3]>", False), ("<k=\"a\">", "<k=\"b\">", False),
    ("<k=float[1] {1}>", "<k=float[1] {1}>", True), ("<k=float[1] {1}>", "<k=float[1] {2}>", False),
])
def test_attributes(a, b, equal):
    text = "g (float[2] x) => (float[2] y) {{ y = Own{}(x) }}"
    assert same(text.format(a), text.format(b)) is equal


def test_small_constants_by_content_and_large_ones_by_identity():
    text = "g (float[n] x) => (float[n] y) {{ y = Add(x, {}) }}"
    small = {"k": np.arange(4, dtype="f")}
    assert same(model(text.format("k"), initializers=small), model(text.format("w"), initializers={"w": small["k"]}))
    assert not same(model(text.format("k"), initializers=small), model(text.format("k"), initializers={"k": small["k"] + 1}))
    large = model(text.format("k"), initializers={"k": np.arange(1000, dtype="f")})
    assert not same(large, large)  # read twice
    states, read = States(), read_model(large)
    assert states.of(read) == states.of(read)


def test_bodies_and_what_they_capture():
    text = """g (bool c, float[2] x, float[2] z) => (float[2] y) {{ y = If (c) <
        then_branch = t () => (float[2] a) {{ a = Neg({}) }}, else_branch = e () => (float[2] b) {{ b = Abs({}) }}> }}"""
    assert same(text.format("x", "z"), text.format("x", "z"))
    assert not same(text.format("x", "z"), text.format("z", "z"))


def test_an_input_of_a_body_is_not_that_of_the_graph():
    text = """g (int64 n, bool c, float[2] x) => (float[2] y) {{ y = Loop (n, c, x) <
        body = b (int64 i, bool k, float[2] v) => (bool l, float[2] w) {{ l = Identity(k) w = Neg({}) }}> }}"""
    assert not same(text.format("v"), text.format("x"))


def test_functions_and_operator_sets():
    text = '<ir_version: 10, opset_import: ["" : {}, "l" : 1]> g (float[2] x) => (float[2] y) {{ y = l.f(x) }} ' \
           '<domain: "l", opset_import: ["" : 18]> f (x) => (y) {{ y = {}(x) }}'
    base = onnx.parser.parse_model(text.format(18, "Neg"))
    assert same(base, onnx.parser.parse_model(text.format(18, "Neg")))
    assert not same(base, onnx.parser.parse_model(text.format(18, "Abs")))
    assert not same(base, onnx.parser.parse_model(text.format(19, "Neg")))
