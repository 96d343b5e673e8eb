"""What a chain of Reshape and Transpose does, worked out on the pieces that move as one.

Axes are taken apart into *pieces*: a Reshape that cuts across an axis splits its piece in two. In the end the chain is
known as two orders of the same pieces, that of the input and that of the result, and a shorter chain can be read off
them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..ir.dims import Size, exact_div, known_equal, mul
from ..ir.graph import Shape


class Piece:
    """A run of elements that moves as one. When it has been split, `parts` are the two that took its place."""

    __slots__ = ("size", "parts")

    def __init__(self, size: Size) -> None:
        self.size = size
        self.parts: tuple[Piece, Piece] | None = None


class View:
    """A value's axes in pieces: `source` as they lay in the input, `axes` as they lie now. Axes of size 1 have none."""

    __slots__ = ("source", "axes")

    def __init__(self, shape: Shape) -> None:
        self.source = [[] if _is_one(size) else [Piece(size)] for size in shape]
        self.axes = [list(axis) for axis in self.source]

    def transpose(self, perm: Sequence[int]) -> None:
        self.axes = [self.axes[axis] for axis in perm]

    def reshape(self, shape: Shape) -> bool:
        """Lay the pieces out as `shape`; False when the sizes do not tell how."""
        waiting = flat(self.axes)
        wide = [index for index, size in enumerate(shape) if not _is_one(size)]
        if len(wide) == 1 and not all(type(size) is int for size in (*shape, *[piece.size for piece in waiting])):
            # All there is lies along one axis, whatever the sizes are known as.
            self.axes = [waiting if index == wide[0] else [] for index in range(len(shape))]
            return True
        waiting.reverse()
        axes: list[list[Piece]] = []
        for size in shape:
            axis: list[Piece] = []
            missing: Size = size
            while not _is_one(missing):
                if not waiting:
                    return False
                piece = waiting.pop()
                left = _quotient(missing, piece.size)
                if left is None:
                    rest = _quotient(piece.size, missing)
                    if rest is None:
                        return False
                    piece.parts = Piece(missing), Piece(rest)
                    waiting.append(piece.parts[1])
                    piece = piece.parts[0]
                    left = 1
                axis.append(piece)
                missing = left
            axes.append(axis)
        self.axes = axes
        return not waiting


def flat(axes: list[list[Piece]]) -> list[Piece]:
    """The pieces in order, split ones as their parts."""
    result: list[Piece] = []
    stack = [piece for axis in reversed(axes) for piece in reversed(axis)]
    while stack:
        piece = stack.pop()
        if piece.parts is None:
            result.append(piece)
        else:
            stack += (piece.parts[1], piece.parts[0])
    return result


def _is_one(size: Size) -> bool:
    return type(size) is int and size == 1


def _quotient(whole: Size, part: Size) -> Size | None:
    if whole == part or known_equal(whole, part):
        return 1
    if type(whole) is int and type(part) is int:
        return whole // part if part and whole and whole % part == 0 else None
    return exact_div(whole, part)


class Plan:
    """A short chain: Reshape to `before` (or not), Transpose by `perm` (or not), Reshape to the result (or not)."""

    __slots__ = ("before", "perm", "after", "length")

    def __init__(self, before: tuple[Size, ...] | None, perm: tuple[int, ...] | None, after: bool) -> None:
        self.before = before
        self.perm = perm
        self.after = after
        self.length = (before is not None) + (perm is not None) + after


def plans(view: View, shape: Shape, result: Shape) -> list[Plan]:
    """Chains that turn a value of `shape` into the view of shape `result`; short ones with few axes first."""
    old, new = flat(view.source), flat(view.axes)
    if old == new:
        return [Plan(None, None, shape != result)]
    place = {piece: index for index, piece in enumerate(old)}
    together = set(zip(old, old[1:])) & set(zip(new, new[1:]))
    # A cut: two neighbours that are not neighbours on the other side.
    cuts = [pair not in together for pair in zip(old, old[1:])]
    found = []
    if _respects(view.source, together):
        found.append(_without_before(view, shape, result))
    if _respects(view.axes, together):
        found.append(_without_after(view, shape, result, place))
    found.append(_with_both(old, new, cuts, place, shape, result))
    return sorted(found, key=lambda one: (one.length, len(one.perm or ())))


def _respects(axes: list[list[Piece]], together: set[tuple[Piece, Piece]]) -> bool:
    """Do all pieces of each axis stay together on the way?"""
    for axis in axes:
        pieces = flat([axis])
        for pair in zip(pieces, pieces[1:]):
            if pair not in together:
                return False
    return True


def _without_before(view: View, shape: Shape, result: Shape) -> Plan:
    """Transpose the axes of the input as they are; axes of size 1 go where the result has some."""
    home = {}
    for index, axis in enumerate(view.source):
        for piece in flat([axis]):
            home[piece] = index
    order: list[int] = []
    ones = [index for index, axis in enumerate(view.source) if not axis]
    for axis in view.axes:
        if not axis and ones:
            order.append(ones.pop(0))
        for piece in flat([axis]):
            if home[piece] not in order:
                order.append(home[piece])
    order += ones
    moved = tuple(shape[axis] for axis in order)
    return Plan(None, tuple(order), moved != result)


def _without_after(view: View, shape: Shape, result: Shape, place: dict[Piece, int]) -> Plan:
    """Reshape the input so that a Transpose gives the result's axes; axes of size 1 stay close to where they end."""
    firsts: list[tuple[int, int]] = []
    last = -1
    for index, axis in enumerate(view.axes):
        pieces = flat([axis])
        last = place[pieces[0]] if pieces else last
        firsts.append((last, index))
    order = [index for _, index in sorted(firsts)]
    before = tuple(result[index] for index in order)
    perm = [0] * len(order)
    for position, index in enumerate(order):
        perm[index] = position
    return Plan(None if before == shape else before, tuple(perm), False)


def _with_both(old: list[Piece], new: list[Piece], cuts: list[bool], place: dict[Piece, int], shape: Shape,
               result: Shape) -> Plan:
    """Reshape to the largest pieces that move as one, Transpose them, Reshape to the result."""
    block_of: list[int] = [0]
    for cut in cuts:
        block_of.append(block_of[-1] + cut)
    sizes: list[Size] = [1] * (block_of[-1] + 1)
    for piece in old:
        block = block_of[place[piece]]
        sizes[block] = mul(sizes[block], piece.size)
    perm: list[int] = []
    for piece in new:
        block = block_of[place[piece]]
        if not perm or perm[-1] != block:
            perm.append(block)
    before = tuple(sizes)
    moved = tuple(sizes[block] for block in perm)
    return Plan(None if before == shape else before, tuple(perm), moved != result)
