"""What a Loop carries from one iteration to the next keeps only those sizes of which that can be proven.

The proof is an induction: suppose that the carried values enter with these sizes; if inference finds that they leave
with the same, and they have them at the start, they have them always. Sizes that fail are dropped and the rest is tried
again. The facts of a trial are taken back, so that nothing in the body is rewritten on a mere supposition.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..ir.dims import Size
from ..ir.graph import Graph, Node, Value, nested_graphs
from .bodies import give, unchanged

TRIALS = 4
DEPTH = 4
"""Every Loop around a Loop multiplies the trials; one that stands deeper than this is not tried."""
Shape = tuple[Size, ...] | None


class Proven:
    """The shapes found for a Loop's carried values, and the starting shapes they were found for."""

    __slots__ = ("starts", "shapes", "varying")

    def __init__(self, starts: dict[Value, Shape], shapes: dict[Value, Shape], varying: set[Any]) -> None:
        self.starts = starts
        self.shapes = shapes
        self.varying = varying


def prove(node: Node, body: Graph, starts: dict[Value, Shape], leaving: Sequence[Value], ctx: Any) -> None:
    """Give the values carried into the body, which start with these shapes, the sizes that hold in every iteration."""
    known = node.info if isinstance(node.info, Proven) else None
    if known is not None and starts.items() <= known.starts.items():
        shapes = known.shapes
    else:
        known = known or Proven({}, {}, set())
        shapes = _search(body, starts, leaving, known, ctx)
        node.info = Proven(starts, shapes, known.varying)
    for value in starts:
        give(value, 0, shapes[value], ctx)


def _search(body: Graph, starts: dict[Value, Shape], leaving: Sequence[Value], known: Proven,
            ctx: Any) -> dict[Value, Shape]:
    """The strongest shapes the trials prove; what is known already holds in any case."""
    pairs = list(zip(starts, leaving, strict=True))
    if all(starts[value] is None or unchanged(value, result) for value, result in pairs):
        return starts
    if _depth(body) > DEPTH:
        return {value: known.shapes.get(value) for value in starts}
    saved = list(_facts(body))
    guess = starts
    for _ in range(TRIALS):
        _suppose(body, guess, ctx)
        weaker = {value: _holding(guess[value], result, known.shapes.get(value), known.varying, ctx)
                  for value, result in pairs}
        _restore(saved)
        if weaker == guess:
            return guess
        guess = weaker
    return {value: known.shapes.get(value) for value in starts}


def _depth(body: Graph) -> int:
    """Loops that the body stands in, its own included."""
    return sum(1 for graph in body.ancestors() if graph.owner is not None and graph.owner.op_type == "Loop")


def _suppose(body: Graph, guess: dict[Value, Shape], ctx: Any) -> None:
    """Infer the body under a supposition, without anybody hearing of it."""
    changed, enter = ctx.changed, ctx.enter
    ctx.changed = ctx.enter = None
    try:
        for value, shape in guess.items():
            give(value, 0, shape, ctx)
        ctx.walk(body)
    finally:
        ctx.changed, ctx.enter = changed, enter


def _holding(shape: Shape, result: Value, before: Any, varying: set[Any], ctx: Any) -> Shape:
    """The sizes of a supposed shape that an iteration keeps; the others fall back to what was known before."""
    if shape is None:
        return None
    after = None if result.doubtful else result.shape
    if after is None or len(after) != len(shape):
        fallback: Shape = before
        return fallback
    if before is None or len(before) != len(shape):
        before = (None,) * len(shape)
    sizes = []
    for axis, size in enumerate(shape):
        if size == after[axis] or type(size) is not int and size in varying:
            sizes.append(size)
        elif before[axis] is not None and before[axis] != size:
            sizes.append(before[axis])
        else:
            fresh = ctx.fresh()
            varying.add(fresh)
            sizes.append(fresh)
    return tuple(sizes)


def _facts(body: Graph) -> Iterator[tuple[Any, ...]]:
    """What a trial may overwrite: facts of the values in the body and the proofs of Loops in it."""
    for graph in nested_graphs(body):
        for value in graph.inputs:
            yield value, value.dtype, value.shape, value.data, value.type_proto, value.doubtful
        for node in graph:
            if node.bodies:
                yield node, node.info
            for value in node.outputs:
                yield value, value.dtype, value.shape, value.data, value.type_proto, value.doubtful


def _restore(saved: list[tuple[Any, ...]]) -> None:
    for entry in saved:
        if len(entry) == 2:
            entry[0].info = entry[1]
        else:
            value, value.dtype, value.shape, value.data, value.type_proto, value.doubtful = entry
