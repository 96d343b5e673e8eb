"""Means, squares and roots read from graphs."""

import numpy as np
import pytest
from inferred import Inferred

from onnxsim_core.rewrite import norms
from onnxsim_core.rewrite.rule import Skip

NUMBERS = {
    "two": np.float32(2),
    "half": np.float32(0.5),
    "minus": np.float32(-0.5),
    "one": np.float32(1),
    "eps": np.float32(1e-6),
    "int": np.array(2),
    "below": np.float32(-1),
}


def graph(body: str) -> Inferred:
    return Inferred(f"g (float[b,s,8] x, float[b,s,8] y, float[] u) => (float[] z) {{ {body} }}", **NUMBERS)


@pytest.mark.parametrize(
    ("call", "axis"),
    [
        ("ReduceMean<axes=[-1]>(x)", 2),
        ("ReduceMean<axes=[2,1]>(x)", 1),
        ("ReduceMean<axes=[0,1,2]>(x)", 0),
        ("ReduceMean<axes=[1]>(x)", None),
        ("ReduceMean<axes=[0,2]>(x)", None),
        ("ReduceMean<axes=[2], keepdims=0>(x)", None),
        ("ReduceMean<axes=[-1]>(u)", None),
        ("ReduceSum(x)", None),
    ],
)
def test_last_axes_mean(call, axis):
    found = graph(f"z = {call}")
    wanted = None if axis is None else (found.values["x"], axis)
    assert norms.last_axes_mean(found.values["z"], found.op) == wanted


@pytest.mark.parametrize(
    ("call", "is_square"),
    [
        ("Mul(x, x)", True),
        ("Pow(x, two)", True),
        ("Pow(x, int)", True),
        ("Pow(x, half)", False),
        ("Mul(x, y)", False),
        ("Pow(x, y)", False),
        ("Abs(x)", False),
    ],
)
def test_squared(call, is_square):
    found = graph(f"z = {call}")
    assert norms.squared(found.values["z"]) is (found.values["x"] if is_square else None)


@pytest.mark.parametrize(
    ("body", "found_it"),
    [
        ("r = Sqrt(y) z = Div(x, r)", True),
        ("r = Pow(y, half) z = Div(x, r)", True),
        ("r = Sqrt(y) i = Reciprocal(r) z = Mul(x, i)", True),
        ("r = Sqrt(y) i = Div(one, r) z = Mul(i, x)", True),
        ("i = Pow(y, minus) z = Mul(x, i)", True),
        ("r = Sqrt(y) i = Div(two, r) z = Mul(x, i)", False),
        ("r = Sqrt(y) q = Div(x, r) z = Add(q, r)", False),
        ("r = Sqrt(y) i = Reciprocal(r) m = Mul(x, i) z = Add(m, i)", False),
        ("r = Exp(y) z = Div(x, r)", False),
        ("r = Sqrt(y) z = Mul(x, r)", False),
    ],
)
def test_over_root(body, found_it):
    found = graph(body)
    node = next(
        node for node in found.nodes.values() if node.op_type in ("Div", "Mul") and found.values["x"] in node.inputs
    )
    wanted = (found.values["x"], found.values["y"]) if found_it else None
    assert norms.over_root(node) == wanted


@pytest.mark.parametrize(
    ("body", "found_it"),
    [
        ("p = Mul(x, x) m = ReduceMean<axes=[2]>(p) a = Add(m, eps) z = Sqrt(a)", True),
        ("p = Mul(x, x) m = ReduceMean<axes=[2]>(p) a = Add(eps, m) z = Sqrt(a)", True),
        ("p = Mul(x, x) m = ReduceMean<axes=[2]>(p) a = Add(m, below) z = Sqrt(a)", False),
        ("p = Mul(x, y) m = ReduceMean<axes=[2]>(p) a = Add(m, eps) z = Sqrt(a)", False),
        ("p = Mul(x, x) m = ReduceMean<axes=[2]>(p) a = Add(m, eps) z = Mul(p, a)", False),
        ("p = Mul(x, x) m = ReduceMean<axes=[2]>(p) a = Add(m, eps) z = Mul(m, a)", False),
        ("p = Mul(x, x) m = ReduceMean<axes=[2]>(p) a = Add(m, eps) z = Mul(a, a)", False),
    ],
)
def test_mean_square_plus(body, found_it):
    found = graph(body)
    wanted = (found.values["x"], 2, float(np.float32(1e-6))) if found_it else None
    assert norms.mean_square_plus(found.values["a"], found.op) == wanted


def test_ones_like_last():
    found = graph("z = Add(x, y)")
    ones = norms.ones_like_last(found.op, found.values["x"], 2)
    assert not isinstance(ones, Skip)
    np.testing.assert_array_equal(ones.tensor.numpy(), np.ones(8, np.float32))
    assert isinstance(norms.ones_like_last(found.op, found.values["x"], 1), Skip)
