"""Expand and Tile against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- Expand ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("target", "expected"),
    [((3, 4), "[3, 4]"), ((2, 1, 1), "[2, 3, 1]"), ((4,), "[3, 4]"), ((), "[3, 1]"), ((1, 0), "[3, 0]")],
)
def test_expand_broadcasts_both_ways(target: tuple[int, ...], expected: str) -> None:
    assert (
        judge("g (float[3,1] x) => (float[] y) { y = Expand(x, s) }", {"x": ramp(3, 1)}, s=ints(*target)).shape("y")
        == expected
    )


def test_expand_to_sizes_of_another_tensor() -> None:
    text = "g (float[1,M] x, float[N,M] r) => (float[] y) { h = Shape(r) y = Expand(x, h) }"
    for n, m in ((2, 3), (1, 1), (0, 2)):
        assert judge(text, {"x": ramp(1, m), "r": ramp(n, m)}).shape("y") == "[N, M]"


def test_expand_of_a_size_that_may_be_one() -> None:
    text = "g (float[K] x) => (float[] y) { y = Expand(x, s) }"
    for k in (1, 4):
        assert judge(text, {"x": ramp(k)}, s=ints(4)).shape("y") == "[4]"
        assert judge(text, {"x": ramp(k)}, s=ints(1)).shape("y") == "[K]"


def test_expand_to_an_unknown_shape_keeps_sizes_that_cannot_change() -> None:
    text = "g (float[3,1] x, int64[3] s) => (float[] y) { y = Expand(x, s) }"
    assert judge(text, {"x": ramp(3, 1), "s": ints(2, 1, 4)}).shape("y") == "[_, 3, _]"
    assert facts("g (float[3,1] x, int64[K] s) => (float[] y) { y = Expand(x, s) }").shape("y") == "?"
    assert facts("g (float[] x) => (float[] y) { y = Expand(x, s) }", s=ints(2)).shape("y") == "?"


def test_expand_to_an_unknown_element_takes_it_as_a_size() -> None:
    text = "g (float[1,3] x, int64[1] k) => (float[] y) { s = Concat<axis=0>(k, three) y = Expand(x, s) }"
    for k in (0, 1, 4):
        assert judge(text, {"x": ramp(1, 3), "k": ints(k)}, three=ints(3)).shape("y") == "[_, 3]"


@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool, np.float16])
@pytest.mark.parametrize(("shape", "target"), [((3, 1), (2, 1, 4)), ((), (2, 3)), ((0, 1), (1, 3)), ((2,), (1,))])
def test_expand_folds(shape: tuple[int, ...], target: tuple[int, ...], dtype: type) -> None:
    assert_folds("Expand", [ramp(*shape, dtype=dtype), ints(*target)])


@pytest.mark.runtime
def test_expand_of_text_to_a_negative_size_keeps_it() -> None:
    """Not what the standard allows; onnxruntime refuses it for numbers."""
    text = "g (string[1,1] x) => (int64[] y) { e = Expand(x, s) y = Shape(e) }"
    assert judge(text, {"x": np.array([["a"]], object)}, s=ints(2, -3)).shape("y") == "[_]"
    assert facts("g (float[1,3] x) => (float[] y) { y = Expand(x, s) }", s=ints(-1, 3)).shape("y") == "?"


def test_expand_declines_what_does_not_broadcast() -> None:
    assert fold("Expand", [ramp(3, 2), ints(3, 4)]) is None
    assert fold("Expand", [ramp(3, 1), ints(3, -1)]) is None
    assert facts("g (float[3,2] x) => (float[] y) { y = Expand(x, s) }", s=ints(4)).shape("y") == "?"


@pytest.mark.parametrize(("target", "expected"), [((3,), "[N, M, N, M, N, M]"), ((1,), "[N, M]")])
def test_expand_repeats_tracked_elements(target: tuple[int, ...], expected: str) -> None:
    text = "g (float[N,M] x) => (int64[] y) { h = Shape(x) y = Expand(h, s) }"
    found = judge(text, {"x": ramp(2, 5)}, s=ints(*target, 1))
    assert found.data("y") == expected


def test_expand_tracks_no_more_elements_than_the_limit() -> None:
    text = "g (float[N] x) => (int64[] y) { h = Shape(x) y = Expand(h, s) }"
    assert facts(text, s=ints(256)).data("y") != "?"
    assert facts(text, s=ints(257)).data("y") == "?"


# --- Tile ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("repeats", "expected"), [((2, 3), "[2*N, 9]"), ((1, 1), "[N, 3]"), ((0, 1), "[0, 3]")])
def test_tile_multiplies_sizes(repeats: tuple[int, ...], expected: str) -> None:
    for n in (0, 2):
        found = judge("g (float[N,3] x) => (float[] y) { y = Tile(x, r) }", {"x": ramp(n, 3)}, r=ints(*repeats))
        assert found.shape("y") == expected


def test_tile_by_a_size() -> None:
    text = "g (float[1,3] x, float[N] r) => (float[] y) { h = Shape(r) t = Concat<axis=0>(h, one) y = Tile(x, t) }"
    assert judge(text, {"x": ramp(1, 3), "r": ramp(4)}, one=ints(1)).shape("y") == "[N, 3]"


def test_tile_1_repeats_one_axis() -> None:
    text = "g (float[2,N] x) => (float[] y) { y = Tile(x, t, a) }"
    assert facts(text, opset=5, t=ints(3), a=ints(1)).shape("y") == "[2, 3*N]"
    assert facts(text, opset=5, t=ints(3), a=ints(2)).shape("y") == "[_, _]"


def test_tile_by_unknown_repeats_keeps_the_rank() -> None:
    assert facts("g (float[2,N] x, int64[2] r) => (float[] y) { y = Tile(x, r) }").shape("y") == "[_, _]"
    assert facts("g (float[2,N] x) => (float[] y) { y = Tile(x, r) }", r=ints(2)).shape("y") == "[_, _]"


@pytest.mark.parametrize(("shape", "repeats"), [((2, 3), (2, 2)), ((), ()), ((2, 0), (1, 3)), ((3,), (0,))])
def test_tile_folds(shape: tuple[int, ...], repeats: tuple[int, ...]) -> None:
    assert_folds("Tile", [ramp(*shape), ints(*repeats)])


def test_tile_declines_repeats_that_do_not_fit() -> None:
    assert fold("Tile", [ramp(2, 3), ints(2)]) is None
    assert fold("Tile", [ramp(2), ints(-1)]) is None


def test_tile_repeats_tracked_elements() -> None:
    text = "g (float[N,M] x) => (int64[] y) { h = Shape(x) y = Tile(h, r) }"
    assert judge(text, {"x": ramp(2, 5)}, r=ints(2)).data("y") == "[N, M, N, M]"


def test_negative_repeats_say_nothing() -> None:
    for x in ("int64[2] x", "int64[2,0] x"):
        repeats = ints(*[-1] * (2 if "," in x else 1))
        assert "-" not in facts(f"g ({x}) => (y) {{ s = Shape(x) y = Tile(x, r) }}", r=repeats).shape("y")
    assert facts("g (float[2,3] x) => (y) { s = Shape(x) y = Tile(s, r) }", r=ints(-1)).data("y") == "?"


def test_tiles_without_elements() -> None:
    assert_folds("Tile", [np.zeros((2, 0), np.float32), np.array([3, 2])])
    assert_folds("Tile", [np.ones((2, 3), np.float32), np.array([0, 2])])
    assert fold("Tile", [np.zeros(0, np.float32), np.array([2**62])]) is not None
    assert fold("Tile", [np.zeros((2, 0), np.float32), np.array([2**62, 1])]) is None
