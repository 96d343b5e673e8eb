"""Bodies of If, Loop, Scan and SequenceMap: what enters them, visiting them, and what may be said outside."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, symbols
from ..ir.graph import Graph, Node, Value, nested_graphs
from .containers import Sizes, set_type


def visit(body: Graph, ctx: Any) -> bool:
    """Let the driver sweep a body under the facts its inputs have now, or just infer it.

    False when nothing is to be said of the owner's outputs: it is gone, or this very body is being swept already and
    the sweep came back to the owner, because an output of the body became known better.
    """
    if ctx.enter is None:
        ctx.walk(body)
        return True
    if body in ctx.open_bodies:
        return False
    ctx.open_bodies.add(body)
    try:
        ctx.enter(body)
    finally:
        ctx.open_bodies.discard(body)
    return body.owner is not None and body.owner.alive


def give(value: Value, dtype: int, shape: tuple[Size, ...] | None, ctx: Any,
         data: tuple[Size, ...] | None = None) -> None:
    """Replace the facts of a body input: what the file declares for one may be wrong, and no runtime minds.

    Names that a reader gave its elements stay: if they went, the reader would give new ones, again and again.
    """
    if data is None and value.shape == shape:
        data = value.data
    if (not dtype or value.dtype == dtype) and value.shape == shape and value.data == data:
        return
    if dtype:
        value.dtype = dtype
    value.shape = shape
    value.data = data
    if ctx.changed is not None:
        ctx.changed(value)


def give_like(value: Value, outer: Value, ctx: Any) -> None:
    """A body input that always has the value of `outer`."""
    if outer.type_proto is not None and not outer.dtype:
        set_type(value, outer.type_proto, ctx)
        return
    if outer.doubtful:
        give(value, outer.dtype, None, ctx)
        return
    give(value, outer.dtype, outer.shape, ctx, ctx.data(outer))


def unchanged(entering: Value, leaving: Value) -> bool:
    """Does a body hand this input on as it is?"""
    while leaving is not entering:
        node = leaving.producer("Identity")
        if node is None or node.inputs[0] is None:
            return False
        leaving = node.inputs[0]
    return True


class Outside:
    """Tells the sizes that mean the same outside a body from those that are another number in each run of it."""

    __slots__ = ("body", "ctx", "_known")

    def __init__(self, body: Graph, ctx: Any) -> None:
        self.body = body
        self.ctx = ctx
        self._known: set[Any] | None = None

    def sizes(self, shape: tuple[Size, ...] | None) -> Sizes:
        """The shape with None for every size that only the body knows."""
        return None if shape is None else tuple([size if self.means(size) else None for size in shape])

    def means(self, size: Size) -> bool:
        """Is the size made of symbols that exist outside?"""
        if type(size) is int or not self.ctx.symbols.is_anonymous(size):
            return True
        if self._known is None:
            self._known = _captured_symbols(self.body)
        return symbols(size) <= self._known


def _captured_symbols(body: Graph) -> set[Any]:
    """Symbols in what the body's owner reads and in what the body reads from around it."""
    inner = set(nested_graphs(body))
    found: set[Any] = set()
    owner = body.owner
    if owner is not None:
        for value in owner.inputs:
            _collect(value, found)
    for graph in inner:
        for node in graph:
            for value in node.inputs:
                if value is not None and value.graph not in inner:
                    _collect(value, found)
    return found


def _collect(value: Value | None, found: set[Any]) -> None:
    if value is None:
        return
    for size in (*(value.shape or ()), *(value.data or ())):
        if type(size) is not int:
            found |= symbols(size)


def body_of(node: Node, inputs: int | None = None, outputs: int | None = None, name: str = "body") -> Graph | None:
    """The body of a node if it takes and gives as many values as the node needs it to."""
    body = (node.bodies or {}).get(name)
    if body is None or inputs is not None and len(body.inputs) != inputs:
        return None
    return None if outputs is not None and len(body.outputs) != outputs else body
