"""What can be proven about a symbolic size: bounds, equality, difference. Every answer is sound, none complete.

Divisors are taken to be non-zero and broadcast sizes to fit: the model would fail where they do not.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from .dim_factor import exact_div
from .dim_form import Dim, Opaque, Size, Symbol, add, atoms_of, interval, mul, sub, term

# Steps one proof may take through opaque atoms; keeps the cost of a hopeless proof bounded.
PROOF_STEPS = 24
_PICKS = ("broadcast", "max", "min")


def lower_bound(a: Size) -> int | None:
    """A provable lower bound of `a`, or None."""
    if not isinstance(a, Dim):
        return a
    if _is_polynomial(a):
        return interval(a)[0]
    if a._lower is None:
        a._lower = (_lower(a, [PROOF_STEPS]),)
    return a._lower[0]


def upper_bound(a: Size) -> int | None:
    """A provable upper bound of `a`, or None."""
    if not isinstance(a, Dim):
        return a
    if _is_polynomial(a):
        return interval(a)[1]
    bound = lower_bound(mul(a, -1))
    return None if bound is None else -bound


def is_nonneg(a: Size) -> bool:
    """True only if a >= 0 whatever the symbols are."""
    bound = lower_bound(a)
    return bound is not None and bound >= 0


def is_positive(a: Size) -> bool:
    """True only if a >= 1 whatever the symbols are."""
    bound = lower_bound(a)
    return bound is not None and bound >= 1


def is_nonpos(a: Size) -> bool:
    """True only if a <= 0 whatever the symbols are."""
    bound = upper_bound(a)
    return bound is not None and bound <= 0


def known_equal(a: Size, b: Size) -> bool:
    """True only if a == b whatever the symbols are."""
    if a == b:
        return True
    difference = sub(a, b)
    # Two different polynomials in symbols alone differ somewhere; only opaque atoms can hide an equality.
    if not isinstance(difference, Dim) or _is_polynomial(difference):
        return difference == 0
    return is_nonneg(difference) and is_nonpos(difference)


def known_different(a: Size, b: Size) -> bool:
    """True only if a != b whatever the symbols are."""
    difference = sub(a, b)
    if not isinstance(difference, Dim):
        return difference != 0
    if difference.const % gcd(*[coefficient for _, coefficient in difference.terms]):
        return True
    if is_positive(difference):
        return True
    bound = upper_bound(difference)
    return bound is not None and bound < 0


def _is_polynomial(a: Dim) -> bool:
    """Whether `a` has symbols only, so that there is nothing to take apart."""
    for atom in atoms_of(a):
        if type(atom) is not Symbol:
            return False
    return True


def _lower(a: Size, steps: list[int]) -> int | None:
    if not isinstance(a, Dim):
        return a
    best = interval(a)[0]
    if steps[0] <= 0:
        return best
    for scale, cases in _weaken(a):
        steps[0] -= len(cases)
        bounds = [bound for case in cases if (bound := _lower(case, steps)) is not None]
        if len(bounds) == len(cases):
            bound = -(-min(bounds) // scale)
            best = bound if best is None or bound > best else best
    return best


def _weaken(a: Dim) -> Iterator[tuple[int, list[Size]]]:
    """Pairs (k, cases): k > 0 and k * a >= at least one of the cases, which lack one occurrence of a's newest atom."""
    newest: Opaque | None = None
    index = 0
    for position, (monomial, _) in enumerate(a.terms):
        for atom, power in monomial:
            if power == 1 and type(atom) is Opaque and (newest is None or atom.uid > newest.uid):
                newest, index = atom, position
    if newest is None:
        return
    monomial, coefficient = a.terms[index]
    rest = a.terms[:index] + a.terms[index + 1 :]
    others: Size = Dim(rest, a.const) if rest else a.const
    factor = term(tuple([item for item in monomial if item[0] is not newest]), coefficient)
    lo, hi = interval(factor)
    sign = 1 if lo is not None and lo >= 0 else -1 if hi is not None and hi <= 0 else 0
    if newest.kind in _PICKS:
        cases = [add(others, mul(factor, arg)) for arg in newest.args]
        if (newest.kind, sign) in (("max", 1), ("min", -1)):
            yield from [(1, [case]) for case in cases]
        else:
            yield 1, cases
    elif newest.kind == "floor":
        yield from _weaken_floor(newest, factor, others)
    if sign > 0 and newest.lo is not None:
        yield 1, [add(others, mul(factor, newest.lo))]
    elif sign < 0 and newest.hi is not None:
        yield 1, [add(others, mul(factor, newest.hi))]


def _weaken_floor(atom: Opaque, factor: Size, others: Size) -> Iterator[tuple[int, list[Size]]]:
    """Use x - y + 1 <= y * floor(x / y) <= x for y > 0."""
    over, under = atom.args
    scale = 1
    if isinstance(under, Dim):
        quotient = exact_div(factor, under)
        if quotient is None or not is_nonneg(under):
            return
        factor = quotient
    else:
        scale = under
    lo, hi = interval(factor)
    if hi is not None and hi <= 0:
        yield scale, [add(mul(others, scale), mul(factor, over))]
    elif lo is not None and lo >= 0:
        yield scale, [add(mul(others, scale), mul(factor, add(sub(over, under), 1)))]
