"""Constants, products and polynomials read from graphs."""

import numpy as np
import pytest
from inferred import Inferred

from onnxsim_core.ir.dtypes import DOUBLE, FLOAT, FLOAT16
from onnxsim_core.rewrite import expressions as ex

NUMBERS = {
    "two": np.float32(2),
    "three": np.float32(3),
    "half": np.float32(0.5),
    "one": np.float32(1),
    "wide": np.full((1, 1, 1), 2, np.float32),
    "vector": np.ones(4, np.float32),
    "int": np.array(2),
    "zero": np.float32(0),
}


def graph(body: str, opset: int = 17) -> Inferred:
    return Inferred(f"g (float[n,4] x, float[n,4] y) => (float[] z) {{ {body} }}", opset, **NUMBERS)


@pytest.mark.parametrize(
    ("name", "rank", "number"),
    [
        ("two", 0, 2.0),
        ("wide", 3, 2.0),
        ("wide", 2, None),
        ("vector", 2, None),
        ("x", 2, None),
        ("int", 2, None),
    ],
)
def test_number(name, rank, number):
    assert ex.number(graph("z = Add(x, y)").values[name], rank) == number


def test_number_of_nothing():
    assert ex.number(None, 4) is None


@pytest.mark.parametrize(
    ("found", "wanted", "dtype", "near"),
    [
        (1.4142135, 2**0.5, FLOAT, True),
        (1.41421, 2**0.5, FLOAT, False),
        (1.4140625, 2**0.5, FLOAT16, True),
        (1.4142135, 2**0.5, DOUBLE, False),
        (0.5, 0.5, DOUBLE, True),
        (1.0, 1.0, 7, True),
        (1.0001, 1.0, 7, False),
    ],
)
def test_is_near(found, wanted, dtype, near):
    assert ex.is_near(found, wanted, dtype) is near


@pytest.mark.parametrize(
    ("body", "coefficient", "leaves"),
    [
        ("z = Mul(x, y)", 1.0, "xy"),
        ("z = Mul(x, two)", 2.0, "x"),
        ("a = Mul(x, two) z = Mul(a, y)", 2.0, "xy"),
        ("a = Div(x, two) b = Mul(three, a) z = Mul(b, y)", 1.5, "xy"),
        ("z = Div(x, half)", 2.0, "x"),
        ("z = Div(two, x)", 1.0, "z"),
        ("z = Div(x, zero)", 1.0, "z"),
        ("a = Mul(x, vector) z = Mul(a, two)", 2.0, ["vector", "x"]),
        ("a = Mul(x, two) b = Mul(a, a) z = Mul(b, a)", 1.0, "aaa"),
    ],
)
def test_factors(body, coefficient, leaves):
    found, values = ex.factors(graph(body).nodes["z"])
    assert found == coefficient
    assert sorted(value.name for value in values) == sorted(leaves)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("z = Add(x, three)", {0: 3.0, 1: 1.0}),
        ("z = Sub(three, x)", {0: 3.0, 1: -1.0}),
        ("a = Mul(x, two) z = Sub(a, x)", {1: 1.0}),
        ("a = Mul(x, x) b = Mul(a, x) z = Div(b, two)", {3: 0.5}),
        ("a = Add(x, one) z = Mul(a, a)", {0: 1.0, 1: 2.0, 2: 1.0}),
        ("z = Pow(x, three)", {3: 1.0}),
        ("z = Pow(x, int)", {2: 1.0}),
        ("a = Neg(x) z = Mul(a, two)", {1: -2.0}),
        ("z = Mul(x, y)", None),
        ("z = Pow(x, half)", None),
        ("z = Add(x, vector)", None),
        ("z = Add(x, wide)", None),
        ("z = Div(two, x)", None),
        ("z = Div(x, zero)", None),
        ("a = Add(x, one) z = Pow(a, two)", None),
        ("z = Exp(x)", None),
    ],
)
def test_polynomial(body, wanted):
    found = graph(body)
    assert ex.polynomial(found.values["z"], found.values["x"], 2, found.model.graph) == wanted


def test_a_deep_expression_is_given_up():
    body = "a0 = Add(x, one) " + " ".join(f"a{i + 1} = Add(a{i}, one)" for i in range(12)) + " z = Add(a12, one)"
    found = graph(body)
    assert ex.polynomial(found.values["z"], found.values["x"], 2, found.model.graph) is None


def test_is_polynomial():
    assert ex.is_polynomial({1: 0.7071068, 3: 0.0}, {1: 0.5**0.5}, FLOAT)
    assert not ex.is_polynomial({1: 0.7071068, 0: 1.0}, {1: 0.5**0.5}, FLOAT)
    assert not ex.is_polynomial(None, {1: 1.0}, FLOAT)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("e = Exp(x) s = Add(e, one) z = Log(s)", True),
        ("e = Exp(x) s = Add(one, e) z = Log(s)", True),
        ("e = Exp(x) s = Add(e, two) z = Log(s)", False),
        ("e = Sin(x) s = Add(e, one) z = Log(s)", False),
        ("e = Exp(x) s = Add(e, one) z = Mul(s, e)", False),
        ("e = Exp(x) s = Add(e, one) t = Log(s) z = Mul(t, s)", False),
    ],
)
def test_one_more_than(body, found):
    assert (ex.one_more_than(graph(body).values["s"], "Exp") is not None) is found


@pytest.mark.parametrize(
    ("body", "opset", "bounds"),
    [
        ("z = Clip(x, half, two)", 17, (0.5, 2.0)),
        ("z = Clip(x, half)", 17, None),
        ("z = Clip(x, , two)", 17, None),
        ("z = Clip<min=0.5, max=2.0>(x)", 9, (0.5, 2.0)),
        ("z = Clip<min=0.5>(x)", 9, None),
    ],
)
def test_clip_bounds(body, opset, bounds):
    found = graph(body, opset)
    assert ex.clip_bounds(found.nodes["z"], found.op.ctx) == bounds


def test_ranks():
    found = graph("z = Mul(x, wide)")
    assert ex.rank_of(found.values["x"]) == 2 and ex.rank_of(None) == 0
    assert not ex.keeps_rank(found.nodes["z"], found.values["x"])
    assert ex.is_product_with(graph("c = Clip(x) z = Mul(c, two)").nodes["z"], "Clip")
    assert not ex.is_product_with(found.nodes["z"], "Clip")


BODY = """g (bool c, float[8] x) => (float[8] z) { y = Exp(x) w = Exp(x)
    z = If(c) <then_branch = a () => (float[8] p) { p = Neg(y) }, else_branch = b () => (float[8] q) { q = Neg(x) }>
    v = Neg(w) }"""


def test_a_step_is_read_once_where_it_is_made():
    """What a body reads once is not its own step: the body may run more often than the graph around it."""
    values = Inferred(BODY).values
    assert values["y"].is_used_once and not ex.is_step(values["y"])
    assert ex.is_step(values["w"])
    assert not ex.is_step(values["x"])
