"""Integer algebra of symbolic sizes.

A size is an int or a `Dim`, a canonical integer expression over named symbols. Symbols that stand for sizes are
known to be >= 0. Divisors are taken to be non-zero (the model itself fails where they are zero); a divisor that is
the int 0 raises ZeroDivisionError. Mod has no atom of its own: a mod b is a - b*floor(a/b), so that the padding
idiom n + (-n mod 8) is seen to be the multiple 8*floor((n + 7)/8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from .dim_bounds import (
    is_nonneg,
    is_nonpos,
    is_positive,
    known_different,
    known_equal,
    lower_bound,
    upper_bound,
)
from .dim_form import (
    Atom,
    Dim,
    Monomial,
    Opaque,
    Range,
    Size,
    Symbol,
    add,
    atoms_of,
    content,
    exact_div,
    interval,
    monomial_quotient,
    mul,
    neg,
    of_atom,
    opaque,
    sort_key,
    sub,
    term,
)

__all__ = [
    "Dim",
    "Size",
    "SymbolTable",
    "add",
    "broadcast",
    "ceildiv",
    "evaluate",
    "exact_div",
    "floordiv",
    "is_nonneg",
    "is_nonpos",
    "is_positive",
    "known_different",
    "known_equal",
    "lower_bound",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "neg",
    "parse",
    "product",
    "sub",
    "substitute",
    "symbol",
    "symbols",
    "total",
    "truncdiv",
    "upper_bound",
]

# More operands than this in one min, max or broadcast stay nested instead of flattened.
MAX_OPERANDS = 8


def symbol(name: str, *, nonneg: bool = True) -> Dim:
    """A new symbol, equal only to itself; use `SymbolTable.named` to get one symbol per name."""
    return of_atom(Symbol(name, 0 if nonneg else None))


class SymbolTable:
    """The symbols of one model: one per name, and fresh ones whose names collide with no other."""

    __slots__ = ("_fresh", "_named", "_next")

    def __init__(self) -> None:
        self._named: dict[str, Dim] = {}
        self._fresh: dict[str, Symbol] = {}
        self._next = 0

    def named(self, name: str) -> Dim:
        """The symbol of the size called `name`; the same one each time."""
        found = self._named.get(name)
        if found is None:
            found = self._named[name] = symbol(name)
            clash = self._fresh.pop(name, None)
            if clash is not None:
                self._christen(clash, "_s")
        return found

    def fresh(self, hint: str = "", *, nonneg: bool = True) -> Dim:
        """A symbol different from all others; `nonneg=False` for an integer value that is not a size."""
        made = Symbol("", 0 if nonneg else None)
        self._christen(made, f"_{hint or 's'}")
        return of_atom(made)

    def _christen(self, made: Symbol, prefix: str) -> None:
        while True:
            name = f"{prefix}{self._next}"
            self._next += 1
            if name not in self._named and name not in self._fresh:
                made.name = name
                self._fresh[name] = made
                return


def parse(text: str, table: SymbolTable) -> Dim:
    """The symbol a dim_param stands for: its whole text is one name, whatever it looks like; empty is a fresh one."""
    return table.named(text) if text else table.fresh()


def product(sizes: Iterable[Size]) -> Size:
    """Product of sizes; 1 for none."""
    result: Size = 1
    for size in sizes:
        result = mul(result, size)
    return result


def total(sizes: Iterable[Size]) -> Size:
    """Sum of sizes; 0 for none."""
    result: Size = 0
    for size in sizes:
        result = add(result, size)
    return result


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
    outside: Size = 0
    inside: list[tuple[Monomial, int]] = []
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
            outside = add(outside, term(monomial, (coefficient - rest) // divisor))
        if rest:
            inside.append((monomial, sign * rest))
    if sign < 0:
        const = divisor - 1 - const
    outside = add(outside, sign * (const // divisor))
    const %= divisor
    if not inside:
        return outside
    return add(outside, mul(_floor_atom(Dim(tuple(inside), const), divisor), sign))


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
    a, reduced = _cancel(a, b)
    if not isinstance(reduced, Dim):
        return floordiv(a, reduced)
    b = reduced
    if b.terms[0][1] < 0:
        a, b = neg(a), Dim(tuple([(monomial, -coefficient) for monomial, coefficient in b.terms]), -b.const)
    whole, a = _peel(a, b)
    if not is_nonneg(b):
        return add(whole, opaque("floor", (a, b), (None, None)) if a != 0 else 0)
    leading = a.terms[0][1] if isinstance(a, Dim) else a
    if leading < 0:
        return sub(sub(whole, 1), floordiv(sub(-1, a), b))
    if is_nonneg(a) and is_positive(sub(b, a)):
        return whole
    return add(whole, _floor_atom(a, b))


def _cancel(a: Size, b: Size) -> tuple[Size, Size]:
    """a and b without the integer and the monomial factor they share; the factor is non-zero because b is."""
    common = gcd(content(a), content(b))
    if common > 1:
        a, b = _without(a, common), _without(b, common)
    if not isinstance(a, Dim) or not isinstance(b, Dim) or a.const or b.const:
        return a, b
    shared = dict(b.terms[0][0])
    for monomial, _ in a.terms + b.terms[1:]:
        powers = dict(monomial)
        shared = {atom: min(power, powers[atom]) for atom, power in shared.items() if atom in powers}
        if not shared:
            return a, b
    factor = term(tuple(shared.items()), 1)
    return _without(a, factor), _without(b, factor)


def _without(a: Size, factor: Size) -> Size:
    quotient = exact_div(a, factor)
    assert quotient is not None
    return quotient


def _peel(a: Size, b: Dim) -> tuple[Size, Size]:
    """q and r with a == q*b + r, r having fewer terms than a; q is 0 when there is no such r."""
    lead, lead_coefficient = b.terms[0]
    whole: Size = 0
    rest = a
    for monomial, coefficient in a.terms if isinstance(a, Dim) else ():
        quotient = monomial_quotient(monomial, lead)
        if quotient is not None and abs(coefficient) >= abs(lead_coefficient):
            step = term(quotient, coefficient // lead_coefficient)
            fewer = sub(rest, mul(step, b))
            if _length(fewer) < _length(rest) or len(b.terms) == 1 and not b.const:
                whole, rest = add(whole, step), fewer
    return whole, rest


def _length(a: Size) -> int:
    return len(a.terms) + (a.const != 0) if isinstance(a, Dim) else int(a != 0)


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
    if _leads_negative(a):
        return neg(truncdiv(neg(a), b))
    if _leads_negative(b):
        return neg(truncdiv(a, neg(b)))
    if is_nonneg(b):
        if is_nonneg(a):
            return floordiv(a, b)
        if is_nonpos(a):
            return neg(floordiv(neg(a), b))
    a, b = _cancel(a, b)
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


def _leads_negative(a: Size) -> bool:
    return (a.terms[0][1] if isinstance(a, Dim) else a) < 0


def mod(a: Size, b: Size, fmod: bool = False) -> Size:
    """Remainder with the sign of b (ONNX Mod), or with the sign of a (`fmod=True`, C's %).

    Raises:
        ZeroDivisionError: b is the int 0.
    """
    if type(a) is int and type(b) is int and not fmod:
        return a % b
    return sub(a, mul(b, truncdiv(a, b) if fmod else floordiv(a, b)))


def minimum(a: Size, b: Size) -> Size:
    """min(a, b)."""
    if type(a) is int and type(b) is int:
        return a if a <= b else b
    return _extreme("min", a, b)


def maximum(a: Size, b: Size) -> Size:
    """max(a, b)."""
    if type(a) is int and type(b) is int:
        return a if a >= b else b
    return _extreme("max", a, b)


def _extreme(kind: str, a: Size, b: Size) -> Size:
    kept: list[Size] = []
    for candidate in _operands(kind, a, b):
        survivors = []
        for other in kept:
            gap = sub(other, candidate) if kind == "min" else sub(candidate, other)
            if is_nonpos(gap):
                break
            if not is_nonneg(gap):
                survivors.append(other)
        else:
            survivors.append(candidate)
            kept = survivors
    if len(kept) == 1:
        return kept[0]
    kept.sort(key=sort_key)
    # The first operand sets the offset and the sign, so that min(n + 1, 6), min(n, 5) + 1 and 5 - max(5 - n, 0) agree.
    first = kept[0]
    if _leads_negative(first):
        flipped = "max" if kind == "min" else "min"
        return neg(_extreme_atom(flipped, [neg(size) for size in kept]))
    return _extreme_atom(kind, kept)


def _extreme_atom(kind: str, sizes: list[Size]) -> Size:
    sizes.sort(key=sort_key)
    offset = sizes[0].const if isinstance(sizes[0], Dim) else 0
    sizes = [sub(size, offset) for size in sizes]
    scale = gcd(*[content(size) for size in sizes])
    if scale > 1:
        sizes = [_without(size, scale) for size in sizes]
    lows = [interval(size)[0] for size in sizes]
    highs = [interval(size)[1] for size in sizes]
    pick, loose, tight = (min, lows, highs) if kind == "min" else (max, highs, lows)
    outer = None if None in loose else pick([bound for bound in loose if bound is not None])
    inner = pick([bound for bound in tight if bound is not None], default=None)
    bounds = (outer, inner) if kind == "min" else (inner, outer)
    return add(mul(opaque(kind, tuple(sizes), bounds), scale), offset)


def _operands(kind: str, a: Size, b: Size) -> list[Size]:
    """The operands of both sides, with a nested atom of the same kind taken apart while the list stays short."""
    flat: list[Size] = []
    for size in (a, b):
        parts: tuple[Size, ...] = (size,)
        if isinstance(size, Dim) and len(size.terms) == 1 and size.terms[0][1] > 0:
            inner = Dim(((size.terms[0][0], 1),), 0).single_atom()
            if type(inner) is Opaque and inner.kind == kind:
                scale = size.terms[0][1]
                parts = tuple([add(mul(arg, scale), size.const) for arg in inner.args])
        flat.extend(parts)
    return flat if len(flat) <= MAX_OPERANDS else [a, b]


def broadcast(a: Size, b: Size) -> Size | None:
    """The size two axes broadcast to, or None when they provably do not.

    An unknown size next to a size other than 1 takes that size: the model would fail with anything else.
    """
    if type(a) is int and type(b) is int:
        return a if a == b or b == 1 else b if a == 1 else None
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    a_wins, b_wins = known_different(a, 1), known_different(b, 1)
    if a_wins and b_wins:
        return None if known_different(a, b) else max(a, b, key=sort_key)
    if a_wins or b_wins:
        return a if a_wins else b
    sizes = sorted(set(_operands("broadcast", a, b)), key=sort_key)
    if len(sizes) == 1:
        return sizes[0]
    lows = [interval(size)[0] for size in sizes]
    highs = [interval(size)[1] for size in sizes]
    lo = None if None in lows else min([bound for bound in lows if bound is not None])
    hi = None if None in highs else max([bound for bound in highs if bound is not None])
    return opaque("broadcast", tuple(sizes), (lo, hi))


def symbols(a: Size) -> set[Dim]:
    """The symbols `a` depends on."""
    return {of_atom(atom) for atom in _atoms_bottom_up(a) if type(atom) is Symbol}


def _atoms_bottom_up(a: Size) -> list[Atom]:
    found: dict[int, Atom] = {}
    stack = [a]
    while stack:
        for atom in atoms_of(stack.pop()):
            if atom.uid not in found:
                found[atom.uid] = atom
                if type(atom) is Opaque:
                    stack.extend(atom.args)
    return [found[uid] for uid in sorted(found)]


def substitute(a: Size, values: Mapping[Dim, Size]) -> Size:
    """`a` with symbols replaced.

    Raises:
        ValueError: the values make two sizes meet that do not broadcast.
    """
    if not isinstance(a, Dim):
        return a
    replaced: dict[Atom, Size] = {}
    for atom in _atoms_bottom_up(a):
        own = of_atom(atom)
        if type(atom) is Opaque:
            replaced[atom] = _apply(atom.kind, [_rebuild(arg, replaced) for arg in atom.args])
        else:
            replaced[atom] = values.get(own, own)
    return _rebuild(a, replaced)


def evaluate(a: Size, values: Mapping[str, int]) -> int:
    """The number `a` is when the symbols have the given values by name.

    Raises:
        KeyError: a symbol has no value.
        ValueError: the values make two sizes meet that do not broadcast.
        ZeroDivisionError: the values make a divisor zero.
    """
    result = substitute(a, {one: values[one.name or ""] for one in symbols(a)})
    assert type(result) is int
    return result


def _rebuild(a: Size, replaced: Mapping[Atom, Size]) -> Size:
    if not isinstance(a, Dim):
        return a
    result: Size = a.const
    for monomial, coefficient in a.terms:
        value: Size = coefficient
        for atom, power in monomial:
            for _ in range(power):
                value = mul(value, replaced[atom])
        result = add(result, value)
    return result


_APPLY = {"floor": floordiv, "trunc": truncdiv, "min": minimum, "max": maximum, "sum": add, "product": mul}


def _apply(kind: str, args: list[Size]) -> Size:
    result = args[0]
    for arg in args[1:]:
        if kind == "broadcast":
            joined = broadcast(result, arg)
            if joined is None:
                raise ValueError(f"sizes {result} and {arg} do not broadcast")
            result = joined
        else:
            result = _APPLY[kind](result, arg)
    return result
