"""fuse_consecutive_reduce: axes of the first counted over to those of the input, and what reductions compose."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.fuse_consecutive_reduce import one_reduction
from onnxsim_testkit import model

BOUND = {"rtol": 1e-5, "atol": 1e-6}
FLOATS = ["ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceL1", "ReduceL2", "ReduceLogSumExp"]


@pytest.mark.parametrize("name", FLOATS)
def test_axes_that_are_kept(name):
    assert_rewrites(
        one_reduction,
        f"g (float[2,3,4,5] x) => (float[2,3,1,1] z) {{ y = {name}<axes=[3]>(x) z = {name}<axes=[-2]>(y) }}",
        f"g (float[2,3,4,5] x) => (float[2,3,1,1] z) {{ z = {name}<axes=[2,3], keepdims=1>(x) }}",
        opset=11,
        **BOUND,
    )


@pytest.mark.parametrize("name", FLOATS)
def test_axes_that_are_dropped(name):
    """After axis 1 is gone, axis 1 is the third one."""
    assert_rewrites(
        one_reduction,
        f"""g (float[2,3,4,5] x) => (float[2,5] z) {{
            y = {name}<axes=[1], keepdims=0>(x) z = {name}<axes=[1], keepdims=0>(y) }}""",
        f"g (float[2,3,4,5] x) => (float[2,5] z) {{ z = {name}<axes=[1,2], keepdims=0>(x) }}",
        opset=11,
        **BOUND,
    )


def test_axes_as_input():
    assert_rewrites(
        one_reduction,
        """g (float[a,b,4] x) => (float[1,b,1] z) <int64[1] p = {2}, int64[1] q = {0}> {
            y = ReduceMean(x, p) z = ReduceMean(y, q) }""",
        "g (float[a,b,4] x) => (float[1,b,1] z) <int64[2] p = {0, 2}> { z = ReduceMean<keepdims=1>(x, p) }",
        opset=18,
        **BOUND,
    )


def test_kept_and_then_dropped():
    assert_rewrites(
        one_reduction,
        "g (float[2,3,4] x) => (float[2] z) { y = ReduceMax<axes=[2]>(x) z = ReduceMax<axes=[1,2], keepdims=0>(y) }",
        "g (float[2,3,4] x) => (float[2] z) { z = ReduceMax<axes=[1,2], keepdims=0>(x) }",
        opset=13,
    )


def test_all_axes():
    assert_rewrites(
        one_reduction,
        "g (float[2,3,4] x) => (float z) { y = ReduceMin<axes=[2], keepdims=0>(x) z = ReduceMin<keepdims=0>(y) }",
        "g (float[2,3,4] x) => (float z) { z = ReduceMin<axes=[0,1,2], keepdims=0>(x) }",
        opset=13,
    )


@pytest.mark.parametrize("name", ["ReduceSum", "ReduceProd", "ReduceMax"])
def test_integers_are_exact(name):
    assert_rewrites(
        one_reduction,
        f"g (int32[2,3,4] x) => (int32[2,1,1] z) {{ y = {name}<axes=[2]>(x) z = {name}<axes=[1]>(y) }}",
        f"g (int32[2,3,4] x) => (int32[2,1,1] z) {{ z = {name}<axes=[1,2], keepdims=1>(x) }}",
        opset=11,
    )


@pytest.mark.parametrize("name", ["ReduceMax", "ReduceMin", "ReduceMean"])
def test_not_finite_values(name):
    original = model(
        f"g (float[3,2,4] x) => (float[3,1,1] z) {{ y = {name}<axes=[2]>(x) z = {name}<axes=[1]>(y) }}", opset=13
    )
    result, driver = apply(one_reduction, original)
    assert driver.changes == 1
    x = np.random.default_rng(0).standard_normal((3, 2, 4)).astype(np.float32)
    x[0, 0, 1], x[1, 1, 2], x[2, 0, 3] = np.inf, -np.inf, np.nan
    assert_same_model(original, result, **BOUND, feeds={"x": x})


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("the input is not made by the same reduction", "z = ReduceMax<axes=[1]>(x)"),
        ("the input is not made by the same reduction", "y = ReduceMin<axes=[2]>(x) z = ReduceMax<axes=[1]>(y)"),
        (
            "the first reduction has other readers",
            "y = ReduceMax<axes=[2]>(x) v = ReduceMax<axes=[1]>(y) z = Add(v, y)",
        ),
        ("a product in between could overflow or vanish", "y = ReduceProd<axes=[2]>(x) z = ReduceProd<axes=[1]>(y)"),
        (
            "one keeps the reduced axes and the other does not",
            "y = ReduceMax<axes=[2]>(x) z = ReduceMax<axes=[1], keepdims=0>(y)",
        ),
        (
            "one keeps the reduced axes and the other does not",
            "y = ReduceMax<axes=[2], keepdims=0>(x) z = ReduceMax<axes=[1]>(y)",
        ),
    ],
)
def test_skips(reason, body):
    assert_skips(one_reduction, f"g (float[2,3,4] x) => (float[] z) {{ {body} }}", reason, opset=13)


def test_skips_integers_that_are_rounded():
    assert_skips(
        one_reduction,
        "g (int32[2,3,4] x) => (int32[] z) { y = ReduceMean<axes=[2]>(x) z = ReduceMean<axes=[1]>(y) }",
        "integers are rounded in between",
        opset=13,
    )


def test_skips_an_unknown_rank():
    assert_skips(
        one_reduction,
        "g (float[] x) => (float[] z) { y = ReduceMax<axes=[2]>(x) z = ReduceMax<axes=[1]>(y) }",
        "the rank is not known",
        opset=13,
    )


def test_skips_axes_that_are_inputs():
    assert_skips(
        one_reduction,
        """g (float[2,3,4] x, int64[1] p) => (float[] z) <int64[1] q = {1}> {
        y = ReduceMax(x, p) z = ReduceMax(y, q) }""",
        "the axes are not known",
        opset=18,
    )
