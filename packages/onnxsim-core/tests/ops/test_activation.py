"""Kernels of activations against the judge."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ops.one_node import assert_folds, compute, floats, fold, integers

FLOATS = [np.float16, np.float32]
CALLS: list[tuple[str, dict[str, Any]]] = [
    ("LeakyRelu", {}),
    ("LeakyRelu", {"alpha": 0.3}),
    ("LeakyRelu", {"alpha": -2.0}),
    ("ThresholdedRelu", {}),
    ("ThresholdedRelu", {"alpha": 0.5}),
    ("ThresholdedRelu", {"alpha": -1.0}),
    ("HardSigmoid", {}),
    ("HardSigmoid", {"alpha": 0.3, "beta": 0.4}),
    ("Shrink", {}),
    ("Shrink", {"bias": 0.5, "lambd": 0.75}),
    ("HardSwish", {}),
]


@pytest.mark.parametrize(("op_type", "attributes"), CALLS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_piecewise_linear_activations_give_the_judges_bits(
    op_type: str, attributes: dict[str, Any], dtype: type
) -> None:
    assert_folds(op_type, [floats(dtype)], **attributes)


@pytest.mark.parametrize("dtype", FLOATS)
def test_softsign_is_within_one_ulp(dtype: type) -> None:
    assert_folds("Softsign", [floats(dtype)], ulps=1)


@pytest.mark.parametrize("dtype", [*FLOATS, np.float64])
def test_relu_keeps_nan_and_negative_zero(dtype: type) -> None:
    x = floats(dtype)
    assert_folds("Relu", [x])
    assert np.signbit(fold("Relu", [np.array([-0.0], dtype)])).tolist() == [True]


@pytest.mark.parametrize("dtype", [np.int8, np.int32])
def test_relu_of_integers(dtype: type) -> None:
    assert_folds("Relu", [integers(dtype)])


@pytest.mark.parametrize("slope", [np.array([0.25]), np.array([[0.1], [-2.0], [0.0]]), np.array(0.5)])
@pytest.mark.parametrize("dtype", FLOATS)
def test_prelu_stretches_the_slope(slope: np.ndarray, dtype: type) -> None:
    assert_folds("PRelu", [floats(dtype)[:3000].reshape(2, 3, 500), slope.astype(dtype)])


def test_prelu_declines_a_slope_that_would_stretch_the_input() -> None:
    x = np.ones((3, 1), np.float32)
    assert fold("PRelu", [x, np.ones(2, np.float32)]) is None
    assert fold("PRelu", [x, np.ones((2, 3, 1), np.float32)]) is None
    assert fold("PRelu", [x, np.ones(1)]) is None
    assert fold("PRelu", [np.ones((2, 3), np.float32), np.ones(2, np.float32)]) is None


@pytest.mark.parametrize("dtype", [*FLOATS, np.float64])
@pytest.mark.parametrize(
    ("low", "high"), [(-1, 1), (0, 6), (2, 1), (-0.0, None), (None, 0), (None, None), (np.inf, None)]
)
def test_clip_by_inputs(dtype: type, low: float | None, high: float | None) -> None:
    bounds = [None if bound is None else np.array(bound, dtype) for bound in (low, high)]
    assert_folds("Clip", [floats(dtype), *bounds])


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int32, np.int64, np.uint64])
def test_clip_of_integers(dtype: type) -> None:
    assert_folds("Clip", [integers(dtype), np.array(2, dtype), np.array(100, dtype)])
    assert_folds("Clip", [integers(dtype), None, np.array(5, dtype)])
    assert_folds("Clip", [integers(dtype), np.array(9, dtype), np.array(5, dtype)])


def test_clip_by_attributes() -> None:
    for attributes in ({"min": -0.5, "max": 0.1}, {"min": 0.0}, {"max": 6.0}, {}):
        assert_folds("Clip", [floats(np.float32)], opset=9, **attributes)


def test_clip_declines_what_it_cannot_tell() -> None:
    x = np.ones(2, np.float32)
    assert fold("Clip", [x, np.array(np.nan, np.float32)]) is None
    assert fold("Clip", [x, np.array([0.0, 1.0], np.float32)]) is None
    assert fold("Clip", [x.astype(ml_dtypes.bfloat16), np.array(0, ml_dtypes.bfloat16)]) is None
    assert fold("Clip", [np.array([True])]) is None


def test_clip_of_bfloat16_with_both_bounds() -> None:
    low, high = np.array(0, ml_dtypes.bfloat16), np.array(6, ml_dtypes.bfloat16)
    found = fold("Clip", [np.array([-1.0, 2.5, 9.0], ml_dtypes.bfloat16), low, high])
    assert found.dtype == ml_dtypes.bfloat16 and found.tolist() == [0.0, 2.5, 6.0]


@pytest.mark.parametrize("op_type", ["Relu", "LeakyRelu", "Shrink"])
def test_other_types_are_left_to_the_runtime(op_type: str) -> None:
    assert fold(op_type, [np.ones(2, ml_dtypes.float8_e4m3fn)]) is None


def test_rank_zero_stays_an_array() -> None:
    for op_type in ("Relu", "LeakyRelu", "HardSwish", "Clip"):
        assert_folds(op_type, [np.array(-2.25, np.float32)])
    assert compute("Relu", [np.array(-2.25, np.float32)])[0].shape == ()
