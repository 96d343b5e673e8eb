"""Scatter, ScatterElements, ScatterND and TensorScatter against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- ScatterElements -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.float64, np.int32])
@pytest.mark.parametrize("reduction", ["none", "add", "mul", "max", "min"])
def test_scatter_elements(reduction: str, dtype: type) -> None:
    arrays = [ramp(2, 3, dtype=dtype), np.array([[-1, 2, 0]]), np.array([[10, 20, -30]], dtype)]
    if reduction in ("max", "min") and np.dtype(dtype).kind == "f":
        assert fold("ScatterElements", arrays, axis=1, reduction=reduction) is None
    else:
        assert_folds("ScatterElements", arrays, axis=1, reduction=reduction)


@pytest.mark.parametrize("opset", [9, 10])
def test_scatter_9(opset: int) -> None:
    assert_folds("Scatter", [ramp(3, 3), np.array([[1, 0, 2]]), np.float32([[7, 8, 9]])], opset=opset)


@pytest.mark.parametrize("axis", [0, -1])
def test_updates_on_a_corner(axis: int) -> None:
    assert_folds("ScatterElements", [ramp(3, 4), np.array([[2, 0], [0, 1]]), -ramp(2, 2)], axis=axis)
    assert_folds("ScatterElements", [ramp(3, 4, dtype=bool), np.array([[2]]), np.array([[False]])], axis=axis)
    assert_folds("ScatterElements", [ramp(3, 4), np.zeros((0, 4), np.int64), np.zeros((0, 4), np.float32)], axis=axis)


def test_sums_of_floats_go_in_order() -> None:
    rng = np.random.default_rng(5)
    updates = (rng.standard_normal(200) * 1e4).astype(np.float32)
    assert_folds("ScatterElements", [ramp(3), rng.integers(0, 3, 200), updates], reduction="add")


def test_scatter_elements_declines_what_does_not_fit() -> None:
    assert fold("ScatterElements", [ramp(2), ints(2), np.float32([1])]) is None
    assert fold("ScatterElements", [ramp(2), ints(0), np.float32([1, 2])]) is None
    assert fold("ScatterElements", [ramp(2), ints(0), np.float64([1])]) is None
    assert fold("ScatterElements", [ramp(2), ints(0), np.float32([1])], axis=1) is None
    assert fold("ScatterElements", [ramp(2), ints(0), np.float32([1])], reduction="mean") is None
    half = [ramp(2, dtype=np.float16), ints(0), np.float16([1])]
    assert fold("ScatterElements", half, reduction="add") is None


# --- ScatterND -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("reduction", ["none", "add", "mul"])
def test_scatter_nd(reduction: str) -> None:
    assert_folds("ScatterND", [ramp(2, 3), np.array([[-1], [1]]), ramp(2, 3) - 2], reduction=reduction)
    assert_folds(
        "ScatterND", [ramp(2, 3), np.array([[0, 2], [1, -3], [0, 2]]), np.float32([5, 6, 7])], reduction=reduction
    )
    assert_folds("ScatterND", [ramp(2, 3, 2), np.array([[[0, 2]], [[1, 0]]]), ramp(2, 1, 2)], reduction=reduction)


def test_scatter_nd_declines_what_does_not_fit() -> None:
    assert fold("ScatterND", [ramp(2, 3), np.array([[2]]), ramp(1, 3)]) is None
    assert fold("ScatterND", [ramp(2, 3), np.array([[0]]), ramp(1, 2)]) is None
    assert fold("ScatterND", [ramp(2, 3), np.zeros((1, 0), np.int64), ramp(1, 2, 3)]) is None


# --- both ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("node", "indices"), [("ScatterElements(h, i, u)", ints(1, 2)), ("ScatterND(h, i, u)", ints(1, -1).reshape(2, 1))]
)
def test_tracked_elements_are_replaced(node: str, indices: np.ndarray) -> None:
    text = f"""g (float[N,M,K] x, float[P] r) => (int64[] y) {{
        h = Shape(x) p = Shape(r) u = Concat<axis=0>(p, k) y = {node} }}"""
    found = judge(text, {"x": ramp(2, 3, 4), "r": ramp(5)}, i=indices, k=ints(9))
    assert found.shape("y") == "[3]" and found.data("y") == "[N, P, 9]"


def test_tracked_elements_end_at_reductions_and_unknown_indices() -> None:
    text = "g (float[N,M] x, int64[1] i) => (int64[] y) { h = Shape(x) y = %s }"
    feeds = {"x": ramp(2, 3), "i": ints(1)}
    assert judge(text % "ScatterElements(h, i, u)", feeds, u=ints(9)).data("y") == "?"
    assert judge(text % 'ScatterElements<reduction="add">(h, one, u)', feeds, u=ints(9), one=ints(1)).data("y") == "?"
    assert facts(text % "ScatterElements(h, two, u)", u=ints(9), two=ints(2)).data("y") == "?"


# --- TensorScatter ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("mode", "starts"), [("linear", (0, 2)), ("linear", None), ("circular", (1, 3)), ("circular", (2, 7))]
)
@pytest.mark.parametrize("axis", [1, -2])
def test_tensor_scatter(mode: str, starts: tuple[int, int] | None, axis: int) -> None:
    arrays = [ramp(2, 4, 3), -ramp(2, 2, 3), *([] if starts is None else [ints(*starts)])]
    assert_folds("TensorScatter", arrays, opset=24, mode=mode, axis=axis)


def test_tensor_scatter_declines_what_does_not_fit() -> None:
    assert fold("TensorScatter", [ramp(2, 4, 3), ramp(2, 2, 3), ints(0, 3)], opset=24) is None
    assert fold("TensorScatter", [ramp(2, 4, 3), ramp(2, 5, 3)], opset=24) is None
    assert fold("TensorScatter", [ramp(2, 4, 3), ramp(2, 2, 3), ints(0)], opset=24) is None
    assert (
        facts("g (float[N,4,3] x, float[N,2,3] u) => (float[] y) { y = TensorScatter(x, u) }", opset=24).shape("y")
        == "[N, 4, 3]"
    )
