import pytest

from onnxsim_core.ir.dims import SymbolTable, symbol
from onnxsim_core.profile.cost import Sum
from onnxsim_core.report.quantity import Quantity, bytes_text, count_text, counted, density_of, density_text


@pytest.mark.parametrize(("number", "text"), [
    (0, "0"), (999, "999"), (1000, "1.0K"), (13_800, "13.8K"), (1_500_000, "1.5M"), (999_960, "1.0M"), (-2000, "-2.0K"),
])
def test_counts(number, text):
    assert count_text(number) == text


@pytest.mark.parametrize(("number", "text"), [
    (0, "0B"), (1023, "1023B"), (1024, "1.0KiB"), (1229, "1.2KiB"), (5 << 20, "5.0MiB"), ((1 << 20) - 1, "1.0MiB"),
])
def test_bytes(number, text):
    assert bytes_text(number) == text


def test_one_and_many():
    assert (counted(1, "node"), counted(2, "node")) == ("1 node", "2 nodes")


def test_formulas_have_readable_factors():
    n, m = symbol("n"), symbol("m")

    assert str(Quantity(n * 27648)) == "27.6K*n"
    assert str(Quantity(n * n + n * m * 2000 - n + 5)) in ("n^2 + 2.0K*n*m - n + 5", "2.0K*n*m + n^2 - n + 5")
    assert str(Quantity(n * 2048 + 1024, is_bytes=True)) == "2.0KiB*n + 1.0KiB"
    assert str(Quantity(n, is_bytes=True)) == "1B*n"


def test_a_long_formula_keeps_the_terms_that_grow_fastest():
    a, b, c = symbol("a"), symbol("b"), symbol("c")
    text = Quantity(a * b * c + a * b * 1000 + c * 7).text(20)

    assert text == "a*b*c + 1.0K*a*b" or text == "a*b*c + ..." and len(text) <= 20
    assert Quantity(symbol("a_very_long_name_of_a_dimension") * 3).text(20) == "3*a_very_long_nam..."


def test_what_is_not_known_is_said():
    n = symbol("n")

    assert str(Quantity(0, complete=False)) == "unknown"
    assert str(Quantity(5, complete=False)) == "5 + ?"
    assert str(Quantity(n, complete=False)) == "n + ?"
    assert Quantity(0, complete=False).data() is None
    assert (Quantity(5).data(), Quantity(n * 2).data()) == (5, "2*n")


def test_sizes_without_a_name_are_left_out_as_unknown():
    table = SymbolTable()
    n, nameless = table.named("n"), table.fresh()

    assert str(Quantity.of(Sum(n * 3 + nameless), table)) == "3*n + ?"
    assert str(Quantity.of(Sum(n * 3), table)) == "3*n"
    assert not Quantity.of(Sum(4, complete=False), table).complete


def test_only_what_is_certain_is_less():
    n = symbol("n")

    assert Quantity(1).known_less(Quantity(2)) and not Quantity(2).known_less(Quantity(2))
    assert Quantity(n).known_less(Quantity(n + 1)) and not Quantity(n).known_less(Quantity(n * 2))  # n may be 0
    assert not Quantity(1, complete=False).known_less(Quantity(2))


def test_density():
    assert density_text(Quantity(46), Quantity(20)) == "2.30 FLOP/Byte"
    assert density_of(Quantity(1), Quantity(0)) == 0.0
    assert density_text(Quantity(symbol("n")), Quantity(20)) == "unknown"
    assert density_of(Quantity(1, complete=False), Quantity(2)) is None
