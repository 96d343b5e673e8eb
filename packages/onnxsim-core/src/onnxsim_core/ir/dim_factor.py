"""Exact division of polynomial sizes, and the factors two of them share."""

from __future__ import annotations

from math import gcd

from .dim_form import MAX_TERMS, Dim, Monomial, Size, add, mul, sub, term


def monomial_quotient(a: Monomial, b: Monomial) -> Monomial | None:
    """a / b, or None when b does not divide a."""
    powers = dict(a)
    for atom, power in b:
        left = powers.get(atom, 0) - power
        if left < 0:
            return None
        powers[atom] = left
    return tuple([item for item in powers.items() if item[1]])


def exact_div(a: Size, b: Size) -> Size | None:
    """The q with q * b == a identically, or None when there is none (or b is 0)."""
    if not isinstance(b, Dim):
        if b == 0:
            return None
        if not isinstance(a, Dim):
            return a // b if a % b == 0 else None
        if a.const % b or any(coefficient % b for _, coefficient in a.terms):
            return None
        return Dim(tuple([(monomial, coefficient // b) for monomial, coefficient in a.terms]), a.const // b)
    if not isinstance(a, Dim):
        return 0 if a == 0 else None
    if a == b:
        return 1
    lead, lead_coefficient = b.terms[0]
    quotient: Size = 0
    rest: Size = a
    for _ in range(2 * MAX_TERMS):
        if not isinstance(rest, Dim):
            break
        monomial = monomial_quotient(rest.terms[0][0], lead)
        if monomial is None or rest.terms[0][1] % lead_coefficient:
            return None
        step = term(monomial, rest.terms[0][1] // lead_coefficient)
        quotient = add(quotient, step)
        rest = sub(rest, mul(step, b))
    return quotient if type(rest) is int and rest == 0 else None


def content(a: Size) -> int:
    """Greatest common divisor of all coefficients of `a`, the constant included."""
    return gcd(a.const, *[coefficient for _, coefficient in a.terms]) if isinstance(a, Dim) else abs(a)


def cancel(a: Size, b: Size) -> tuple[Size, Size]:
    """a and b without the integer and the monomial factor they share; the factor is non-zero because b is."""
    common = gcd(content(a), content(b))
    if common > 1:
        a, b = without(a, common), without(b, common)
    if not isinstance(a, Dim) or not isinstance(b, Dim) or a.const or b.const:
        return a, b
    shared = dict(b.terms[0][0])
    for monomial, _ in a.terms + b.terms[1:]:
        powers = dict(monomial)
        shared = {atom: min(power, powers[atom]) for atom, power in shared.items() if atom in powers}
        if not shared:
            return a, b
    factor = term(tuple(shared.items()), 1)
    return without(a, factor), without(b, factor)


def without(a: Size, factor: Size) -> Size:
    """a / factor for a factor that is known to divide a."""
    quotient = exact_div(a, factor)
    assert quotient is not None
    return quotient


def peel(a: Size, b: Dim) -> tuple[Size, Size]:
    """q and r with a == q*b + r, where b has a positive leading coefficient.

    A multiple of a single-term b is always taken out, one of a longer b only if that leaves fewer terms.
    """
    lead, lead_coefficient = b.terms[0]
    is_term = len(b.terms) == 1 and not b.const
    whole: Size = 0
    rest = a
    for monomial, coefficient in a.terms if isinstance(a, Dim) else ():
        quotient = monomial_quotient(monomial, lead)
        if quotient is not None and abs(coefficient) >= lead_coefficient:
            step = term(quotient, coefficient // lead_coefficient)
            fewer = sub(rest, mul(step, b))
            if is_term or _length(fewer) < _length(rest):
                whole, rest = add(whole, step), fewer
    return whole, rest


def _length(a: Size) -> int:
    return len(a.terms) + (a.const != 0) if isinstance(a, Dim) else int(a != 0)
