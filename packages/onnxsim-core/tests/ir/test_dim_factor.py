"""Exact division: the quotients Reshape's -1 needs, and what has none."""

from __future__ import annotations

import pytest

from onnxsim_core.ir.dim_factor import cancel, content, exact_div, peel
from onnxsim_core.ir.dims import Size, SymbolTable, minimum

TABLE = SymbolTable()
b, s, n = (TABLE.named(name) for name in ("b", "s", "n"))


@pytest.mark.parametrize(
    ("a", "divisor", "quotient"),
    [
        (12, 4, 3),
        (-12, 4, -3),
        (0, s, 0),
        (b * s * 768, 768, b * s),
        (b * s * 768, b * 768, s),
        (b * s * 768, s * b * 12, 64),
        (b * s + 2 * s, s, b + 2),
        ((b + 1) * (s + 2), s + 2, b + 1),
        ((b + 1) * (s + 2) * 3, (b + 1) * 3, s + 2),
        (b * b - s * s, b - s, b + s),
        (4 * s + 8, 4, s + 2),
        (4 * s + 8, 2 * s + 4, 2),
        (6 * (n // 2) * b, 3 * (n // 2), 2 * b),
        (minimum(b, s) * n, n, minimum(b, s)),
    ],
)
def test_exact_div_finds_the_quotient(a: Size, divisor: Size, quotient: Size) -> None:
    assert exact_div(a, divisor) == quotient


@pytest.mark.parametrize(
    ("a", "divisor"),
    [
        (12, 5),
        (12, 0),
        (s, 0),
        (0, 0),
        (12, s),
        (s, 2),
        (2 * s + 1, 2),
        (b, s),
        (b * s + 1, s),
        (b * s, b * s * n),
        (2 * b * s, 3 * s),
        (b * b + 1, b + 1),
        (n // 2, n),
    ],
)
def test_exact_div_declines_when_there_is_no_quotient(a: Size, divisor: Size) -> None:
    assert exact_div(a, divisor) is None


def test_content_is_the_integer_all_coefficients_share() -> None:
    assert content(4 * s + 6 * b - 8) == 2
    assert content(s + 3) == 1
    assert content(-12) == 12


def test_cancel_removes_shared_integers_and_symbols() -> None:
    assert cancel(6 * b * s, 4 * s * n) == (3 * b, 2 * n)
    assert cancel(b * s + s, s * n) == (b + 1, n)
    assert cancel(6 * b, 4) == (3 * b, 2)


def test_cancel_leaves_sizes_that_share_nothing() -> None:
    assert cancel(b + 1, s) == (b + 1, s)
    assert cancel(b * s, n) == (b * s, n)


def test_peel_takes_out_multiples_of_the_divisor() -> None:
    assert peel(b * s + 5 * s + n, s) == (b + 5, n)
    assert peel(7 * s + 1, 3 * s) == (2, s + 1)
    assert peel(b * (s + 1) + n, s + 1) == (b, n)


def test_peel_leaves_a_longer_divisor_that_would_lengthen_the_rest() -> None:
    assert peel(n + b, n + 1) == (0, n + b)
    assert peel(5, s) == (0, 5)
