import numpy as np
import pytest

from onnxsim_testkit import assert_same_outputs, assert_same_value, model

X = {"x": np.float32([1, -2, 1e4])}


def unary(op, name="y"):
    return model(f"g (float[3] x) => (float[3] {name}) {{ {name} = {op}(x) }}")


def test_equal_models_pass_bit_for_bit():
    assert_same_outputs(unary("Abs"), unary("Abs"), X, rtol=0, atol=0)


def test_another_value_fails_and_says_where():
    with pytest.raises(AssertionError, match=r"y\[1\]: .*-2.0.*, expected .*2.0.*; 1 elements differ"):
        assert_same_outputs(unary("Abs"), unary("Identity"), X, rtol=0, atol=0)


def test_another_output_name_fails():
    with pytest.raises(AssertionError, match=r"output names \['z'\], expected \['y'\]"):
        assert_same_outputs(unary("Abs"), unary("Abs", "z"), X, rtol=1, atol=1)


def test_zero_has_a_sign_and_nan_equals_nan():
    assert_same_value(np.float32([np.nan, -0.0]), np.float32([np.nan, -0.0]), rtol=0, atol=0)
    with pytest.raises(AssertionError, match="1 elements differ"):
        assert_same_value(np.float32([0.0]), np.float32([-0.0]), rtol=0, atol=0)


def test_atol_scales_with_the_output_and_rtol_with_the_element():
    expected = np.float32([0, 1000])

    assert_same_value(np.float32([0.009, 1000]), expected, rtol=0, atol=1e-5)
    with pytest.raises(AssertionError):
        assert_same_value(np.float32([0.011, 1000]), expected, rtol=0, atol=1e-5)
    assert_same_value(np.float32([0, 1000.9]), expected, rtol=1e-3, atol=0)
    with pytest.raises(AssertionError):
        assert_same_value(np.float32([0.1, 1000]), expected, rtol=1e-3, atol=0)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        (np.int64([1, 2]), np.int64([1, 3])),
        (np.float32([1]), np.float64([1])),
        (np.float32([[1]]), np.float32([1])),
        (None, np.float32([1])),
        ([np.float32([1])], [np.float32([1]), np.float32([2])]),
        ([np.float32([1])], [np.float32([2])]),
        (np.array(["a"], object), np.array(["b"], object)),
        (np.float32([np.inf]), np.float32([-np.inf])),
        (np.complex64([1 + 1j]), np.complex64([1 - 1j])),
    ],
)
def test_what_must_never_pass(actual, expected):
    with pytest.raises(AssertionError):
        assert_same_value(actual, expected, rtol=1e-1, atol=1e-3)
