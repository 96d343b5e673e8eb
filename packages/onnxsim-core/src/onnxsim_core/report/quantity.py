"""Numbers for people: counts as 13.8K, sizes as 1.2KiB, symbolic ones as short formulas."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..ir.dims import Dim, Size, SymbolTable, substitute, symbols
from ..profile.cost import Sum

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_DECIMAL = ("", "K", "M", "G", "T", "P", "E")


def count_text(number: float) -> str:
    """13800 -> 13.8K."""
    return _scaled(number, 1000, _DECIMAL)


def bytes_text(number: float) -> str:
    """1229 -> 1.2KiB."""
    return _scaled(number, 1024, _BINARY)


def counted(number: int, word: str) -> str:
    """`1 node`, `2 nodes`."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def _scaled(number: float, base: int, units: tuple[str, ...]) -> str:
    value, step = float(number), 0
    while abs(value) >= base and step < len(units) - 1:
        value /= base
        step += 1
    if step and round(abs(value), 1) >= base and step < len(units) - 1:
        value, step = value / base, step + 1
    return f"{value:.1f}{units[step]}" if step else f"{number:g}{units[0]}"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A total that may depend on symbolic sizes. `complete` is False when some part of it is not known."""

    size: Size
    complete: bool = True
    is_bytes: bool = False

    @staticmethod
    def of(total: Sum, table: SymbolTable, *, is_bytes: bool = False) -> Quantity:
        """The part of the total that depends on named sizes only; sizes nobody has a name for make it incomplete."""
        size = total.size
        if isinstance(size, Dim) and table.is_anonymous(size):
            nameless = {symbol: 0 for symbol in symbols(size) if table.is_anonymous(symbol)}
            try:
                size = substitute(size, nameless)
            except (ValueError, ZeroDivisionError):
                size = 0
            return Quantity(size, False, is_bytes)
        return Quantity(size, total.complete, is_bytes)

    def __str__(self) -> str:
        return self.text()

    def text(self, width: int = 200) -> str:
        """At most `width` characters where that is possible: of a formula the terms that grow fastest, then `...`."""
        if isinstance(self.size, int):
            if not self.complete and self.size == 0:
                return "unknown"
            return self._number(self.size) + ("" if self.complete else " + ?")
        return self._formula(width)

    def _number(self, number: int) -> str:
        return bytes_text(number) if self.is_bytes else count_text(number)

    def _formula(self, width: int) -> str:
        size = self.size
        assert isinstance(size, Dim)
        parts = []
        for monomial, coefficient in size.terms:
            scale = "" if abs(coefficient) == 1 and not self.is_bytes else f"{self._number(abs(coefficient))}*"
            parts.append((coefficient < 0, scale + str(Dim(((monomial, 1),), 0))))
        if size.const:
            parts.append((size.const < 0, self._number(abs(size.const))))
        tail = "" if self.complete else " + ?"
        text = ""
        for index, (negative, part) in enumerate(parts):
            longer = text + (f" {'-' if negative else '+'} {part}" if text else "-" * negative + part)
            is_last = index == len(parts) - 1
            if index and len(longer) + len(tail) + (0 if is_last else len(" + ...")) > width:
                return f"{text} + ..."
            text = longer
        text += tail
        return text if len(text) <= width else text[: width - 3] + "..."

    def data(self) -> Any:
        """For JSON: a number, or a formula as text; None when nothing is known."""
        if not self.complete and self.size == 0:
            return None
        return str(self.size) if isinstance(self.size, Dim) else self.size

    def known_less(self, other: Quantity) -> bool:
        """Is this certainly the smaller one?"""
        if not self.complete or not other.complete:
            return False
        if isinstance(self.size, int) and isinstance(other.size, int):
            return self.size < other.size
        from ..ir.dims import is_positive, sub

        return is_positive(sub(other.size, self.size))


def density_text(flops: Quantity, moved: Quantity) -> str:
    """FLOPs per byte read or written, where both are numbers."""
    density = density_of(flops, moved)
    return "unknown" if density is None else f"{density:.2f} FLOP/Byte"


def density_of(flops: Quantity, moved: Quantity) -> float | None:
    """The same as a number, None where the sizes are symbolic or not known."""
    if not flops.complete or not moved.complete or not isinstance(flops.size, int) or not isinstance(moved.size, int):
        return None
    return flops.size / moved.size if moved.size else 0.0
