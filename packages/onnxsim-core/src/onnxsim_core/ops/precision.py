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


def narrowed(array: Array, dtype: np.dtype[Any]) -> Array:
    """A result rounded to the type it has in the model, as an array even at rank 0."""
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(dtype, copy=False)


def ties_signed_zeros(a: Array, b: Array) -> bool:
    """Do a zero and a negative zero meet? Which of them max and min give is left to the implementation."""
    both = (a == 0) & (b == 0)
    return bool(both.any()) and bool((both & (np.signbit(a) != np.signbit(b))).any())
