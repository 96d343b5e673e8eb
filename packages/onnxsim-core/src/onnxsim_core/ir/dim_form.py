"""Normal form of symbolic sizes: a sum of integer multiples of products of atoms, plus an integer.

Expressions that are equal as polynomials over their atoms have the same normal form, so equality is structural.
Atoms are interned and compared by identity; a constant expression is always a plain int. Arithmetic is over the
unbounded integers: a caller that models int64 wrap-around has to check the range itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import count
from threading import Lock
from typing import Any, TypeAlias, final
from weakref import WeakValueDictionary

# Past these limits a sum or product becomes one opaque atom of its two operands, so that each step of a long chain
# costs constant time. Results built from equal operands are still equal.
MAX_TERMS = 32
MAX_DEGREE = 16
MAX_PRODUCTS = 256
# An atom with more parts than this prints as its kind and number; also bounds how deep printing recurses.
MAX_PRINTED_WEIGHT = 120

_uids = count(1)
_interned: WeakValueDictionary[tuple[str, tuple[Size, ...]], Opaque] = WeakValueDictionary()
_intern_lock = Lock()


@final
class Symbol:
    """A named unknown integer with the bounds known of it (None is unbounded). Equal only to itself."""

    __slots__ = ("hi", "lo", "name", "uid", "weight")

    def __init__(self, name: str, lo: int | None = 0, hi: int | None = None) -> None:
        self.name = name
        self.lo = lo
        self.hi = hi
        self.uid = next(_uids)
        self.weight = 1


@final
class Opaque:
    """A non-polynomial operation on normal forms. Made by `opaque`, one object per (kind, args).

    Its uid is larger than that of every atom inside it, which lets walks go bottom-up without recursion.
    """

    __slots__ = ("__weakref__", "args", "hi", "kind", "lo", "uid", "weight")

    weight: int

    def __init__(self, kind: str, args: tuple[Size, ...], lo: int | None, hi: int | None) -> None:
        self.kind = kind
        self.args = args
        self.lo = lo
        self.hi = hi
        self.uid = next(_uids)
        # Shared parts count each time they would print; capped because that can double per level.
        self.weight = min(1 + sum([atom.weight for arg in args for atom in atoms_of(arg)]), 2 * MAX_PRINTED_WEIGHT)


Atom: TypeAlias = Symbol | Opaque
Monomial: TypeAlias = tuple[tuple[Atom, int], ...]
Term: TypeAlias = tuple[Monomial, int]
Range: TypeAlias = tuple[int | None, int | None]


@final
class Dim:
    """A non-constant integer expression in normal form. Immutable and hashable; never equal to an int.

    `terms` holds (monomial, coefficient) pairs, highest total degree first; a monomial is a tuple of
    (atom, power). Dims have no truth value and no order: use `known_equal`, `is_positive`, ...
    """

    __slots__ = ("_hash", "_lower", "_range", "const", "terms")

    terms: tuple[Term, ...]
    const: int
    _hash: int
    _range: Range | None
    _lower: tuple[int | None] | None

    def __init__(self, terms: tuple[Term, ...], const: int) -> None:
        self.terms = terms
        self.const = const
        self._hash = 0
        self._range = None
        self._lower = None

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(other) is Dim and self.const == other.const and self.terms == other.terms

    def __hash__(self) -> int:
        if not self._hash:
            self._hash = hash((self.terms, self.const)) or 1
        return self._hash

    def __bool__(self) -> bool:
        raise TypeError(f"symbolic size {self} has no truth value: compare it with is_positive or known_equal")

    def __copy__(self) -> Dim:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Dim:
        return self

    @property
    def is_symbol(self) -> bool:
        """Whether this is exactly one symbol, not an expression."""
        return type(self.single_atom()) is Symbol

    @property
    def name(self) -> str | None:
        """Name of the symbol, or None when this is not exactly one symbol."""
        atom = self.single_atom()
        return atom.name if type(atom) is Symbol else None

    def single_atom(self) -> Atom | None:
        """The atom this expression consists of (coefficient 1, power 1, constant 0), or None."""
        if len(self.terms) != 1 or self.const:
            return None
        monomial, coefficient = self.terms[0]
        return monomial[0][0] if coefficient == 1 and len(monomial) == 1 and monomial[0][1] == 1 else None

    def __add__(self, other: Size) -> Size:
        return add(self, other)

    def __radd__(self, other: int) -> Size:
        return add(self, other)

    def __sub__(self, other: Size) -> Size:
        return sub(self, other)

    def __rsub__(self, other: int) -> Size:
        return sub(other, self)

    def __mul__(self, other: Size) -> Size:
        return mul(self, other)

    def __rmul__(self, other: int) -> Size:
        return mul(self, other)

    def __neg__(self) -> Size:
        return mul(self, -1)

    def __floordiv__(self, other: Size) -> Size:
        from .dim_division import floordiv

        return floordiv(self, other)

    def __rfloordiv__(self, other: int) -> Size:
        from .dim_division import floordiv

        return floordiv(other, self)

    def __mod__(self, other: Size) -> Size:
        from .dim_division import mod

        return mod(self, other)

    def __str__(self) -> str:
        name = self.name
        return _format(self) if name is None else name

    def __repr__(self) -> str:
        return f"Dim({self})"


Size: TypeAlias = int | Dim


def of_atom(atom: Atom) -> Dim:
    """The expression that is just `atom`."""
    return Dim(((((atom, 1),), 1),), 0)


def opaque(kind: str, args: tuple[Size, ...], bounds: Range) -> Dim:
    """The expression `kind(*args)`; the caller has already simplified and ordered `args`."""
    key = (kind, args)
    atom = _interned.get(key)
    if atom is None:
        with _intern_lock:
            atom = _interned.get(key)
            if atom is None:
                atom = Opaque(kind, args, *bounds)
                _interned[key] = atom
    return of_atom(atom)


def atoms_of(a: Size) -> Iterable[Atom]:
    """Atoms that occur directly in `a` (not inside other atoms); one may come several times."""
    if isinstance(a, Dim):
        for monomial, _ in a.terms:
            for atom, _ in monomial:
                yield atom


def sort_key(a: Size) -> tuple[Any, ...]:
    """Total order on sizes, the same in every run that creates its symbols in the same order; ints come last."""
    if isinstance(a, Dim):
        return (0, [(_monomial_key(term), term[1]) for term in a.terms], a.const)
    return (1, a)


def _monomial_key(term: Term) -> tuple[Any, ...]:
    degree = 0
    powers = []
    for atom, power in term[0]:
        degree -= power
        powers.append((atom.uid, -power))
    return (degree, powers)


def _uid_of(item: tuple[Atom, int]) -> int:
    return item[0].uid


def _make(terms: dict[Monomial, int], const: int) -> Size:
    kept = [term for term in terms.items() if term[1]]
    if not kept:
        return const
    if len(kept) > 1:
        kept.sort(key=_monomial_key)
    return Dim(tuple(kept), const)


def add(a: Size, b: Size) -> Size:
    """a + b."""
    if type(a) is int and type(b) is int:
        return a + b
    if isinstance(a, Dim):
        if isinstance(b, Dim):
            return _sum(a, b, 1)
        return Dim(a.terms, a.const + b) if b else a
    if isinstance(b, Dim):
        return Dim(b.terms, b.const + a) if a else b
    return a + b


def sub(a: Size, b: Size) -> Size:
    """a - b."""
    if type(a) is int and type(b) is int:
        return a - b
    if isinstance(b, Dim):
        return _sum(a, b, -1) if isinstance(a, Dim) else add(mul(b, -1), a)
    return add(a, -b)


def neg(a: Size) -> Size:
    """-a."""
    return mul(a, -1) if isinstance(a, Dim) else -a


def _sum(a: Dim, b: Dim, sign: int) -> Size:
    terms = dict(a.terms)
    for monomial, coefficient in b.terms:
        terms[monomial] = terms.get(monomial, 0) + sign * coefficient
    total = _make(terms, a.const + sign * b.const)
    if isinstance(total, Dim) and len(total.terms) > MAX_TERMS:
        parts = sorted((Dim(a.terms, 0), mul(Dim(b.terms, 0), sign)), key=sort_key)
        return add(opaque("sum", tuple(parts), interval(Dim(total.terms, 0))), total.const)
    return total


def mul(a: Size, b: Size) -> Size:
    """a * b."""
    if type(a) is int and type(b) is int:
        return a * b
    if not isinstance(a, Dim):
        return mul(b, a) if isinstance(b, Dim) else a * b
    if not isinstance(b, Dim):
        if b == 0 or b == 1:
            return a if b else 0
        if len(a.terms) == 1:
            monomial, coefficient = a.terms[0]
            return Dim(((monomial, coefficient * b),), a.const * b)
        return Dim(tuple([(monomial, coefficient * b) for monomial, coefficient in a.terms]), a.const * b)
    return _product(a, b)


def _product(a: Dim, b: Dim) -> Size:
    if (len(a.terms) + 1) * (len(b.terms) + 1) > MAX_PRODUCTS:
        return _opaque_product(a, b)
    terms: dict[Monomial, int] = {}
    for left, left_coefficient in a.terms:
        for right, right_coefficient in b.terms:
            monomial = _monomial_product(left, right)
            if monomial is None:
                return _opaque_product(a, b)
            terms[monomial] = terms.get(monomial, 0) + left_coefficient * right_coefficient
    for part, scale in ((a, b.const), (b, a.const)):
        if scale:
            for monomial, coefficient in part.terms:
                terms[monomial] = terms.get(monomial, 0) + coefficient * scale
    result = _make(terms, a.const * b.const)
    if isinstance(result, Dim) and len(result.terms) > MAX_TERMS:
        return _opaque_product(a, b)
    return result


def _opaque_product(a: Dim, b: Dim) -> Dim:
    left, right = sorted((a, b), key=sort_key)
    return opaque("product", (left, right), _range_product(interval(a), interval(b)))


def _monomial_product(left: Monomial, right: Monomial) -> Monomial | None:
    """left * right, or None when its degree is past the limit."""
    powers = dict(left)
    for atom, power in right:
        powers[atom] = powers.get(atom, 0) + power
    if sum(powers.values()) > MAX_DEGREE:
        return None
    return tuple(sorted(powers.items(), key=_uid_of))


def leads_negative(a: Size) -> bool:
    """Whether the first coefficient of `a` is negative."""
    return (a.terms[0][1] if isinstance(a, Dim) else a) < 0


def term(monomial: Monomial, coefficient: int) -> Size:
    """coefficient * monomial, for a non-zero coefficient."""
    return Dim(((monomial, coefficient),), 0) if monomial else coefficient


def interval(a: Size) -> Range:
    """Bounds of `a` from the bounds of its atoms alone, each taken on its own; None is unbounded."""
    if not isinstance(a, Dim):
        return a, a
    if a._range is None:
        lo: int | None = a.const
        hi: int | None = a.const
        for monomial, coefficient in a.terms:
            low, high = monomial_range(monomial)
            if coefficient < 0:
                low, high = high, low
            lo = None if lo is None or low is None else lo + coefficient * low
            hi = None if hi is None or high is None else hi + coefficient * high
        a._range = (lo, hi)
    return a._range


def monomial_range(monomial: Monomial) -> Range:
    """Bounds of a product of atom powers."""
    bounds: Range = (1, 1)
    for atom, power in monomial:
        lo, hi = atom.lo, atom.hi
        if power > 1:
            if power % 2 == 0 and (lo is None or lo < 0):
                lo, hi = 0, None if lo is None or hi is None else max(lo**power, hi**power)
            else:
                lo, hi = None if lo is None else lo**power, None if hi is None else hi**power
        bounds = _range_product(bounds, (lo, hi))
    return bounds


def _range_product(a: Range, b: Range) -> Range:
    if a == (1, 1):
        return b
    (a_lo, a_hi), (b_lo, b_hi) = a, b
    if a_lo is not None and b_lo is not None:
        if a_lo >= 0 and b_lo >= 0:
            return a_lo * b_lo, None if a_hi is None or b_hi is None else a_hi * b_hi
        if a_hi is not None and b_hi is not None:
            corners = (a_lo * b_lo, a_lo * b_hi, a_hi * b_lo, a_hi * b_hi)
            return min(corners), max(corners)
    return None, None


def _format(a: Size) -> str:
    if not isinstance(a, Dim):
        return str(a)
    text = ""
    for monomial, coefficient in a.terms:
        factors = [_format_atom(atom) + (f"^{power}" if power > 1 else "") for atom, power in monomial]
        if abs(coefficient) != 1:
            factors.insert(0, str(abs(coefficient)))
        sign = "-" if coefficient < 0 else "+"
        text += (f" {sign} " if text else sign.strip("+")) + "*".join(factors)
    return f"{text} {'-' if a.const < 0 else '+'} {abs(a.const)}" if a.const else text


def _format_atom(atom: Atom) -> str:
    if type(atom) is Symbol:
        # An exporter may name a dimension "past + 1": quoted, so that it cannot be read as this expression's own sum.
        return atom.name if atom.name.replace(".", "_").isidentifier() else repr(atom.name)
    if atom.weight > MAX_PRINTED_WEIGHT:
        return f"{atom.kind}#{atom.uid}"
    parts = [_format(arg) for arg in atom.args]
    if atom.kind in ("floor", "trunc"):
        over, under = atom.args
        left = f"({parts[0]})" if isinstance(over, Dim) and (len(over.terms) > 1 or over.const) else parts[0]
        right = f"({parts[1]})" if isinstance(under, Dim) and under.single_atom() is None else parts[1]
        return f"{atom.kind}({left}/{right})"
    return f"{atom.kind}({', '.join(parts)})"
