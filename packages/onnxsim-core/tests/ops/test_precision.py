"""Which arrays kernels compute with, and in which width."""

import warnings

import ml_dtypes
import numpy as np
import pytest

from onnxsim_core.ops.precision import finest, is_bfloat16, is_real, narrowed, ties_signed_zeros, widened

REAL = [(np.float16, np.float32), (ml_dtypes.bfloat16, np.float32), (np.float32, np.float32), (np.float64, np.float64)]
OTHER = [
    np.int32,
    np.uint8,
    np.bool_,
    np.complex64,
    ml_dtypes.float8_e5m2,
    ml_dtypes.float8_e4m3fn,
    ml_dtypes.int4,
    object,
]


@pytest.mark.parametrize(("dtype", "wide"), REAL)
def test_real_numbers_are_computed_in_at_least_32_bits(dtype: type, wide: type) -> None:
    x = np.ones(2, dtype)
    assert is_real(x.dtype)
    found = widened(x)
    assert found is not None and found.dtype == wide


@pytest.mark.parametrize("dtype", OTHER)
def test_other_types_are_not_ours(dtype: type) -> None:
    x = np.zeros(2, dtype)
    assert not is_real(x.dtype)
    assert widened(x) is None
    assert not is_bfloat16(x.dtype)


def test_narrowing_rounds_to_nearest_even_without_a_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = narrowed(np.array([2049.0, 2051.0, 1e6], np.float32), np.dtype(np.float16))
    assert found.tolist() == [2048.0, 2052.0, np.inf]
    assert isinstance(narrowed(np.float32(1.5), np.dtype(np.float32)), np.ndarray)


def test_zeros_of_different_sign() -> None:
    zero, negative, one = np.array([0.0, 1.0]), np.array([-0.0, 1.0]), np.array([1.0, -0.0])
    assert ties_signed_zeros(zero, negative)
    assert not ties_signed_zeros(zero, zero)
    assert not ties_signed_zeros(zero, one)


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16, np.float32, np.float64, np.int32, np.int64, np.uint8])
def test_the_finest_type_holds_every_number_and_more_digits(dtype: type) -> None:
    x = np.array([1, 2, 100], dtype)
    found = finest(x)
    assert found.tolist() == [1, 2, 100]
    wanted = np.float64 if dtype in (np.float16, ml_dtypes.bfloat16, np.float32) else np.longdouble
    assert found.dtype == wanted
