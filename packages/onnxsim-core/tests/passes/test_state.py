"""States are equal for models that compute the same by the same operators, whatever they are called."""

import numpy as np
import pytest

from onnxsim_core.ir.read import read_model
from onnxsim_core.passes.state import COMPARED, States
from onnxsim_testkit import model

BASE = "g (float[2] x, float[2] y) => (float[2] z) <float[2] w={1,2}> { a = Add(x, w) b = Neg(y) z = Mul(a, b) }"


def state(states, text, **options):
    return states.of(read_model(model(text, domains={"my": 1}, **options).SerializeToString()))


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("a =", "q =").replace("(a,", "(q,").replace("w=", "v=").replace("w)", "v)").replace("g (", "h ("),
        BASE.replace("a = Add(x, w) b = Neg(y)", "b = Neg(y) a = Add(x, w)"),
    ],
    ids=["names", "order"],
)
def test_names_and_order_are_not_part_of_it(other):
    states = States()

    assert state(states, BASE) == state(states, other)


@pytest.mark.parametrize(
    "other",
    [
        BASE.replace("Neg", "Abs"),
        BASE.replace("Neg", "my.Neg"),
        BASE.replace("Add(x, w)", "Add(w, x)"),
        BASE.replace("{1,2}", "{1,3}"),
        BASE.replace("float[2] w={1,2}", "float[1,2] w={1,2}"),
        BASE.replace("Mul(a, b)", "Mul(a, a)"),
        BASE.replace("(float[2] z)", "(float[2] a)"),
        BASE.replace("Neg(y) ", "Neg(y) c = Exp(y) "),
        BASE.replace("Neg(y)", "my.Neg<k=1>(y)"),
    ],
)
def test_what_is_computed_is(other):
    states = States()

    assert state(states, BASE) != state(states, other)


def test_the_operator_set_is_part_of_it():
    states = States()

    assert state(states, BASE, opset=17) != state(states, BASE, opset=18)


@pytest.mark.parametrize(("attribute", "other"), [("1", "2"), ("0.5", "0.25"), ('"a"', '"b"'), ("[1,2]", "[2,1]")])
def test_attributes_are_compared_by_value(attribute, other):
    states, text = States(), "g (float[2] x) => (float[2] z) {{ z = my.Op<k={}>(x) }}"

    assert state(states, text.format(attribute)) == state(states, text.format(attribute))
    assert state(states, text.format(attribute)) != state(states, text.format(other))


def test_bodies_are_part_of_it():
    text = """g (bool c, float[2] x) => (float[2] z) { z = If(c) <then_branch = t () => (float[2] p) { p = Neg(x) },
        else_branch = e () => (float[2] q) { q = Abs(x) }> }"""
    states = States()

    assert state(states, text) == state(states, text.replace("p =", "r =").replace("float[2] p", "float[2] r"))
    assert state(states, text) != state(states, text.replace("Abs", "Exp"))


def test_large_constants_are_equal_only_when_they_are_one():
    large = np.zeros(COMPARED, np.float32)
    text = "g (float[n] x) => (float[n] z) { z = Add(x, w) }"
    ir, other = (read_model(model(text, initializers={"w": large})) for _ in range(2))
    states = States()

    assert states.of(ir) == states.of(ir) != states.of(other)
