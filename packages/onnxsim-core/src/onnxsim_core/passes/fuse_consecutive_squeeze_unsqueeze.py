"""fuse_consecutive_squeeze_unsqueeze: axes of size 1 put in and taken out again."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.match import squeeze_pair
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_squeeze_unsqueeze", "let axes that Unsqueeze puts in and Squeeze takes out cancel")


@rewrites("fuse_consecutive_squeeze_unsqueeze", root="Squeeze", after=("Unsqueeze",))
def squeeze_what_was_put_in(node: Node, op: Builder) -> Value | Skip:
    """Squeeze(Unsqueeze(x, a), b): axes in both cancel; x when all do.

    Exact. Source: ONNX Squeeze-13, Unsqueeze-13.
    """
    found = squeeze_pair(node, op.ctx, "Unsqueeze")
    if found is None:
        return skip("input is not made by an Unsqueeze with known axes")
    x, added, removed, rank = found
    kept = [axis for axis in range(rank + len(added)) if axis not in added]
    still_added = [axis for axis in added if axis not in removed]
    still_removed = [kept.index(axis) for axis in removed if axis not in added]
    if still_added and still_removed:
        return skip("axes are left on both sides")
    if still_removed:
        return forms.squeeze(op, x, still_removed)
    if not still_added:
        return x
    return forms.unsqueeze(op, x, [axis - sum(gone < axis for gone in removed) for axis in still_added])


@rewrites("fuse_consecutive_squeeze_unsqueeze", root="Unsqueeze", after=("Squeeze",))
def put_in_what_was_squeezed(node: Node, op: Builder) -> Value | Skip:
    """Unsqueeze(Squeeze(x, a), b): x when the axes come back in the same places; else what is left on one side.

    Exact: Squeeze only takes axes of size 1. Source: ONNX Squeeze-13, Unsqueeze-13.
    """
    found = squeeze_pair(node, op.ctx, "Squeeze")
    if found is None:
        return skip("input is not made by a Squeeze with known axes")
    x, removed, added, rank = found
    if removed == added:
        return x
    # The axes of size 1 may be told apart only by where the other axes stand between them.
    before = _places(rank, removed)
    after = _places(rank - len(removed) + len(added), added)
    if all(a <= b for a, b in zip(before, after)):
        return forms.unsqueeze(op, x, _added(before, after))
    if all(a >= b for a, b in zip(before, after)):
        return forms.squeeze(op, x, _taken(before, after))
    return skip("axes are left on both sides")


def _places(rank: int, ones: tuple[int, ...]) -> list[int]:
    """How many of these axes stand before each other axis, and after the last."""
    counts = [0]
    for axis in range(rank):
        if axis in ones:
            counts[-1] += 1
        else:
            counts.append(0)
    return counts


def _added(before: list[int], after: list[int]) -> list[int]:
    """Places in the result of the axes that come on top of those x has."""
    axes: list[int] = []
    place = 0
    for old, new in zip(before, after):
        axes.extend(range(place + old, place + new))
        place += new + 1
    return axes


def _taken(before: list[int], after: list[int]) -> list[int]:
    """Axes of x that the result has no more."""
    axes: list[int] = []
    place = 0
    for old, new in zip(before, after):
        axes.extend(range(place + new, place + old))
        place += old + 1
    return axes
