"""Pad and CenterCropPad against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, compute, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- Pad -------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("pads", "expected"), [((0, 1, 0, 2), "[N, 6]"), ((1, 0, 1, 0), "[N + 2, 3]"), ((0, -1, 0, -1), "[N, 1]")]
)
@pytest.mark.parametrize("opset", [10, 11, 13, 18, 21])
def test_sizes_grow_by_the_pads(pads: tuple[int, ...], expected: str, opset: int) -> None:
    for n in (0, 2):
        if opset < 11:
            text = f"g (float[N,3] x) => (float[] y) {{ y = Pad<pads={list(pads)}>(x) }}"
            found = judge(text, {"x": ramp(n, 3)}, opset=opset)
        else:
            text = "g (float[N,3] x) => (float[] y) { y = Pad(x, p) }"
            found = judge(text, {"x": ramp(n, 3)}, opset=opset, p=ints(*pads))
        assert found.shape("y") == expected


@pytest.mark.parametrize(
    ("axes", "pads", "expected"),
    [((1,), (1, 1), "[N, 5, 4]"), ((-1, 0), (1, 2, 3, 4), "[N + 6, 3, 8]"), ((2, 1), (0, 1, 0, 1), "[N, 5, 4]")],
)
def test_only_the_axes_named_are_padded(axes: tuple[int, ...], pads: tuple[int, ...], expected: str) -> None:
    text = "g (float[N,3,4] x) => (float[] y) { y = Pad(x, p, , a) }"
    found = judge(text, {"x": ramp(2, 3, 4)}, p=ints(*pads), a=ints(*axes))
    assert found.shape("y") == expected
    assert_folds("Pad", [ramp(2, 3, 4), ints(*pads), None, ints(*axes)])


def test_symbolic_pads() -> None:
    text = """g (float[N,3] x, float[M] z) => (float[] y) {
        m = Shape(z) zero = Sub(m, m) p = Concat<axis=0>(zero, zero, m, zero) y = Pad(x, p) }"""
    assert judge(text, {"x": ramp(2, 3), "z": ramp(4)}, kernels=False).shape("y") == "[N + M, 3]"


def test_unknown_pads_leave_the_rank_and_the_other_axes() -> None:
    assert facts("g (float[N,3] x, int64[4] p) => (float[] y) { y = Pad(x, p) }").shape("y") == "[_, _]"
    text = "g (float[N,3] x, int64[2] p) => (float[] y) { y = Pad(x, p, , a) }"
    assert facts(text, a=ints(-1)).shape("y") == "[N, _]"
    assert facts("g (float[] x, int64[2] p) => (float[] y) { y = Pad(x, p) }").shape("y") == "?"


def test_pads_that_leave_less_than_nothing_state_nothing() -> None:
    assert facts("g (float[4] x) => (float[] y) { y = Pad(x, p) }", p=ints(-3, -3)).shape("y") == "?"
    assert facts("g (float[4] x) => (float[] y) { y = Pad(x, p) }", p=ints(1, 1, 1)).shape("y") == "[_]"


SPANS = [(1, 2), (-1, 2), (-1, -1), (2, -1), (-2, 3), (0, 0), (3, 3), (5, 1), (-4, 0), (0, -2), (-5, 2), (-3, -3)]


@pytest.mark.parametrize("size", [0, 1, 2, 4])
@pytest.mark.parametrize("mode", ["constant", "edge", "reflect", "wrap"])
def test_every_mode_folds_to_what_the_judge_gives_or_declines(mode: str, size: int) -> None:
    folded = 0
    for span in SPANS:
        found = fold("Pad", [ramp(size) + 1, ints(*span)], mode=mode)
        if found is not None:
            np.testing.assert_array_equal(found, compute("Pad", [ramp(size) + 1, ints(*span)], mode=mode)[0])
            folded += 1
    assert folded >= (1 if size or mode == "constant" else 0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, np.int32, np.int8, np.uint8, bool])
def test_constant_fills_of_every_type(dtype: type) -> None:
    assert_folds("Pad", [ramp(2, 2, dtype=dtype), ints(1, 0, 0, 1)])
    assert_folds("Pad", [ramp(2, 2, dtype=dtype), ints(1, 0, 0, 1), np.array(1, dtype)])


def test_the_value_of_version_2() -> None:
    assert_folds("Pad", [ramp(2, 2)], opset=10, pads=[1, 0, 0, 1], value=2.5)
    assert_folds("Pad", [ramp(3, 3)], opset=10, pads=[1, 0, 0, 1], mode="reflect")


def test_pad_declines_an_unknown_mode_and_a_fill_of_another_type() -> None:
    assert fold("Pad", [ramp(2), ints(1, 1)], mode="bounce") is None
    assert fold("Pad", [ramp(2), ints(1, 1), np.array(1, np.int64)]) is None
    assert fold("Pad", [ramp(2), ints(1, 1, 1)]) is None


@pytest.mark.parametrize(
    ("pads", "fill", "expected"),
    [((1, 2), 7, "[7, N, M, 7, 7]"), ((-1, 0), 7, "[M]"), ((0, 0), 7, "[N, M]"), ((0, 1), None, "[N, M, 0]")],
)
def test_tracked_elements_are_padded(pads: tuple[int, int], fill: int | None, expected: str) -> None:
    call = "h, p" if fill is None else "h, p, f"
    text = f"g (float[N,M] x) => (int64[] y) {{ h = Shape(x) y = Pad({call}) }}"
    found = judge(text, {"x": ramp(2, 3)}, p=ints(*pads), **({} if fill is None else {"f": np.array(fill)}))
    assert found.data("y") == expected


def test_tracked_elements_are_dropped_under_other_modes() -> None:
    text = 'g (float[N,M] x) => (int64[] y) { h = Shape(x) y = Pad<mode="edge">(h, p) }'
    assert judge(text, {"x": ramp(2, 3)}, p=ints(1, 0)).data("y") == "?"


# --- CenterCropPad ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("target", [(2, 5), (5, 2), (4, 4), (3, 3), (0, 1), (7, 6)])
def test_the_middle_is_kept(target: tuple[int, int]) -> None:
    assert_folds("CenterCropPad", [ramp(4, 3), ints(*target)])
    found = judge("g (float[N,3] x) => (float[] y) { y = CenterCropPad(x, s) }", {"x": ramp(4, 3)}, s=ints(*target))
    assert found.shape("y") == f"[{target[0]}, {target[1]}]"


def test_only_the_axes_named_are_cropped() -> None:
    text = "g (float[N,3] x) => (float[] y) { y = CenterCropPad<axes=[-1]>(x, s) }"
    assert judge(text, {"x": ramp(2, 3)}, s=ints(6)).shape("y") == "[N, 6]"
    assert facts("g (float[N,3] x, int64[2] s) => (float[] y) { y = CenterCropPad(x, s) }").shape("y") == "[_, _]"


def test_center_crop_pad_declines_a_target_that_does_not_fit() -> None:
    assert fold("CenterCropPad", [ramp(2, 3), ints(1)]) is None
    assert fold("CenterCropPad", [ramp(2, 3), ints(1, -1)]) is None
