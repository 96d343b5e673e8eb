"""Comparing what two models gave for one output."""

from __future__ import annotations

from typing import Any

import numpy as np

from .result import Mismatch

EXACT_KINDS = "biuOSU"


def compare(name: str, run: int, expected: Any, actual: Any, *, rtol: float, atol: float) -> Mismatch | None:
    """None when equal within `atol * scale + rtol * |expected|`, scale being the largest finite magnitude, at least 1.

    Integers, booleans and strings must be equal; NaN equals NaN; infinities must agree in place and sign.
    """
    if isinstance(expected, (list, tuple)) or isinstance(actual, (list, tuple)):
        return _compare_sequences(name, run, expected, actual, rtol, atol)
    if expected is None or actual is None:
        return None if expected is actual else Mismatch(name, run, "one side is an empty optional")
    if isinstance(expected, dict):
        return None if expected == actual else Mismatch(name, run, "maps differ")
    a, b = np.asarray(expected), np.asarray(actual)
    if a.dtype != b.dtype:
        return Mismatch(name, run, f"dtype {b.dtype} instead of {a.dtype}")
    if a.shape != b.shape:
        return Mismatch(name, run, f"shape {list(b.shape)} instead of {list(a.shape)}")
    if a.dtype.kind in EXACT_KINDS:
        wrong = int((a != b).sum())
        return Mismatch(name, run, f"{wrong} of {a.size} elements differ") if wrong else None
    return _compare_floats(name, run, a, b, rtol, atol)


def _compare_sequences(name: str, run: int, expected: Any, actual: Any, rtol: float, atol: float) -> Mismatch | None:
    if type(expected) is not type(actual) or len(expected) != len(actual):
        return Mismatch(name, run, "the sequences differ in length")
    for x, y in zip(expected, actual, strict=True):
        found = compare(name, run, x, y, rtol=rtol, atol=atol)
        if found is not None:
            return found
    return None


def _compare_floats(name: str, run: int, a: Any, b: Any, rtol: float, atol: float) -> Mismatch | None:
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    x, y = a.astype(wide), b.astype(wide)
    finite = np.isfinite(x)
    same_special = (np.isnan(x) == np.isnan(y)) & (finite == np.isfinite(y)) & (finite | np.isnan(x) | (x == y))
    if not same_special.all():
        return Mismatch(name, run, f"{int((~same_special).sum())} of {a.size} elements differ in being finite")
    x, y = x[finite], y[finite]
    if not x.size:
        return None
    magnitude = np.abs(x)
    difference = np.abs(x - y)
    scale = max(1.0, float(magnitude.max()))
    wrong = difference > atol * scale + rtol * magnitude
    if not wrong.any():
        return None
    biggest = float(difference.max())
    return Mismatch(name, run, f"{int(wrong.sum())} of {a.size} elements are outside the tolerance", biggest,
                    biggest / (float(magnitude.max()) or 1.0))
