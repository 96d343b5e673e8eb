"""TopK, ArgMax and ArgMin against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold

TIES = np.random.default_rng(7).integers(-3, 4, (3, 5, 4))


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- TopK ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32])
@pytest.mark.parametrize("largest", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_top_k_with_ties(dtype: type, largest: int, axis: int) -> None:
    for k in (0, 1, 3):
        assert_folds("TopK", [TIES.astype(dtype), ints(k)], outputs=2, axis=axis, largest=largest)


def test_top_k_of_limits() -> None:
    assert_folds("TopK", [np.array([-(2**63), 2**63 - 1, 0, -(2**63)]), ints(4)], outputs=2)
    assert_folds("TopK", [np.float32([np.inf, -np.inf, 0.0, 1.0]), ints(4)], outputs=2)


def test_top_k_declines_nan_disorder_and_too_many() -> None:
    assert fold("TopK", [np.float32([np.nan, 1]), ints(1)], outputs=2) is None
    assert fold("TopK", [np.float32([2, 1]), ints(1)], outputs=2, sorted=0) is None
    assert fold("TopK", [np.float32([2, 1]), ints(3)], outputs=2) is None


@pytest.mark.parametrize(("call", "expected"), [("TopK(x, k)", "[N, 2]"), ("TopK<axis=0>(x, k)", "[2, 4]")])
def test_top_k_shapes(call: str, expected: str) -> None:
    text = f"g (float[N,4] x) => (float[] v, int64[] i) {{ v, i = {call} }}"
    found = judge(text, {"x": np.zeros((3, 4), np.float32)}, k=ints(2))
    assert found.shape("v") == found.shape("i") == expected


def test_top_k_of_a_size() -> None:
    text = "g (float[N,M] x, float[K] r) => (float[] v, int64[] i) { k = Shape(r) v, i = TopK(x, k) }"
    found = judge(text, {"x": np.zeros((2, 5), np.float32), "r": np.zeros(3, np.float32)})
    assert found.shape("v") == found.shape("i") == "[N, K]"
    unknown = facts("g (float[N,M] x, int64[1] k) => (float[] v, int64[] i) { v, i = TopK(x, k) }")
    assert unknown.shape("v") == "[N, _]" and unknown.values["v"].shape == unknown.values["i"].shape
    assert facts("g (float[] x, int64[1] k) => (float[] v, int64[] i) { v, i = TopK(x, k) }").shape("v") == "?"


def test_the_attribute_k_of_version_1() -> None:
    assert facts("g (float[N,4] x) => (float[] v, int64[] i) { v, i = TopK<k=2>(x) }", opset=9).shape("v") == "[N, 2]"


# --- ArgMax, ArgMin --------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("op_type", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("keep", [0, 1])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_arg_with_ties(op_type: str, last: int, keep: int, axis: int) -> None:
    for dtype in (np.float32, np.int32, np.float64):
        assert_folds(op_type, [TIES.astype(dtype)], axis=axis, keepdims=keep, select_last_index=last)


def test_arg_of_infinities() -> None:
    assert_folds("ArgMax", [np.float32([-np.inf, -np.inf])])
    assert_folds("ArgMin", [np.float32([0.0, -0.0])])


@pytest.mark.parametrize("op_type", ["ArgMax", "ArgMin"])
@pytest.mark.parametrize(
    ("attributes", "expected"), [("", "[1, M]"), ("<axis=-1>", "[N, 1]"), ("<axis=1,keepdims=0>", "[N]")]
)
def test_arg_shapes(op_type: str, attributes: str, expected: str) -> None:
    text = f"g (float[N,M] x) => (int64[] y) {{ y = {op_type}{attributes}(x) }}"
    assert judge(text, {"x": np.zeros((2, 3), np.float32)}).shape("y") == expected


def test_arg_declines_nan_and_nothing() -> None:
    assert fold("ArgMax", [np.float32([1, np.nan])]) is None
    assert fold("ArgMax", [np.zeros((0, 2), np.float32)]) is None
    assert fold("ArgMax", [np.zeros(2, np.float32)], axis=1) is None
    assert facts("g (float[2] x) => (int64[] y) { y = ArgMax<axis=1>(x) }").shape("y") == "?"
