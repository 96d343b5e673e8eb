"""CumSum, ReverseSequence and Trilu against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, floats, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- CumSum ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("exclusive", [0, 1])
@pytest.mark.parametrize("reverse", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64])
def test_running_sums(exclusive: int, reverse: int, dtype: type) -> None:
    rng = np.random.default_rng(3)
    array = (rng.standard_normal((3, 40, 2)) * 1000).astype(dtype)
    for axis in (0, 1, -1):
        assert_folds("CumSum", [array, np.array(axis)], exclusive=exclusive, reverse=reverse)


def test_running_sums_of_special_floats_and_of_nothing() -> None:
    assert_folds("CumSum", [floats(np.float32, 20), np.array(0)], ulps=0)
    assert_folds("CumSum", [ramp(0, 3), np.array(0)], exclusive=1)
    assert_folds("CumSum", [np.array([2**31 - 1, 1], np.int32), np.array(0)])


def test_a_wrong_axis_declines() -> None:
    assert fold("CumSum", [ramp(3), np.array(1)]) is None
    assert fold("CumSum", [ramp(3, dtype=np.float16), np.array(0)]) is None


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", "[N, N + 3]"),
        ("<exclusive=1>", "[0, N]"),
        ("<reverse=1>", "[N + 3, 3]"),
        ("<exclusive=1,reverse=1>", "[3, 0]"),
    ],
)
def test_sums_of_tracked_elements(attributes: str, expected: str) -> None:
    text = f"g (float[N,3] x) => (int64[] y) {{ h = Shape(x) y = CumSum{attributes}(h, a) }}"
    found = judge(text, {"x": ramp(2, 3)}, a=np.array(0))
    assert found.shape("y") == "[2]" and found.data("y") == expected


# --- ReverseSequence -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("batch", "time"), [(0, 1), (1, 0)])
def test_reversed_sequences(batch: int, time: int) -> None:
    array = ramp(3, 4, 2)
    lengths = ints(1, 3, 4)[: array.shape[batch]] if batch == 0 else ints(0, 1, 2, 3)
    assert_folds("ReverseSequence", [array, lengths], batch_axis=batch, time_axis=time)
    call = f"ReverseSequence<batch_axis={batch},time_axis={time}>(x, s)"
    text = f"g (float[N,M,2] x, int64[K] s) => (float[] y) {{ y = {call} }}"
    assert judge(text, {"x": array, "s": lengths}).shape("y") == "[N, M, 2]"


def test_reversed_sequences_decline_what_does_not_fit() -> None:
    assert fold("ReverseSequence", [ramp(3, 2), ints(4, 1)]) is None
    assert fold("ReverseSequence", [ramp(3, 2), ints(1)]) is None
    assert fold("ReverseSequence", [ramp(3, 2), ints(1, 1)], batch_axis=0, time_axis=0) is None


# --- Trilu -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, bool])
def test_triangles(upper: int, dtype: type) -> None:
    array = ramp(2, 3, 4, dtype=dtype)
    assert_folds("Trilu", [array], upper=upper)
    for k in (-5, -1, 0, 1, 3, 9):
        assert_folds("Trilu", [array, np.array(k)], upper=upper)


def test_a_triangle_keeps_no_nan_off_it() -> None:
    assert_folds("Trilu", [np.full((3, 3), np.nan, np.float32)])
    assert_folds("Trilu", [np.full((3, 3), -np.inf, np.float32), np.array(1)])


def test_triangles_of_tracked_elements() -> None:
    text = """g (float[N,M] x) => (int64[] y) {
        h = Shape(x) a = Unsqueeze(h, zero) c = Concat<axis=0>(a, a) y = Trilu(c, k) }"""
    found = judge(text, {"x": ramp(2, 3)}, zero=ints(0), k=np.array(1))
    assert found.data("y") == "[0, M, 0, 0]"
    unknown = text.replace("float[N,M] x", "float[N,M] x, int64 u").replace("c, k", "c, u")
    assert judge(unknown, {"x": ramp(2, 3), "u": np.array(0)}, zero=ints(0)).data("y") == "?"


def test_trilu_declines_a_vector() -> None:
    assert fold("Trilu", [ramp(3)]) is None
    assert facts("g (float[3] x) => (float[] y) { y = Trilu(x) }").shape("y") == "[3]"
