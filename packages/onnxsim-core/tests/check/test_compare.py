"""What counts as equal: by hand-made values on both sides of every bound."""

import numpy as np
import pytest

from onnxsim_core.check.compare import compare

NAN, INF = float("nan"), float("inf")


def found(expected, actual, *, rtol=0.0, atol=0.0):
    return compare("y", 3, expected, actual, rtol=rtol, atol=atol)


def f32(*numbers):
    return np.array(numbers, np.float32)


def test_specials_agree_in_place_and_sign():
    assert found(f32(NAN, INF, -INF, 1), f32(NAN, INF, -INF, 1)) is None
    assert found(f32(-0.0), f32(0.0)) is None
    for actual in (f32(1, 2), f32(INF, 2), f32(NAN, NAN)):
        mismatch = found(f32(NAN, 2), actual, rtol=1e9, atol=1e9)
        assert mismatch is not None and mismatch.reason == "1 of 2 elements differ in being finite"
    assert found(f32(INF), f32(-INF)) is not None


def test_the_absolute_tolerance_grows_with_the_largest_magnitude_and_never_shrinks():
    assert found(f32(0, 1000), f32(0.5, 1000), atol=1e-3) is None
    assert found(f32(0, 100), f32(0.5, 100), atol=1e-3) is not None
    assert found(f32(0.001), f32(0.0015), atol=1e-3) is None
    assert found(f32(INF, 0), f32(INF, 0.5), atol=1e-3) is not None


def test_the_relative_tolerance_is_that_of_each_element():
    assert found(f32(1, 100), f32(1, 100.5), rtol=0.01) is None
    assert found(f32(1, 100), f32(1.5, 100), rtol=0.01) is not None


def test_a_mismatch_says_where_and_how_much():
    mismatch = found(f32(1, 2, 4), f32(1, 2.5, 3), rtol=0.01, atol=0.0)

    assert (mismatch.output, mismatch.run) == ("y", 3)
    assert mismatch.reason == "2 of 3 elements are outside the tolerance"
    assert (mismatch.max_abs, mismatch.max_rel) == (1.0, 0.25)


@pytest.mark.parametrize(
    ("expected", "actual", "reason"),
    [
        (np.zeros(2, np.float32), np.zeros(2, np.float64), "dtype float64 instead of float32"),
        (np.zeros((2, 1), np.float32), np.zeros(2, np.float32), "shape [2] instead of [2, 1]"),
        (np.zeros((0, 3), np.float32), np.zeros((3, 0), np.float32), "shape [3, 0] instead of [0, 3]"),
        (np.array([1, 2, 3]), np.array([1, 2, 4]), "1 of 3 elements differ"),
        (np.array([True, False]), np.array([False, True]), "2 of 2 elements differ"),
        (np.array(["a", "b"], object), np.array(["a", "c"], object), "1 of 2 elements differ"),
        ([f32(1)], [f32(1), f32(1)], "the sequences differ in length"),
        ([f32(1)], f32(1), "the sequences differ in length"),
        ([f32(1), f32(2)], [f32(1), f32(3)], "1 of 1 elements are outside the tolerance"),
        (None, f32(1), "one side is an empty optional"),
        ({"a": 1}, {"a": 2}, "maps differ"),
    ],
)
def test_what_differs_whatever_the_tolerance_for_floats(expected, actual, reason):
    assert found(expected, actual, rtol=0.1).reason == reason


@pytest.mark.parametrize("value", [None, {"a": 1}, [], [f32(1), f32(NAN)], np.zeros((0, 3), np.float32), np.int64(3)])
def test_a_value_equals_itself(value):
    assert found(value, value) is None


def test_complex_numbers_are_compared_as_such():
    assert found(np.array([1 + 1j], np.complex64), np.array([1 - 1j], np.complex64)).max_abs == 2.0
    assert found(np.array([1 + 1j], np.complex64), np.array([1 + 1.001j], np.complex64), rtol=0.01) is None
