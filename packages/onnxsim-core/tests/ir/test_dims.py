"""Symbolic sizes against Python's integers, sympy and numpy."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from onnxsim_core.ir import dim_form, dims
from onnxsim_core.ir.dims import Dim, Size, SymbolTable

TABLE = SymbolTable()
SIZES = {name: TABLE.named(name) for name in ("n", "m", "k")}
VALUE = TABLE.fresh("value", nonneg=False)
LEAVES = [*SIZES.values(), VALUE]


def c_div(a: int, b: int) -> int:
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


ARITHMETIC: dict[str, tuple[Callable[..., Size], Callable[[int, int], int]]] = {
    "add": (dims.add, lambda a, b: a + b),
    "sub": (dims.sub, lambda a, b: a - b),
    "mul": (dims.mul, lambda a, b: a * b),
}
EVERYTHING = ARITHMETIC | {
    "floordiv": (dims.floordiv, lambda a, b: a // b),
    "ceildiv": (dims.ceildiv, lambda a, b: -(-a // b)),
    "truncdiv": (dims.truncdiv, c_div),
    "mod": (dims.mod, lambda a, b: a % b),
    "fmod": (lambda a, b: dims.mod(a, b, fmod=True), lambda a, b: a - b * c_div(a, b)),
    "minimum": (dims.minimum, min),
    "maximum": (dims.maximum, max),
}


def trees(operations: dict[str, Any], max_leaves: int = 8) -> st.SearchStrategy[Any]:
    """Nested (operation, left, right) over symbols and small integers."""
    leaves = st.one_of(st.sampled_from(LEAVES), st.integers(-6, 9))
    return st.recursive(
        leaves, lambda inner: st.tuples(st.sampled_from(sorted(operations)), inner, inner), max_leaves=max_leaves
    )


def as_size(tree: Any) -> Size:
    if not isinstance(tree, tuple):
        return tree
    return EVERYTHING[tree[0]][0](as_size(tree[1]), as_size(tree[2]))


def as_number(tree: Any, values: dict[str, int]) -> int:
    if isinstance(tree, Dim):
        return values[str(tree)]
    if not isinstance(tree, tuple):
        return tree
    return EVERYTHING[tree[0]][1](as_number(tree[1], values), as_number(tree[2], values))


ASSIGNMENTS = st.fixed_dictionaries({name: st.integers(0, 40) for name in SIZES} | {str(VALUE): st.integers(-30, 30)})
MANY = st.lists(ASSIGNMENTS, min_size=6, max_size=6)
thorough = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def size_or_reject(tree: Any) -> Size:
    """The size of a tree that never divides by the constant 0."""
    try:
        return as_size(tree)
    except ZeroDivisionError:
        assume(False)
        raise


def numbers(tree: Any, assignments: list[dict[str, int]]) -> list[tuple[dict[str, int], int]]:
    """The assignments under which the tree divides by no zero, and its value there."""
    found = []
    for values in assignments:
        try:
            found.append((values, as_number(tree, values)))
        except ZeroDivisionError:
            continue
    return found


@thorough
@given(trees(EVERYTHING), MANY)
def test_every_operation_agrees_with_python_integers(tree: Any, assignments: list[dict[str, int]]) -> None:
    size = size_or_reject(tree)
    for values, expected in numbers(tree, assignments):
        assert dims.evaluate(size, values) == expected


@thorough
@given(trees(EVERYTHING, 16), MANY, st.integers(1, 4), st.integers(1, 4))
def test_expressions_past_the_growth_limits_keep_their_value(
    tree: Any, assignments: list[dict[str, int]], max_terms: int, max_degree: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(dim_form, "MAX_TERMS", max_terms)
        patch.setattr(dim_form, "MAX_DEGREE", max_degree)
        patch.setattr(dim_form, "MAX_PRODUCTS", 4)
        patch.setattr(dims, "MAX_OPERANDS", 2)
        size = size_or_reject(tree)
        for values, expected in numbers(tree, assignments):
            assert dims.evaluate(size, values) == expected
            lower = dims.lower_bound(size)
            assert lower is None or lower <= expected


@thorough
@given(trees(EVERYTHING), MANY)
def test_bounds_hold_for_every_value(tree: Any, assignments: list[dict[str, int]]) -> None:
    size = size_or_reject(tree)
    lower, upper = dims.lower_bound(size), dims.upper_bound(size)
    for _, value in numbers(tree, assignments):
        assert lower is None or lower <= value
        assert upper is None or value <= upper
        assert value >= 0 or not dims.is_nonneg(size)
        assert value >= 1 or not dims.is_positive(size)
        assert value <= 0 or not dims.is_nonpos(size)


@thorough
@given(trees(EVERYTHING, 5), trees(EVERYTHING, 5), MANY)
def test_known_equal_and_known_different_hold_for_every_value(
    left: Any, right: Any, assignments: list[dict[str, int]]
) -> None:
    a, b = size_or_reject(left), size_or_reject(right)
    equal, different = dims.known_equal(a, b), dims.known_different(a, b)
    assert not (equal and different)
    for values, number in numbers(left, assignments):
        for _, other in numbers(right, [values]):
            assert number == other or not equal
            assert number != other or not different


@thorough
@given(trees(EVERYTHING, 5), trees(EVERYTHING, 4))
def test_exact_div_gives_back_a_factor_and_nothing_else(left: Any, right: Any) -> None:
    a, b = size_or_reject(left), size_or_reject(right)
    quotient = dims.exact_div(a, b)
    assert quotient is None or dims.mul(quotient, b) == a
    if b != 0:
        assert dims.exact_div(dims.mul(a, b), b) == a


@thorough
@given(trees(EVERYTHING, 6), trees(EVERYTHING, 4), MANY)
def test_substitute_puts_an_expression_in_place_of_a_symbol(
    tree: Any, inner: Any, assignments: list[dict[str, int]]
) -> None:
    # The replacement has to respect what is known of the symbol: VALUE may be any integer.
    size, replacement = size_or_reject(tree), size_or_reject(inner)
    try:
        replaced = dims.substitute(size, {VALUE: replacement})
    except ZeroDivisionError:
        assume(False)
        raise
    for values, number in numbers(inner, assignments):
        for _, expected in numbers(tree, [values | {str(VALUE): number}]):
            assert dims.evaluate(replaced, values) == expected


def to_sympy(tree: Any) -> Any:
    if isinstance(tree, Dim):
        return sympy.Symbol(str(tree))
    if not isinstance(tree, tuple):
        return sympy.Integer(tree)
    left, right = to_sympy(tree[1]), to_sympy(tree[2])
    return {"add": left + right, "sub": left - right, "mul": left * right}[tree[0]]


@settings(max_examples=150, deadline=None)
@given(trees(ARITHMETIC), trees(ARITHMETIC))
def test_normal_form_of_polynomials_is_equal_exactly_when_sympy_expands_to_the_same(left: Any, right: Any) -> None:
    a, b = as_size(left), as_size(right)
    assert (a == b) == (sympy.expand(to_sympy(left) - to_sympy(right)) == 0)
    assert sympy.expand(sympy.sympify(str(a).replace("^", "**")) - to_sympy(left)) == 0
    assert (type(a) is int) == (sympy.expand(to_sympy(left)).is_Integer is True)


@settings(max_examples=150, deadline=None)
@given(trees(ARITHMETIC, 5), trees(ARITHMETIC, 3), st.booleans())
def test_exact_div_of_polynomials_finds_what_sympy_finds(left: Any, right: Any, multiply: bool) -> None:
    a, b = as_size(left), as_size(right)
    assume(b != 0)
    if multiply:
        a = dims.mul(a, b)
    over, under = (sympy.expand(sympy.sympify(str(size).replace("^", "**"))) for size in (a, b))
    generators = sorted(over.free_symbols | under.free_symbols, key=str) or [sympy.Symbol("n")]
    quotient, rest = sympy.div(over, under, *generators, domain="QQ")
    whole = rest == 0 and all(c.is_Integer for c in sympy.Poly(quotient, *generators).coeffs())
    found = dims.exact_div(a, b)
    assert (found is not None) == whole
    if whole:
        assert sympy.expand(sympy.sympify(str(found).replace("^", "**")) - quotient) == 0


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([1, 1, 2, 4, "n", "m", "k"]), min_size=2, max_size=6), st.data())
def test_broadcast_agrees_with_numpy_in_any_grouping(axes: list[Any], data: st.DataObject) -> None:
    values = {name: data.draw(st.sampled_from([0, 1, 1, 2, 4])) for name in SIZES}
    actual = [values.get(axis, axis) for axis in axes]
    try:
        expected = np.broadcast_shapes(*[(size,) for size in actual])[0]
    except ValueError:
        assume(False)
        raise
    pending: list[Size] = [SIZES.get(axis, axis) for axis in axes]
    while len(pending) > 1:
        left = pending.pop(data.draw(st.integers(0, len(pending) - 1)))
        right = pending.pop(data.draw(st.integers(0, len(pending) - 1)))
        joined = dims.broadcast(left, right)
        assert joined is not None
        pending.append(joined)
    assert dims.evaluate(pending[0], values) == expected


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(LEAVES[:3] + [5, 0]), min_size=2, max_size=5), st.randoms(), st.booleans())
def test_minimum_and_maximum_do_not_depend_on_order(sizes: list[Size], random: Any, smallest: bool) -> None:
    pick = dims.minimum if smallest else dims.maximum

    def fold(items: list[Size]) -> Size:
        result = items[0]
        for item in items[1:]:
            result = pick(result, item)
        return result

    shuffled = list(sizes)
    random.shuffle(shuffled)
    assert fold(shuffled) == fold(sizes)


n, m, k = SIZES.values()


def test_integers_stay_integers() -> None:
    results = [f(17, 5) for f, _ in EVERYTHING.values()] + [dims.product([2, 3, 4]), dims.total([2, 3, 4])]
    assert [type(result) for result in results] == [int] * len(results)
    assert dims.product([]) == 1
    assert dims.total([]) == 0


def test_product_and_total_mix_numbers_and_symbols() -> None:
    assert dims.product([n, 3, m, 2]) == 6 * n * m
    assert dims.total([n, 3, m, n]) == 2 * n + m + 3


def test_minimum_takes_the_operand_that_is_provably_smaller() -> None:
    assert dims.minimum(n, n + 1) == n
    assert dims.minimum(n, -3) == -3
    assert dims.minimum(n, n // 2) == n // 2
    assert dims.minimum(dims.maximum(n - 1, 0), n) == dims.maximum(n - 1, 0)
    assert dims.maximum(dims.minimum(n, m), n) == n
    assert dims.maximum(n, 0) == n


def test_minimum_keeps_both_operands_when_neither_is_provably_smaller() -> None:
    assert str(dims.minimum(n, 5)) == "min(n, 5)"
    assert str(dims.maximum(n, m)) == "max(n, m)"
    assert dims.maximum(VALUE, 0) != VALUE
    # n*m >= n fails at m == 0.
    assert dims.minimum(n, n * m) not in (n, n * m)


def test_minimum_and_maximum_of_shifted_scaled_and_negated_operands_agree() -> None:
    assert dims.minimum(n + 1, 6) == dims.minimum(n, 5) + 1
    assert dims.minimum(2 * n, 2 * m) == 2 * dims.minimum(n, m)
    assert dims.minimum(5 - n, 0) == 5 - dims.maximum(n, 5)
    assert dims.minimum(-dims.maximum(n, m), -k) == -dims.maximum(n, dims.maximum(m, k))


def test_min_of_more_operands_than_the_limit_keeps_its_value() -> None:
    table = SymbolTable()
    many = [table.fresh() for _ in range(3 * dims.MAX_OPERANDS)]
    size: Size = many[0]
    for one in many[1:]:
        size = dims.minimum(size, one)
    assert dims.symbols(size) == set(many)
    assert dims.evaluate(size, {one.name or "": 50 - index for index, one in enumerate(many)}) == 50 - len(many) + 1


def test_broadcast_of_known_sizes() -> None:
    assert dims.broadcast(4, 4) == 4
    assert dims.broadcast(1, 4) == 4
    assert dims.broadcast(4, 1) == 4
    assert dims.broadcast(0, 1) == 0
    assert dims.broadcast(n, 1) == n
    assert dims.broadcast(1, n) == n
    assert dims.broadcast(n, n) == n


def test_broadcast_with_a_size_other_than_one_takes_that_size() -> None:
    assert dims.broadcast(n, 8) == 8
    assert dims.broadcast(8, n) == 8
    assert dims.broadcast(n, 0) == 0
    assert dims.broadcast(n + 2, m) == n + 2
    assert dims.broadcast(dims.broadcast(n, m), 3) == 3
    assert dims.broadcast(2 * n, m) == 2 * n
    assert dims.broadcast(n + 2, 4) == dims.broadcast(4, n + 2) == 4
    assert dims.broadcast(n + 2, m + 2) == dims.broadcast(m + 2, n + 2)


def test_broadcast_with_what_was_cut_off_it_is_the_whole() -> None:
    for whole in (n, 2 * n + m, dims.minimum(n, m)):
        for limit in (1, 6):
            assert dims.broadcast(whole, dims.minimum(whole, limit)) == whole
            assert dims.broadcast(dims.minimum(limit, whole), whole) == whole
    # min(n, 0) is 0 and broadcasts with n = 1 to 0.
    assert dims.broadcast(n, dims.minimum(n, 0)) == 0
    assert dims.broadcast(n, dims.minimum(m, 6)) not in (n, m)


def test_broadcast_of_sizes_that_provably_clash_is_none() -> None:
    assert dims.broadcast(2, 3) is None
    assert dims.broadcast(0, 2) is None
    assert dims.broadcast(n + 5, 4) is None
    assert dims.broadcast(2 * n, 3) is None
    assert dims.broadcast(n + 2, n + 3) is None


def test_broadcast_of_two_unknown_sizes_is_one_atom_in_any_order() -> None:
    both = dims.broadcast(n, m)
    assert both == dims.broadcast(m, n)
    assert str(both) == "broadcast(n, m)"
    assert both is not None
    assert dims.broadcast(both, n) == both
    assert dims.broadcast(dims.broadcast(k, m), n) == dims.broadcast(both, k)
    # n + 1 may still be 1, so nothing is decided.
    assert dims.broadcast(n + 1, m) not in (n + 1, m)


def test_evaluate_reports_sizes_that_do_not_broadcast() -> None:
    both = dims.broadcast(n, m)
    assert both is not None
    with pytest.raises(ValueError, match="sizes 2 and 3 do not broadcast"):
        dims.evaluate(both, {"n": 2, "m": 3})


def test_evaluate_needs_every_symbol() -> None:
    with pytest.raises(KeyError, match="m"):
        dims.evaluate(n + m, {"n": 2})


def test_substitute_leaves_other_symbols_and_integers() -> None:
    assert dims.substitute(7, {n: 3}) == 7
    assert dims.substitute(n * m + k // 2, {n: 3}) == 3 * m + k // 2
    assert dims.substitute((n + 1) // 2, {n: 2 * m + 1}) == m + 1
    assert dims.substitute(n - m, {n: m, m: n}) == m - n
    assert dims.substitute(n * n, {n: m + 1}) == m * m + 2 * m + 1


def test_symbols_looks_inside_atoms() -> None:
    assert dims.symbols(dims.minimum((n + 1) // 2, m) * k) == {n, m, k}
    assert dims.symbols(3) == set()


def test_a_table_has_one_symbol_per_name() -> None:
    table = SymbolTable()
    assert table.named("batch") == table.named("batch")
    assert table.named("batch") != table.named("seq")
    assert table.named("batch") != SymbolTable().named("batch")
    assert "batch" in table
    assert "other" not in table
    assert table.get("batch") == table.named("batch")
    assert table.get("other") is None


def test_fresh_names_collide_with_no_other() -> None:
    table = SymbolTable()
    table.named("_s0")
    first, second = table.fresh(), table.fresh("count")
    assert first.name != "_s0"
    assert (second.name or "").startswith("_count")
    assert first != second
    assert table.get(first.name or "") == first
    old_name = first.name or ""
    late = table.named(old_name)
    assert late != first
    assert first.name not in (old_name, second.name)
    assert table.get(first.name or "") == first


def test_only_a_fresh_value_may_be_negative() -> None:
    table = SymbolTable()
    assert dims.is_nonneg(table.named("n"))
    assert dims.is_nonneg(table.fresh())
    assert not dims.is_nonneg(table.fresh(nonneg=False))
    assert not dims.is_nonneg(dims.symbol("x", nonneg=False))


def test_parse_takes_the_whole_text_as_one_name() -> None:
    table = SymbolTable()
    past = dims.parse("past_sequence_length + 1", table)
    assert past.is_symbol
    assert past == table.named("past_sequence_length + 1")
    assert past != table.named("past_sequence_length") + 1
    assert str(past) == "past_sequence_length + 1"
    assert dims.parse("3", table).is_symbol
    assert dims.parse("", table) != dims.parse("", table)


@pytest.mark.parametrize("text", ["", "?", "*", "-1", "None", "unk", "unknown"])
def test_parse_takes_no_two_placeholders_for_one_size(text: str) -> None:
    table = SymbolTable()
    found = dims.parse(text, table)
    assert table.is_anonymous(found)
    assert dims.parse(text, table) != found


def test_a_copy_of_a_size_is_the_same_size() -> None:
    assert copy.deepcopy([n])[0] == n
    assert copy.copy(n // 2) == n // 2


def test_long_chains_neither_recurse_nor_explode() -> None:
    table = SymbolTable()
    start: Size = table.named("n")
    # Each step uses its input twice: written out, the last one has 2**1500 parts.
    size = start
    for _ in range(1500):
        size = dims.floordiv(dims.add(dims.mul(size, size), size), 3)
    assert dims.is_nonneg(size)
    assert dims.evaluate(size, {"n": 2}) == 2
    assert len(str(size)) < 500
    assert dims.substitute(size, {table.named("n"): 2}) == 2
