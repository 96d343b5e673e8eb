"""What can be proven about a symbolic size: bounds, equality, difference. Every answer is sound, none complete.

Divisors are taken to be non-zero: the model would fail where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import gcd

from .dim_form import Dim, Opaque, Size, Symbol, add, atoms_of, exact_div, interval, mul, sub, term

# Steps one proof may take through floor, min and max atoms; keeps the cost of a hopeless proof bounded.
PROOF_STEPS = 24


def lower_bound(a: Size) -> int | None:
    """A provable lower bound of `a`, or None."""
    if not isinstance(a, Dim):
        return a
    if a._lower is None:
        a._lower = (_lower(a, [PROOF_STEPS]),)
    return a._lower[0]


def upper_bound(a: Size) -> int | None:
    """A provable upper bound of `a`, or None."""
    if not isinstance(a, Dim):
        return a
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
    if not isinstance(a, Dim) and not isinstance(b, Dim):
        return False
    difference = sub(a, b)
    if not isinstance(difference, Dim):
        return difference == 0
    # Two different polynomials in symbols alone differ somewhere; only opaque atoms can hide an equality.
    if all(type(atom) is Symbol for atom in atoms_of(difference)):
        return False
    return is_nonneg(difference) and is_nonpos(difference)


def known_different(a: Size, b: Size) -> bool:
    """True only if a != b whatever the symbols are."""
    difference = sub(a, b)
    if not isinstance(difference, Dim):
        return difference != 0
    if difference.const % gcd(*[coefficient for _, coefficient in difference.terms]):
        return True
    return is_positive(difference) or is_positive(mul(difference, -1))


def _lower(a: Size, steps: list[int]) -> int | None:
    if not isinstance(a, Dim):
        return a
    best = interval(a)[0]
    if steps[0] <= 0:
        return best
    for scale, weaker in _weaken(a):
        steps[0] -= 1
        bound = _lower(weaker, steps)
        if bound is not None:
            bound = -(-bound // scale)
            best = bound if best is None or bound > best else best
    return best


def _weaken(a: Dim) -> Iterator[tuple[int, Size]]:
    """Pairs (k, e) with k * a >= e and k > 0, where e has lost the newest floor, min or max atom of `a`."""
    newest: tuple[int, int, Opaque] | None = None
    for index, (monomial, _) in enumerate(a.terms):
        for atom, power in monomial:
            if power == 1 and type(atom) is Opaque and atom.kind in ("floor", "min", "max"):
                if newest is None or atom.uid > newest[1]:
                    newest = index, atom.uid, atom
    if newest is None:
        return
    index, _, atom = newest
    monomial, coefficient = a.terms[index]
    others: Size = Dim(a.terms[:index] + a.terms[index + 1 :], a.const) if len(a.terms) > 1 else a.const
    factor = term(tuple([item for item in monomial if item[0] is not atom]), coefficient)
    if atom.kind == "floor":
        yield from _weaken_floor(atom, factor, others)
    else:
        lo, hi = interval(factor)
        if (lo is not None and lo >= 0) if atom.kind == "max" else (hi is not None and hi <= 0):
            for arg in atom.args:
                yield 1, add(others, mul(factor, arg))
    lo, hi = interval(factor)
    if lo is not None and lo >= 0 and atom.lo is not None:
        yield 1, add(others, mul(factor, atom.lo))
    elif hi is not None and hi <= 0 and atom.hi is not None:
        yield 1, add(others, mul(factor, atom.hi))


def _weaken_floor(atom: Opaque, factor: Size, others: Size) -> Iterator[tuple[int, Size]]:
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
        yield scale, add(mul(others, scale), mul(factor, over))
    elif lo is not None and lo >= 0:
        yield scale, add(mul(others, scale), mul(factor, add(sub(over, under), 1)))
