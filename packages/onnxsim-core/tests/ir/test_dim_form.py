"""Normal form: what is equal, how it prints, where it stops growing."""

from __future__ import annotations

import pytest

from onnxsim_core.ir import dim_form, dims
from onnxsim_core.ir.dims import Size, SymbolTable

TABLE = SymbolTable()
n, m, k = (TABLE.named(name) for name in ("n", "m", "k"))
value = TABLE.fresh("value", nonneg=False)


def test_equal_expressions_have_one_form_and_one_hash() -> None:
    left, right = (n + m) * (n - m), n * n - m * m
    assert left == right
    assert hash(left) == hash(right)
    assert {left: 1}[right] == 1
    assert n * 2 + 0 == n + n
    assert n + 1 != n
    assert n != m


def test_what_cancels_becomes_a_plain_int() -> None:
    for constant, expected in ((n - n, 0), (n * 0, 0), (n + 3 - n, 3), ((n + 1) * m - m * n - m + 2, 2)):
        assert type(constant) is int
        assert constant == expected


def test_a_symbol_is_never_equal_to_a_number() -> None:
    assert n != 1
    assert 1 not in (n, n + 1)


def test_a_symbol_has_no_truth_value_number_or_order() -> None:
    with pytest.raises(TypeError, match="no truth value"):
        bool(n)
    with pytest.raises(TypeError):
        int(n)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        range(n)  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        n < 3  # type: ignore[operator]  # noqa: B015


def test_operators_accept_numbers_on_either_side() -> None:
    assert 1 + n == n + 1
    assert 1 - n == -(n - 1)
    assert 2 * n == n * 2
    assert (7 * n) // 7 == n
    assert 0 // n == 0
    assert n % 4 == dims.mod(n, 4)


def test_is_symbol_is_for_a_bare_symbol_only() -> None:
    assert n.is_symbol
    assert n.name == "n"
    for expression in (n + 1, 2 * n, n * m, n * n, n // 2):
        assert isinstance(expression, dims.Dim)
        assert not expression.is_symbol
        assert expression.name is None


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (n * m, "n*m"),
        (2 * m + 1, "2*m + 1"),
        (1 - n, "-n + 1"),
        (n * n - 3 * m - 4, "n^2 - 3*m - 4"),
        (n // 2, "floor(n/2)"),
        ((n + 1) // 2, "floor((n + 1)/2)"),
        (n // m, "floor(n/m)"),
        (n // (m + 1), "floor(n/(m + 1))"),
        (n * m // 3, "floor(n*m/3)"),
        (dims.truncdiv(value - 1, 2), "trunc((_value0 - 1)/2)"),
        (dims.minimum(n, 5), "min(n, 5)"),
        (7, "7"),
    ],
)
def test_prints_as_arithmetic(size: Size, text: str) -> None:
    assert str(size) == text


def test_a_name_that_is_no_identifier_is_quoted_inside_an_expression() -> None:
    odd = TABLE.named("past + 1")
    assert str(odd) == "past + 1"
    assert str(2 * odd) == "2*'past + 1'"
    assert str(2 * TABLE.named("images.0")) == "2*images.0"
    assert repr(odd) == "Dim(past + 1)"


def test_a_sum_past_the_limit_is_one_atom_equal_to_itself() -> None:
    table = SymbolTable()
    many = [table.fresh() for _ in range(dim_form.MAX_TERMS + 1)]
    left, right = dims.total(many[:-1]), many[-1]
    assert isinstance(left, dims.Dim)
    assert len(left.terms) == dim_form.MAX_TERMS
    whole = dims.add(left, right)
    assert isinstance(whole, dims.Dim)
    assert len(whole.terms) == 1
    assert whole == dims.add(right, left)
    assert dims.add(left + 2, right + 3) == whole + 5
    assert dims.is_nonneg(whole)
    assert dims.evaluate(whole, {one.name or "": 2 for one in many}) == 2 * len(many)


def test_a_product_past_the_limit_is_one_atom_equal_to_itself() -> None:
    table = SymbolTable()
    many = [table.fresh() for _ in range(dim_form.MAX_DEGREE)]
    full = dims.product(many)
    assert isinstance(full, dims.Dim)
    assert len(full.terms[0][0]) == dim_form.MAX_DEGREE
    past = dims.mul(full, n)
    assert isinstance(past, dims.Dim)
    assert len(past.terms[0][0]) == 1
    assert past == dims.mul(n, full)
    assert dims.is_nonneg(past)


def test_a_product_of_long_sums_is_one_atom() -> None:
    table = SymbolTable()
    left, right = (dims.total([table.fresh() for _ in range(20)]) for _ in range(2))
    wide = dims.mul(left, right)
    assert isinstance(wide, dims.Dim)
    assert len(wide.terms) == 1
    assert wide == dims.mul(right, left)
    assert dims.evaluate(wide, {one.name or "": 1 for one in dims.symbols(wide)}) == 400


def test_bounds_of_powers_and_products_with_unknown_sign() -> None:
    small = dim_form.of_atom(dim_form.Symbol("small", -3, 2))
    assert dim_form.interval(dims.mul(small, small)) == (0, 9)
    assert dim_form.interval(dims.mul(dims.mul(small, small), small)) == (-27, 8)
    other = dim_form.of_atom(dim_form.Symbol("other", -5, 4))
    assert dim_form.interval(dims.mul(small, other)) == (-12, 15)
    assert dim_form.interval(dims.mul(value, value)) == (0, None)
    assert dim_form.interval(dims.mul(n, value)) == (None, None)
    assert dim_form.interval(5 - 2 * small) == (1, 11)
    assert dim_form.interval(n * m + 1) == (1, None)
    assert dim_form.interval(2 * dims.minimum(value, 7)) == (None, 14)


def test_an_atom_dies_with_the_last_size_that_uses_it() -> None:
    size = (n + 12345) // 777
    key = ("floor", (n + 12345 - 777 * 15, 777))
    assert key in dim_form._interned
    del size
    assert key not in dim_form._interned
