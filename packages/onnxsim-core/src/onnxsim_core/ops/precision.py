"""The precision a kernel computes in: onnxruntime widens 16-bit floats to float32 and rounds the result back."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = Any


def is_bfloat16(dtype: np.dtype[Any]) -> bool:
    """bfloat16 is a type of ml_dtypes, opaque to numpy."""
    return dtype.kind == "V" and dtype.name == "bfloat16"


def is_real(dtype: np.dtype[Any]) -> bool:
    """float16, float32, float64 or bfloat16: the floats that arithmetic is defined on."""
    # float8_e5m2 calls itself a float too.
    return dtype.kind == "f" and dtype.itemsize > 1 or is_bfloat16(dtype)


def widened(array: Array) -> Array | None:
    """A real array in float32 or float64; None for any other type."""
    if not is_real(array.dtype):
        return None
    return array.astype(np.float32) if array.dtype.itemsize == 2 else array


def finest(array: Array) -> Array:
    """Numbers with more digits than results of this type keep, so that rounding the result is all its error.

    Extended precision for doubles and integers: numpy's own float64 functions are an ulp off in many places where the
    release has vector code for the processor. Where `longdouble` is float64, they are those of the C library.
    """
    wide = array.dtype.itemsize == 8 or array.dtype.kind in "iu"
    return array.astype(np.longdouble if wide else np.float64)


def narrowed(array: Array, dtype: np.dtype[Any]) -> Array:
    """A result rounded to the type it has in the model, as an array even at rank 0."""
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(dtype, copy=False)


def ties_signed_zeros(a: Array, b: Array) -> bool:
    """Do a zero and a negative zero meet? Which of them max and min give is left to the implementation."""
    both = (a == 0) & (b == 0)
    return bool(both.any()) and bool((both & (np.signbit(a) != np.signbit(b))).any())
