"""Quotients and remainders: what leaves the rounding, what joins, what must stay."""

from __future__ import annotations

import pytest

from onnxsim_core.ir.dims import (
    Size,
    SymbolTable,
    ceildiv,
    exact_div,
    floordiv,
    minimum,
    mod,
    mul,
    truncdiv,
)

TABLE = SymbolTable()
n, m, k = (TABLE.named(name) for name in ("n", "m", "k"))
value = TABLE.fresh(nonneg=False)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (floordiv(6 * n, 3), 2 * n),
        (floordiv(4 * n * m, 2 * n), 2 * m),
        (floordiv(n + 8 * m, 8), n // 8 + m),
        (floordiv(n + m * k, k), n // k + m),
        (floordiv(6 * n + 3, 4 * m), floordiv(6 * n + 3, 4 * m)),
        (floordiv(6 * n, 4), floordiv(3 * n, 2)),
        (floordiv(6 * n + 5, 4), floordiv(3 * n + 2, 2)),
        (floordiv(n // 2, 3), n // 6),
        (floordiv(n // m, k), n // (m * k)),
        (floordiv((n - 1) // 2 + 2, 2), (n + 3) // 4),
        (floordiv(n, -2), floordiv(-n, 2)),
        (floordiv(n, -m), floordiv(-n, m)),
        (floordiv(mod(n, 4), 4), 0),
        (floordiv(n, n + 1), 0),
        (floordiv(n, n), 1),
        (floordiv(0, n), 0),
        (floordiv(value, 1), value),
        (-floordiv(-n, 2), (n + 1) // 2),
        (-floordiv(-n, 3), (n + 2) // 3),
        (-floordiv(-n, m), ceildiv(n, m)),
        (ceildiv(n, 2), (n + 1) // 2),
        (ceildiv(8 * n, 8), n),
        (floordiv(minimum(2 * n, 2 * m), 2), minimum(n, m)),
    ],
)
def test_equal_quotients_have_one_form(found: Size, expected: Size) -> None:
    assert found == expected


def test_floordiv_stays_when_nothing_is_exact() -> None:
    assert str(floordiv(n, 2)) == "floor(n/2)"
    assert str(floordiv(n, m)) == "floor(n/m)"
    assert floordiv(2 * (n // 2), 1) != n
    # floor(n/5) is 0 only below 5, floor(n/(m+1)) only below m + 1.
    assert floordiv(n, 5) != 0
    assert floordiv(n, m + 1) != 0
    # Nested floors join only for a positive outer divisor.
    assert str(floordiv(floordiv(n, 2), value)) == f"floor(floor(n/2)/{value})"


def test_conv_and_pool_chains_join_into_one_floor() -> None:
    size: Size = n
    for _ in range(3):
        size = floordiv(size + 2 * 1 - 3, 2) + 1
    assert str(size) == "floor((n + 7)/8)"


def test_truncdiv_is_floordiv_where_no_operand_is_negative() -> None:
    assert truncdiv(n, 2) == n // 2
    assert truncdiv(n, m) == n // m
    assert truncdiv(-n, 2) == -(n // 2)
    assert truncdiv(n, -2) == -(n // 2)
    assert truncdiv(-n, -2) == n // 2


def test_truncdiv_keeps_its_own_rounding_for_a_possibly_negative_operand() -> None:
    assert truncdiv(n - 1, 2) != floordiv(n - 1, 2)
    assert truncdiv(value, 2) != floordiv(value, 2)
    assert truncdiv(value + 2, 2) != truncdiv(value, 2) + 1
    assert truncdiv(n, value) != floordiv(n, value)


def test_truncdiv_simplifies_what_needs_no_rounding() -> None:
    assert truncdiv(6 * value, 3) == 2 * value
    assert truncdiv(6 * value, 4) == truncdiv(3 * value, 2)
    assert truncdiv(2 * value * m, 3 * m) == truncdiv(2 * value, 3)
    assert truncdiv(truncdiv(value, 2), 3) == truncdiv(value, 6)
    assert truncdiv(-value, 2) == -truncdiv(value, 2)
    assert truncdiv(minimum(value, 0), 2) == -floordiv(-minimum(value, 0), 2)


def test_remainders() -> None:
    assert mod(8 * n, 8) == 0
    assert mod(8 * n + 3, 8) == 3
    assert mod(n + 8 * m, 8) == mod(n, 8)
    assert mod(n * m, n) == 0
    assert mod(mod(n, 8), 4) == mod(n, 4)
    assert mod(mod(n, 8), 8) == mod(n, 8)
    assert mod(2 * n, 4) == 2 * mod(n, 2)
    assert mod(n, n + 1) == n
    assert mod(n, 8, fmod=True) == mod(n, 8)
    assert mod(-n, 8, fmod=True) == -mod(n, 8)
    assert mod(n, -8, fmod=True) == mod(n, 8)


def test_remainders_of_a_possibly_negative_value_depend_on_the_sign_rule() -> None:
    assert mod(value, 8) != mod(value, 8, fmod=True)
    assert mod(n, 8) != n
    assert mod(n, -8) == -mod(-n, 8)


def test_quotient_and_remainder_add_up() -> None:
    assert floordiv(n, 6) * 6 + mod(n, 6) == n
    assert mul(floordiv(n, m), m) + mod(n, m) == n
    assert mul(truncdiv(value, 6), 6) + mod(value, 6, fmod=True) == value


def test_padding_to_a_multiple_divides_exactly() -> None:
    window = 8
    pad = mod(window - mod(n, window), window)
    assert str(exact_div(n + pad, window)) == "floor((n + 7)/8)"


@pytest.mark.parametrize("divide", [floordiv, ceildiv, truncdiv, mod])
def test_the_constant_zero_divides_nothing(divide: object) -> None:
    for a in (n, 5):
        with pytest.raises(ZeroDivisionError):
            divide(a, 0)  # type: ignore[operator]
