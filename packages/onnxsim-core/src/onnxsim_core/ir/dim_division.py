"""Division of symbolic sizes with each rounding, and remainders."""

from __future__ import annotations

from math import gcd

from .dim_bounds import is_nonneg, is_nonpos, is_positive
from .dim_factor import cancel, exact_div, peel
from .dim_form import Dim, Opaque, Range, Size, Term, add, interval, leads_negative, mul, neg, opaque, sub


def floordiv(a: Size, b: Size) -> Size:
    """floor(a / b), Python's //.

    Raises:
        ZeroDivisionError: b is the int 0.
    """
    if type(a) is int and type(b) is int:
        return a // b
    if isinstance(b, Dim):
        return _floordiv_symbolic(a, b)
    if not isinstance(a, Dim):
        return a // b
    if b == 0:
        raise ZeroDivisionError(f"({a}) // 0")
    if b < 0:
        return floordiv(mul(a, -1), -b)
    return a if b == 1 else _floordiv_constant(a, b)


def _floordiv_constant(a: Dim, divisor: int) -> Size:
    """floor(a / divisor) for divisor > 1.

    Multiples of the divisor move out of the floor, coefficients inside are remainders of least magnitude, and the
    first of them is positive: a remainder that would be negative uses floor(-x/k) == -floor((x + k - 1)/k).
    """
    common = gcd(divisor, *[coefficient for _, coefficient in a.terms])
    divisor //= common
    const = a.const // common
    outside: list[Term] = []
    inside: list[Term] = []
    sign = 1
    for monomial, coefficient in a.terms:
        coefficient //= common
        rest = coefficient % divisor
        if 2 * rest > divisor:
            rest -= divisor
        if rest and not inside and (rest < 0 or (2 * rest == divisor and coefficient < 0)):
            sign = -1
        if rest and sign < 0 and 2 * abs(rest) == divisor:
            rest = -rest
        if rest != coefficient:
            outside.append((monomial, (coefficient - rest) // divisor))
        if rest:
            inside.append((monomial, sign * rest))
    if sign < 0:
        const = divisor - 1 - const
    whole = sign * (const // divisor)
    floor = mul(_floor_atom(Dim(tuple(inside), const % divisor), divisor), sign) if inside else 0
    return add(Dim(tuple(outside), whole), floor) if outside else add(floor, whole)


def _floor_atom(a: Size, b: Size) -> Size:
    """floor(a / b) for a reduced a and a positive b, with nested floors joined: one atom, or less."""
    if isinstance(a, Dim) and len(a.terms) == 1 and a.terms[0][1] == 1:
        inner = Dim(a.terms, 0).single_atom()
        if type(inner) is Opaque and inner.kind == "floor":
            over, under = inner.args
            return floordiv(add(over, mul(under, a.const)), mul(under, b))
    lo, hi = _floor_range(interval(a), interval(b))
    return lo if lo is not None and lo == hi else opaque("floor", (a, b), (lo, hi))


def _floor_range(a: Range, b: Range) -> Range:
    """Bounds of floor(a / b) for b > 0."""
    (a_lo, a_hi), (b_lo, b_hi) = a, b
    least = max(b_lo or 1, 1)
    lo = hi = None
    if a_lo is not None:
        lo = a_lo // least if a_lo < 0 else 0 if b_hi is None else a_lo // b_hi
    if a_hi is not None:
        hi = a_hi // least if a_hi >= 0 else -1 if b_hi is None else a_hi // b_hi
    return lo, hi


def _floordiv_symbolic(a: Size, b: Dim) -> Size:
    quotient = exact_div(a, b)
    if quotient is not None:
        return quotient
    a, reduced = cancel(a, b)
    if not isinstance(reduced, Dim):
        return floordiv(a, reduced)
    b = reduced
    if b.terms[0][1] < 0:
        a, b = neg(a), Dim(tuple([(monomial, -coefficient) for monomial, coefficient in b.terms]), -b.const)
    whole, a = peel(a, b)
    if not is_nonneg(b):
        return add(whole, opaque("floor", (a, b), (None, None)) if a != 0 else 0)
    leading = a.terms[0][1] if isinstance(a, Dim) else a
    if leading < 0:
        return sub(sub(whole, 1), floordiv(sub(-1, a), b))
    if is_nonneg(a) and is_positive(sub(b, a)):
        return whole
    return add(whole, _floor_atom(a, b))


def ceildiv(a: Size, b: Size) -> Size:
    """ceil(a / b).

    Raises:
        ZeroDivisionError: b is the int 0.
    """
    if type(a) is int and type(b) is int:
        return -(-a // b)
    return neg(floordiv(neg(a), b))


def truncdiv(a: Size, b: Size) -> Size:
    """a / b rounded toward zero: Div on integer tensors in onnxruntime.

    Raises:
        ZeroDivisionError: b is the int 0.
    """
    if type(a) is int and type(b) is int:
        quotient = abs(a) // abs(b)
        return quotient if (a < 0) == (b < 0) else -quotient
    if type(b) is int and b == 0:
        raise ZeroDivisionError(f"({a}) / 0")
    exact = exact_div(a, b)
    if exact is not None:
        return exact
    if leads_negative(a):
        return neg(truncdiv(neg(a), b))
    if leads_negative(b):
        return neg(truncdiv(a, neg(b)))
    if is_nonneg(b):
        if is_nonneg(a):
            return floordiv(a, b)
        if is_nonpos(a):
            return neg(floordiv(neg(a), b))
    a, b = cancel(a, b)
    if type(b) is int and b == 1:
        return a
    inner = a.single_atom() if isinstance(a, Dim) else None
    if type(inner) is Opaque and inner.kind == "trunc":
        return truncdiv(inner.args[0], mul(inner.args[1], b))
    return _trunc_atom(a, b)


def _trunc_atom(a: Size, b: Size) -> Size:
    (a_lo, a_hi), (b_lo, _) = interval(a), interval(b)
    if b_lo is None or b_lo < 0:
        return opaque("trunc", (a, b), (None, None))
    # b >= 1, so the quotient is no larger than a over the least b, and has the sign of a.
    least = max(b_lo, 1)
    lo = None if a_lo is None else 0 if a_lo >= 0 else -(-a_lo // least)
    hi = None if a_hi is None else 0 if a_hi <= 0 else a_hi // least
    return lo if lo is not None and lo == hi else opaque("trunc", (a, b), (lo, hi))


def mod(a: Size, b: Size, fmod: bool = False) -> Size:
    """Remainder with the sign of b (ONNX Mod), or with the sign of a (`fmod=True`, C's %).

    Raises:
        ZeroDivisionError: b is the int 0.
    """
    if type(a) is int and type(b) is int and not fmod:
        return a % b
    return sub(a, mul(b, truncdiv(a, b) if fmod else floordiv(a, b)))
