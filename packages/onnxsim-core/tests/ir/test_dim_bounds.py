"""Proofs about sizes: what is found, and what must not be claimed."""

from __future__ import annotations

import pytest

from onnxsim_core.ir.dim_bounds import (
    is_nonneg,
    is_nonpos,
    is_positive,
    known_different,
    known_equal,
    lower_bound,
    upper_bound,
)
from onnxsim_core.ir.dims import Size, SymbolTable, broadcast, ceildiv, maximum, minimum, mod, truncdiv

TABLE = SymbolTable()
n, m = TABLE.named("n"), TABLE.named("m")
value = TABLE.fresh(nonneg=False)


def broadcast_size(a: Size, b: Size) -> Size:
    found = broadcast(a, b)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("size", "lower", "upper"),
    [
        (5, 5, 5),
        (n + 3, 3, None),
        (3 - n, None, 3),
        (n - m, None, None),
        (n * m + 2 * n, 0, None),
        (value, None, None),
        (value * value, 0, None),
        (n - n // 2, 0, None),
        (n - 3 * (n // 3), 0, 2),
        (mod(n, 8), 0, 7),
        (mod(value, 8), 0, 7),
        (n - m * (n // m), 0, None),
        (m * (n // m) - n, None, 0),
        (minimum(n, 5), 0, 5),
        (maximum(n, 5), 5, None),
        (n - minimum(n, m), 0, None),
        (maximum(n, m) - m, 0, None),
        (n - maximum(n - 1, 0), 0, 1),
        (minimum(value, 3), None, 3),
        (broadcast_size(n + 1, m) + 2, 2, None),
        (value * (n // value) - n, None, None),
        (truncdiv(n - 5, 2), -2, None),
        (truncdiv(n - 4, 2), -2, None),
        (truncdiv(minimum(value, 7), 2), None, 3),
        (2 * ((n + 1) // 2) - n, 0, 1),
    ],
)
def test_bounds(size: Size, lower: int | None, upper: int | None) -> None:
    assert (lower_bound(size), upper_bound(size)) == (lower, upper)


def test_signs_are_claimed_only_when_proven() -> None:
    assert is_nonneg(n)
    assert not is_positive(n)
    assert is_positive(n + 1)
    assert is_nonpos(-n)
    assert not is_nonpos(n)
    assert not is_nonneg(n - 1)
    assert not is_nonneg(n - m)
    # The quotient of an unknown sign can be anything.
    assert lower_bound(n // value) is None
    assert is_nonneg(0)
    assert not is_positive(0)
    assert is_nonpos(0)


def test_known_equal_sees_through_rounding() -> None:
    assert known_equal(n, n)
    assert known_equal(4, 4)
    assert known_equal(n - n // 2, (n + 1) // 2)
    assert known_equal(n - minimum(n // 2, n), (n + 1) // 2)
    assert known_equal(ceildiv(n, 4) * 4 - n, mod(-n, 4))


def test_known_equal_declines_what_may_differ() -> None:
    assert not known_equal(4, 5)
    assert not known_equal(n, m)
    assert not known_equal(n, 4)
    assert not known_equal(n, n + 1)
    assert not known_equal(2 * (n // 2), n)
    assert not known_equal(broadcast_size(n, m), n)


def test_known_different_by_range_and_by_parity() -> None:
    assert known_different(4, 5)
    assert known_different(n, n + 1)
    assert known_different(n + 5, 4)
    assert known_different(n, -1)
    assert known_different(2 * n, 2 * m + 1)
    assert known_different(n // 2, n + 1)


def test_known_different_declines_what_may_agree() -> None:
    assert not known_different(4, 4)
    assert not known_different(n, m)
    assert not known_different(n, 4)
    assert not known_different(n, 2 * n)
    assert not known_different(n // 2, n)
    assert not known_different(value, -1)
    assert not known_different(2 * n, 2 * m + 4)
