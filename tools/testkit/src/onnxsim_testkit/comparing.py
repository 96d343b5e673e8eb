"""Comparing what two models, or two runs, gave."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .running import ModelLike, run


def assert_same_outputs(a: ModelLike, b: ModelLike, feeds: Mapping[str, Any], *, rtol: float, atol: float) -> None:
    """Assert that two models give the same outputs: names, order, types, shapes and values.

    `rtol=0, atol=0` asks for the same bits (any NaN equals any NaN, -0.0 is not 0.0). Otherwise floats may differ by
    `atol * s + rtol * |expected|`, where `s` is the largest finite magnitude of the expected output, at least 1;
    integers, booleans and strings must be equal always.
    """
    expected, actual = run(a, feeds), run(b, feeds)
    assert list(actual) == list(expected), f"output names {list(actual)}, expected {list(expected)}"
    for name, value in expected.items():
        assert_same_value(actual[name], value, rtol=rtol, atol=atol, where=name)


def assert_same_value(actual: Any, expected: Any, *, rtol: float, atol: float, where: str = "value") -> None:
    """Assert that two values (arrays, sequences of them, or None) agree; the bounds are those of the function above."""
    if expected is None or actual is None:
        assert actual is None and expected is None, f"{where}: {actual!r}, expected {expected!r}"
    elif isinstance(expected, list):
        assert isinstance(actual, list) and len(actual) == len(expected), f"{where}: {actual!r}, expected {expected!r}"
        for index, (left, right) in enumerate(zip(actual, expected, strict=True)):
            assert_same_value(left, right, rtol=rtol, atol=atol, where=f"{where}[{index}]")
    elif isinstance(expected, dict):
        assert isinstance(actual, dict) and list(actual) == list(expected), f"{where}: other keys"
        for key in expected:
            assert_same_value(actual[key], expected[key], rtol=rtol, atol=atol, where=f"{where}[{key!r}]")
    else:
        _assert_same_array(np.asarray(actual), np.asarray(expected), rtol, atol, where)


def _assert_same_array(actual: np.ndarray, expected: np.ndarray, rtol: float, atol: float, where: str) -> None:
    assert actual.dtype == expected.dtype, f"{where}: type {actual.dtype}, expected {expected.dtype}"
    assert actual.shape == expected.shape, f"{where}: shape {actual.shape}, expected {expected.shape}"
    if _is_exact_type(expected.dtype):
        np.testing.assert_array_equal(actual, expected, err_msg=where)
        return
    if rtol == 0 and atol == 0:
        assert _same_bits(actual, expected), _first_difference(actual, expected, where)
        return
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    left, right = actual.astype(wide), expected.astype(wide)
    finite = np.abs(right[np.isfinite(right)])
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    np.testing.assert_allclose(left, right, rtol=rtol, atol=atol * scale, equal_nan=True, err_msg=where)


def _is_exact_type(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biuOSU" or (dtype.kind == "V" and "int" in dtype.name)


def _same_bits(actual: np.ndarray, expected: np.ndarray) -> bool:
    return not _differs(actual, expected).any()


def _differs(actual: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Where two arrays of one type differ in value or in the sign of a zero; NaN equals NaN."""
    if expected.dtype.kind == "c":
        return np.asarray(_differs(actual.real, expected.real) | _differs(actual.imag, expected.imag))
    left, right = actual.astype(np.float64), expected.astype(np.float64)
    same = ((left == right) & (np.signbit(left) == np.signbit(right))) | (np.isnan(left) & np.isnan(right))
    return np.asarray(~same)


def _first_difference(actual: np.ndarray, expected: np.ndarray, where: str) -> str:
    places = np.argwhere(_differs(actual, expected))
    index = tuple(int(i) for i in places[0])
    return f"{where}{list(index)}: {actual[index]!r}, expected {expected[index]!r}; {len(places)} elements differ"
