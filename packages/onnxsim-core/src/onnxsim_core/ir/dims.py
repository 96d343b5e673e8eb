"""Integer algebra of symbolic sizes.

A size is an int or a `Dim`, a canonical integer expression over named symbols. Symbols that stand for sizes are
known to be >= 0. Divisors are taken to be non-zero (the model itself fails where they are zero); a divisor that is
the int 0 raises ZeroDivisionError. Mod has no atom of its own: a mod b is a - b*floor(a/b), so that the padding
idiom n + (-n mod 8) is seen to be the multiple 8*floor((n + 7)/8).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import gcd

from .dim_bounds import is_nonneg, is_nonpos, is_positive, known_different, known_equal, lower_bound, upper_bound
from .dim_division import ceildiv, floordiv, mod, truncdiv
from .dim_factor import content, exact_div, without
from .dim_form import (
    Atom,
    Dim,
    Opaque,
    Size,
    Symbol,
    add,
    atoms_of,
    interval,
    leads_negative,
    mul,
    neg,
    of_atom,
    opaque,
    sort_key,
    sub,
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
NAMELESS = frozenset({"", "?", "*", "-1", "None", "none", "null", "unk", "unknown"})
_FLIPPED = {"min": "max", "max": "min"}


def symbol(name: str, *, nonneg: bool = True) -> Dim:
    """A new symbol, equal only to itself; use `SymbolTable.named` to get one symbol per name."""
    return of_atom(Symbol(name, 0 if nonneg else None))


class SymbolTable:
    """The symbols of one model: one per name, and fresh ones whose names collide with no other."""

    __slots__ = ("_anonymous", "_fresh", "_named", "_next")

    def __init__(self) -> None:
        self._named: dict[str, Dim] = {}
        self._fresh: dict[str, Symbol] = {}
        self._anonymous: dict[Size, bool] = {}
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

    def __contains__(self, name: str) -> bool:
        return name in self._named

    def get(self, name: str) -> Dim | None:
        """The symbol, named or fresh, that is called `name` now."""
        fresh = self._fresh.get(name)
        return of_atom(fresh) if fresh is not None else self._named.get(name)

    def fresh(self, hint: str = "", *, nonneg: bool = True) -> Dim:
        """A symbol different from all others; `nonneg=False` for an integer value that is not a size."""
        made = Symbol("", 0 if nonneg else None)
        self._christen(made, f"_{hint or 's'}")
        return of_atom(made)

    def is_anonymous(self, size: Size) -> bool:
        """Does the size depend on a fresh symbol, so that its formula says nothing to a reader of the model?"""
        if type(size) is int:
            return False
        known = self._anonymous.get(size)
        if known is None:
            fresh = self._fresh
            known = self._anonymous[size] = any(found.name in fresh for found in symbols(size))
        return known

    def _christen(self, made: Symbol, prefix: str) -> None:
        while True:
            name = f"{prefix}{self._next}"
            self._next += 1
            if name not in self._named and name not in self._fresh:
                made.name = name
                self._fresh[name] = made
                return


def parse(text: str, table: SymbolTable) -> Dim:
    """The symbol a dim_param stands for: its whole text is one name, whatever it looks like.

    A fresh one for no text and for what exporters write where they know of no name: two such sizes need not be equal.
    """
    return table.fresh() if text in NAMELESS else table.named(text)


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
    if leads_negative(first):
        return neg(_extreme_atom(_FLIPPED[kind], [neg(size) for size in kept]))
    return _extreme_atom(kind, kept)


def _extreme_atom(kind: str, sizes: list[Size]) -> Size:
    sizes.sort(key=sort_key)
    offset = sizes[0].const if isinstance(sizes[0], Dim) else 0
    sizes = [sub(size, offset) for size in sizes]
    scale = gcd(*[content(size) for size in sizes])
    if scale > 1:
        sizes = [without(size, scale) for size in sizes]
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
        if isinstance(size, Dim) and len(size.terms) == 1:
            monomial, scale = size.terms[0]
            inner = Dim(((monomial, 1),), 0).single_atom()
            if type(inner) is Opaque and inner.kind == (kind if scale > 0 else _FLIPPED.get(kind)):
                flat.extend([add(mul(arg, scale), size.const) for arg in inner.args])
                continue
        flat.append(size)
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
    if _is_clipped(b, a):
        return a
    if _is_clipped(a, b):
        return b
    sizes = sorted(set(_operands("broadcast", a, b)), key=sort_key)
    if len(sizes) == 1:
        return sizes[0]
    lows = [interval(size)[0] for size in sizes]
    highs = [interval(size)[1] for size in sizes]
    lo = None if None in lows else min([bound for bound in lows if bound is not None])
    hi = None if None in highs else max([bound for bound in highs if bound is not None])
    return opaque("broadcast", tuple(sizes), (lo, hi))


def _is_clipped(part: Size, whole: Size) -> bool:
    """Is `part` min(whole, k) with k >= 1? Next to `whole` it is then 1 or the same, or the model fails."""
    high = interval(part)[1]
    return high is not None and high >= 1 and part == minimum(whole, high)


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
            for _ in range(power):  # at most MAX_DEGREE
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
