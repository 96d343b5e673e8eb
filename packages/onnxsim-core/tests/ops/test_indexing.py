"""Shape, Size and Gather against the judge."""

import ml_dtypes
import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- Shape, Size -----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        ("", "[N, 3, M]"),
        ("<start=1>", "[3, M]"),
        ("<end=-1>", "[N, 3]"),
        ("<start=-1>", "[M]"),
        ("<start=1,end=2>", "[3]"),
        ("<start=-9,end=9>", "[N, 3, M]"),
        ("<start=2,end=1>", "[]"),
        ("<start=5>", "[]"),
        ("<end=-9>", "[]"),
        ("<start=0,end=0>", "[]"),
    ],
)
def test_shape_tells_the_sizes(attributes: str, expected: str) -> None:
    found = judge(f"g (float[N,3,M] x) => (int64[] y) {{ y = Shape{attributes}(x) }}", {"x": ramp(2, 3, 4)})
    assert found.data("y") == expected


def test_shape_before_15_has_no_range() -> None:
    assert judge("g (float[N,3] x) => (int64[] y) { y = Shape(x) }", {"x": ramp(2, 3)}, opset=13).data("y") == "[N, 3]"


def test_shape_of_an_unknown_rank_is_a_vector() -> None:
    found = facts("g (float[] x) => (int64[] y) { y = Shape(x) }")
    assert found.shape("y") == "[_]" and found.data("y") == "?"


def test_size_counts_the_elements() -> None:
    for n in (0, 2):
        found = judge("g (float[N,3] x) => (int64 y) { y = Size(x) }", {"x": ramp(n, 3)})
        assert found.shape("y") == "[]" and found.data("y") == "[3*N]"
    assert facts("g (float[] x) => (int64 y) { y = Size(x) }").shape("y") == "[]"


# --- Gather ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axis", "indices", "expected"),
    [(0, "", "[3, M]"), (1, "2", "[N, 2, M]"), (-1, "2,K", "[N, 3, 2, K]"), (2, "0", "[N, 3, 0]")],
)
def test_the_shape_of_the_indices_replaces_the_axis(axis: int, indices: str, expected: str) -> None:
    shape = [2 if size == "K" else int(size) for size in indices.split(",") if size]
    spelled = f"[{indices}]" if indices else ""
    text = f"g (float[N,3,M] x, int64{spelled} i) => (float[] y) {{ y = Gather<axis={axis}>(x, i) }}"
    assert judge(text, {"x": ramp(2, 3, 4), "i": np.zeros(shape, np.int64)}).shape("y") == expected


@pytest.mark.parametrize(("pick", "expected"), [(0, "[N]"), (-1, "[M]"), (1, "[3]"), (-3, "[N]")])
def test_one_size_is_picked(pick: int, expected: str) -> None:
    text = "g (float[N,3,M] x) => (int64[] y) { h = Shape(x) y = Gather(h, i) }"
    scalar = judge(text, {"x": ramp(2, 3, 4)}, i=np.array(pick))
    assert scalar.shape("y") == "[]" and scalar.data("y") == expected
    vector = judge(text, {"x": ramp(2, 3, 4)}, i=ints(pick))
    assert vector.shape("y") == "[1]" and vector.data("y") == expected


def test_several_sizes_are_picked() -> None:
    text = "g (float[N,3,M] x) => (int64[] y) { h = Shape(x) y = Gather(h, i) }"
    assert judge(text, {"x": ramp(2, 3, 4)}, i=ints(2, 0, -2)).data("y") == "[M, N, 3]"
    assert judge(text, {"x": ramp(2, 3, 4)}, i=np.array([[2, 0]], np.int32)).data("y") == "[M, N]"


def test_rows_of_a_tracked_matrix_are_picked() -> None:
    text = """g (float[N,M] x) => (int64[] y) {
        h = Shape(x) a = Unsqueeze(h, one) c = Concat<axis=1>(a, a) y = Gather<axis=0>(c, i) }"""
    found = judge(text, {"x": ramp(2, 4)}, one=ints(1), i=np.array(1))
    assert found.shape("y") == "[2]" and found.data("y") == "[M, M]"


@pytest.mark.parametrize("pick", [3, -4])
def test_no_element_is_stated_for_an_index_out_of_range(pick: int) -> None:
    text = "g (float[N,3,M] x) => (int64[] y) { h = Shape(x) y = Gather(h, i) }"
    assert facts(text, i=np.array(pick)).data("y") == "?"
    assert fold("Gather", [ramp(3), np.array(pick)]) is None


def test_no_element_is_stated_for_an_unknown_index() -> None:
    text = "g (float[N,3,M] x, int64 i) => (int64[] y) { h = Shape(x) y = Gather(h, i) }"
    assert judge(text, {"x": ramp(2, 3, 4), "i": np.array(1)}).data("y") == "?"


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool, np.float16, np.uint8])
@pytest.mark.parametrize(
    ("axis", "indices"), [(0, np.array(-1)), (1, np.array([[2, 0], [-3, 1]])), (-1, np.zeros((0,), np.int64))]
)
def test_gather_folds(axis: int, indices: np.ndarray, dtype: type) -> None:
    assert_folds("Gather", [ramp(2, 3, dtype=dtype), indices], axis=axis)
    assert_folds("Gather", [ramp(2, 3, dtype=dtype), indices.astype(np.int32)], axis=axis)


def test_gather_folds_types_numpy_lacks() -> None:
    array = np.arange(4).astype(ml_dtypes.bfloat16)
    assert fold("Gather", [array, ints(3, 0)]).astype(np.float32).tolist() == [3.0, 0.0]


def test_gather_of_a_wrong_axis_states_nothing() -> None:
    assert facts("g (float[2] x, int64 i) => (float[] y) { y = Gather<axis=1>(x, i) }").shape("y") == "?"
    assert fold("Gather", [ramp(2), np.array(0)], axis=1) is None
