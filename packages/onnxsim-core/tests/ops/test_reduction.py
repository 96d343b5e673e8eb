"""Reductions against the judge."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold

SUMS = ["ReduceSum", "ReduceMean", "ReduceProd", "ReduceL1", "ReduceSumSquare"]
ALL = [*SUMS, "ReduceMax", "ReduceMin", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp"]
RNG = np.random.default_rng(0)
AXES: list[Any] = [None, np.array([1]), np.array([-1, 0]), np.array([0, 0]), np.array([], np.int64)]


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64, np.uint8, np.int8, np.bool_])
def test_extremes_are_exact(op_type: str, dtype: type) -> None:
    x = (RNG.standard_normal((5, 7)) * 50 + 1).astype(dtype)
    for axes in AXES:
        for keepdims in (0, 1):
            assert_folds(op_type, [x, axes], keepdims=keepdims, opset=20)
    assert_folds(op_type, [x[:1, :1].reshape(())], opset=20)


@pytest.mark.parametrize("op_type", ["ReduceMax", "ReduceMin"])
def test_extremes_of_nan_and_negative_zero_are_declined(op_type: str) -> None:
    assert fold(op_type, [np.array([1.0, np.nan])], opset=20) is None
    assert fold(op_type, [np.array([0.0, -0.0])], opset=20) is None
    assert fold(op_type, [np.ones(2, ml_dtypes.bfloat16)], opset=20) is None


@pytest.mark.parametrize("op_type", SUMS)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.int32, np.int64])
def test_sums_of_whole_numbers_are_exact(op_type: str, dtype: type) -> None:
    x = RNG.integers(-3, 4, (2, 5)).astype(dtype)
    for axes in AXES:
        for keepdims in (0, 1):
            assert_folds(op_type, [x, axes], keepdims=keepdims, opset=20, ulps=0 if op_type != "ReduceMean" else 1)
    assert_folds(op_type, [np.array(-3, dtype)], opset=20)


@pytest.mark.parametrize("op_type", SUMS)
def test_sums_that_could_round_are_declined(op_type: str) -> None:
    for x in ([0.5, 1.0], [np.inf, 1.0], [np.nan], [-0.0, 0.0], [2.0**24, 2.0]):
        assert fold(op_type, [np.array(x, np.float32)], opset=20) is None
    assert fold(op_type, [np.array([2**31 - 1, 2], np.int32)], opset=20) is None
    assert fold(op_type, [np.array([2**53, 2])], opset=20) is None
    assert fold(op_type, [np.ones(2, np.uint8)], opset=20) is None
    assert fold(op_type, [np.ones(2, ml_dtypes.bfloat16)], opset=20) is None


def test_mean_of_integers_rounds_toward_zero() -> None:
    for values in ([-7, 0], [7, 0], [-1, -2, -2]):
        assert_folds("ReduceMean", [np.array(values)], opset=20)


@pytest.mark.parametrize("op_type", ["ReduceL2", "ReduceLogSum", "ReduceLogSumExp"])
def test_roots_and_logarithms_are_left_to_the_runtime(op_type: str) -> None:
    assert fold(op_type, [np.ones(3, np.float32)], opset=20) is None


@pytest.mark.parametrize("op_type", ALL)
def test_nothing_to_reduce_and_bad_axes_are_declined(op_type: str) -> None:
    x = np.ones((2, 3), np.float32)
    assert fold(op_type, [x], opset=20, noop_with_empty_axes=1) is None
    assert fold(op_type, [np.ones((2, 0), np.float32)], opset=20) is None
    assert fold(op_type, [x, np.array([2])], opset=20) is None


@pytest.mark.parametrize("op_type", ["ReduceSum", "ReduceMax"])
def test_axes_may_be_an_attribute(op_type: str) -> None:
    assert_folds(op_type, [np.arange(6, dtype=np.float32).reshape(2, 3)], opset=11, axes=[-1], keepdims=0)


@pytest.mark.parametrize("op_type", ALL)
@pytest.mark.parametrize(
    ("axes", "kept", "dropped"),
    [
        ([1], "[N, 1, M]", "[N, M]"),
        ([-1], "[N, 3, 1]", "[N, 3]"),
        ([0, -1], "[1, 3, 1]", "[3]"),
        ([2, 2], "[N, 3, 1]", "[N, 3]"),
        ([], "[1, 1, 1]", "[]"),
    ],
)
def test_shapes(op_type: str, axes: list[int], kept: str, dropped: str) -> None:
    inner = f"y = {op_type}(x, axes) z = {op_type}<keepdims=0>(x, axes)"
    for size in ((2, 4), (1, 1), (3, 0)):
        found = judge(
            f"g (float[N,3,M] x) => (y, z) {{ {inner} }}",
            {"x": np.ones((size[0], 3, size[1]), np.float32)},
            axes=np.array(axes, np.int64),
        )
        assert (found.shape("y"), found.shape("z")) == (kept, dropped)
    if axes:
        inner = f"y = {op_type}<axes={axes}>(x) z = {op_type}<axes={axes},keepdims=0>(x)"
        found = facts(f"g (float[N,3,M] x) => (y, z) {{ {inner} }}", opset=11)
        assert (found.shape("y"), found.shape("z")) == (kept, dropped)


@pytest.mark.parametrize("op_type", ALL)
def test_no_axes_is_all_of_them_unless_told_otherwise(op_type: str) -> None:
    inner = f"y = {op_type}<keepdims=0>(x) z = {op_type}<noop_with_empty_axes=1>(x)"
    found = judge(f"g (float[N,3] x) => (y, z) {{ {inner} }}", {"x": np.ones((2, 3), np.float32)})
    assert (found.shape("y"), found.shape("z")) == ("[]", "[N, 3]")


def test_a_scalar_stays_one_whatever_the_axis() -> None:
    for axes in ([0], [-1], []):
        feeds = {"x": np.array(2, np.float32), "axes": np.array(axes, np.int64)}
        assert judge("g (float x, int64[k] axes) => (y) { y = ReduceSum(x, axes) }", feeds).shape("y") == "[]"
        found = facts("g (float x) => (y) { y = ReduceSum<keepdims=0>(x, axes) }", axes=feeds["axes"])
        assert found.shape("y") == "[]"


def test_axes_given_at_run_time_leave_the_rank_where_it_is_kept() -> None:
    text = "g (float[N,3,1] x, int64[k] axes) => (y, z) { y = ReduceSum(x, axes) z = ReduceSum<keepdims=0>(x, axes) }"
    for axes in ([0], [1, 2], []):
        found = judge(text, {"x": np.ones((2, 3, 1), np.float32), "axes": np.array(axes, np.int64)})
        assert (found.shape("y"), found.shape("z")) == ("[_, _, 1]", "?")
    inner = "y = ReduceSum(x, axes) z = ReduceMax<noop_with_empty_axes=1>(x, axes)"
    text = f"g (float[N,3] x, int64[0] axes) => (y, z) {{ {inner} }}"
    found = judge(text, {"x": np.ones((2, 3), np.float32), "axes": np.array([], np.int64)})
    assert (found.shape("y"), found.shape("z")) == ("[1, 1]", "[N, 3]")
    assert facts("g (float[] x) => (y) { y = ReduceSum(x) }").shape("y") == "?"
    assert facts("g (float[N,3] x) => (y) { y = ReduceSum(x, axes) }", axes=np.array([5])).shape("y") == "[_, _]"
    assert facts("g (float[N,3] x) => (y) { y = ReduceMax<axes=[5]>(x) }", opset=11).shape("y") == "?"
    assert facts("g (float[2] x) => (y) { y = ReduceMax() }").shape("y") == "?"


@pytest.mark.parametrize(
    ("op_type", "expected"),
    [
        ("ReduceProd", "[3*N*M]"),
        ("ReduceSum", "[N + M + 3]"),
        ("ReduceMax", "[max(N, M, 3)]"),
        ("ReduceMin", "[min(N, M, 3)]"),
        ("ReduceMean", "?"),
        ("ReduceL1", "?"),
    ],
)
def test_elements_are_followed(op_type: str, expected: str) -> None:
    text = f"g (float[N,M,3] x) => (y) {{ s = Shape(x) y = {op_type}(s) }}"
    for size in ((2, 5), (7, 1)):
        assert judge(text, {"x": np.ones((*size, 3), np.float32)}).data("y") == expected


def test_elements_of_a_scalar_and_of_nothing_reduced() -> None:
    text = """g (float[N,M] x) => (y, z, w) { s = Shape(x) y = ReduceProd<keepdims=0>(s) z = ReduceSum(y)
        w = ReduceSum<noop_with_empty_axes=1>(s) }"""
    found = judge(text, {"x": np.ones((2, 5), np.float32)})
    assert (found.data("y"), found.data("z"), found.data("w")) == ("[N*M]", "[N*M]", "[N, M]")
    assert (found.shape("y"), found.shape("z")) == ("[]", "[]")


def test_what_overflows_is_not_followed() -> None:
    text = "g (float[1] x) => (y, z) { y = ReduceProd(k) z = ReduceSum(j) }"
    found = judge(text, {"x": np.ones(1, np.float32)}, k=np.array([2**52, 2**20]), j=np.array([2**30, 2**30], np.int32))
    assert found.data("y") == found.data("z") == "?"
