"""What a call of a local function gives: its body is walked with what is known of the call's inputs.

Calls that know the same share one walk. Sizes that only the body knows are another number in every call, so whoever
takes a finished walk over gets symbols of its own for them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..infer.engine import Inference
from ..ir.dims import Dim, Size, substitute, symbols
from ..ir.graph import Node, Value
from ..ir.tensors import Tensor
from .body import Body, Key, call_key

Fact = tuple[int, Any, Any, Any]
"""Data type, shape, elements and TypeProto of a value."""
Tail = Callable[[Node, Inference], None]

WALKED = 200_000
"""Nodes of bodies after which further calls stay unknown: nested calls can stand for exponentially many nodes."""
DEEPEST = 32
"""Calls within calls after which further ones stay unknown: each takes some of Python's stack."""


class CallFacts:
    """The tail of an `Inference`: states what calls of local functions give, and leaves other nodes to the next."""

    __slots__ = ("next", "finished", "stated", "open", "left")

    def __init__(self, next_tail: Tail) -> None:
        self.next = next_tail
        self.finished: dict[Any, tuple[set[Dim], list[Fact]]] = {}
        self.stated: dict[Node, tuple[Any, list[Fact]]] = {}
        self.open: set[Key] = set()
        self.left = WALKED

    def __call__(self, node: Node, ctx: Inference) -> None:
        key = call_key(node)
        function = ctx.model.functions.get(key)
        if function is None:
            self.next(node, ctx)
        elif key not in self.open and len(self.open) < DEEPEST and self.left > 0 and not node.bodies:
            self._call(node, ctx, key, function.proto)

    def _call(self, node: Node, ctx: Inference, key: Key, proto: Any) -> None:
        given = [_fact(value, ctx) for value in node.inputs]
        if len(given) > len(proto.input):
            return
        attributes = tuple(sorted(node.attributes.items(), key=lambda item: item[0]))
        signature = (key, tuple([fact[:3] for fact in given]), attributes, ctx.model.opset())
        if any(fact[3] is not None for fact in given) or not _is_hashable(attributes):
            signature = None  # type: ignore[assignment]
        facts = self._facts(node, ctx, proto, given, key, signature)
        for value, (dtype, shape, data, kind) in zip(node.outputs, facts):
            if kind is not None and not value.dtype:
                value.type_proto = kind
            elif dtype:
                ctx.set(value, dtype, shape, data)

    def _facts(self, node: Node, ctx: Inference, proto: Any, given: list[Fact], key: Key,
               signature: Any) -> list[Fact]:
        """The facts of a call; a call that is looked at again with nothing new known has the same symbols again."""
        stated = self.stated.get(node)
        if stated is not None and signature is not None and stated[0] == signature:
            return stated[1]
        known = self.finished.get(signature) if signature is not None else None
        if known is None:
            known = ({size for fact in given for size in _symbols(fact)}, self._walk(node, ctx, proto, given, key))
            if signature is not None:
                self.finished[signature] = known
            facts = known[1]
        else:
            facts = _renewed(known[1], known[0], ctx)
        if not self.open:
            self.stated[node] = signature, facts
        return facts

    def _walk(self, node: Node, ctx: Inference, proto: Any, given: list[Fact], key: Key) -> list[Fact]:
        """What the outputs are when the inputs are like this."""
        body = Body(proto, ctx.model)
        self.left -= sum(graph.count for graph in body.model.graphs())
        body.bind(node.attributes)
        for value, (dtype, shape, data, kind) in zip(body.graph.inputs, given):
            value.dtype, value.shape, value.data, value.type_proto = dtype, shape, data, kind
        self.open.add(key)
        try:
            inner = Inference(body.model, tail=self)
            inner.walk(body.graph)
        finally:
            self.open.discard(key)
        return [_fact(value, inner) for value in body.graph.outputs]


def _fact(value: Value | None, ctx: Inference) -> Fact:
    if value is None:
        return 0, None, None, None
    kind = value.type_proto if not value.dtype else None
    return value.dtype, None if value.doubtful else value.shape, ctx.data(value), kind


def _symbols(fact: Fact) -> set[Dim]:
    found: set[Dim] = set()
    for size in (*(fact[1] or ()), *(fact[2] or ())):
        if type(size) is Dim:
            found |= symbols(size)
    return found


def _renewed(facts: Iterable[Fact], given: set[Dim], ctx: Inference) -> list[Fact]:
    """The facts with new symbols for what is no size of the inputs."""
    values: dict[Dim, Size] = {}
    for fact in facts:
        for size in _symbols(fact) - given:
            if size not in values:
                values[size] = ctx.fresh()
    if not values:
        return list(facts)

    def renew(sizes: Any) -> Any:
        return None if sizes is None else tuple([substitute(size, values) for size in sizes])

    return [(dtype, renew(shape), renew(data), kind) for dtype, shape, data, kind in facts]


def _is_hashable(attributes: tuple[tuple[str, Any], ...]) -> bool:
    """Can two calls be compared by these attributes? Tensors and messages would have to be read for that."""
    for _, value in attributes:
        if isinstance(value, tuple):
            if any(isinstance(item, Tensor) for item in value):
                return False
        elif type(value) not in (int, float, bytes, str):
            return False
    return True
