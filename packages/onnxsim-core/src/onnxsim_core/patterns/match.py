"""Finding a pattern around a node."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from ..ir.graph import Graph, Node, Value
from ..ir.tensors import Tensor, same_bytes
from ..versions.history import attribute_defaults, since
from .pattern import COMMUTATIVE, UNORDERED, Hole, Pattern, PatternNode, PatternValue, neighbours

BROADCASTING = COMMUTATIVE | UNORDERED | {
    "Sub", "Div", "Pow", "Mod", "Less", "LessOrEqual", "Greater", "GreaterOrEqual",
}
"""Operators that take a number with one element like one without dimensions."""
TRIES = 10_000
"""Nodes and orders of operands that are looked at before a search ends without a find."""


class Match:
    """Where a pattern was found: by what they stand for, nodes, values (None if left out), rests and attributes."""

    __slots__ = ("nodes", "values", "rests", "attributes")

    def __init__(self) -> None:
        self.nodes: dict[PatternNode, Node] = {}
        self.values: dict[PatternValue, Value | None] = {}
        self.rests: dict[PatternValue, tuple[Value | None, ...]] = {}
        self.attributes: dict[str, Any] = {}


def plans(pattern: Pattern) -> dict[PatternNode, list[PatternNode]]:
    """For every sink, an order in which each node is a neighbour of those before it."""
    found = {}
    for sink in pattern.sinks:
        order = [sink]
        for node in order:
            # What makes the inputs is certain, what else reads a value must be searched for.
            producers = [value.node for value in node.inputs if value is not None and value.node is not None]
            for neighbour in (*producers, *neighbours(node)):
                if neighbour not in order:
                    order.append(neighbour)
        found[sink] = order
    return found


class Search:
    """One search for a pattern at a node of a graph whose default domain has this version."""

    def __init__(self, pattern: Pattern, plan: list[PatternNode], graph: Graph, opset: int) -> None:
        self.pattern = pattern
        self.plan = plan
        self.graph = graph
        self.opset = opset
        self.match = Match()
        self.left = TRIES

    def at(self, node: Node) -> Match | None:
        """The first find whose first node is `node`."""
        return self.match if self._place(0, node) else None

    # --- nodes -----------------------------------------------------------------------------------------------------
    def _place(self, step: int, node: Node) -> bool:
        """Take `node` for node number `step` of the plan, and find the rest."""
        wanted = self.plan[step]
        self.left -= 1
        if self.left < 0 or not self._is_like(wanted, node):
            return False
        before = self._state()
        self.match.nodes[wanted] = node
        if self._bind_attributes(wanted, node) and self._bind_outputs(wanted, node):
            kept = self._state()
            for operands in assignments(wanted, node):
                self.left -= 1
                if self.left < 0:
                    break
                if self._bind_inputs(wanted, node, operands) and self._go_on(step + 1):
                    return True
                self._restore(kept)
        self._restore(before)
        return False

    def _go_on(self, step: int) -> bool:
        if step == len(self.plan):
            return True
        return any(self._place(step, node) for node in self._candidates(self.plan[step]))

    def _is_like(self, wanted: PatternNode, node: Node) -> bool:
        if node.op_type != wanted.op_type or node.domain != wanted.domain or node.graph is not self.graph:
            return False
        if (wanted.overload and node.overload != wanted.overload) or node.bodies is not None or not node.alive:
            return False
        if len(node.outputs) < len(wanted.outputs):
            return False
        is_sink = wanted in self.pattern.sinks
        return not (is_sink and any(taken is node for other, taken in self.match.nodes.items() if other is not wanted))

    def _candidates(self, wanted: PatternNode) -> list[Node]:
        """Nodes that `wanted` can only be, because of the values found so far."""
        values = self.match.values
        for output in wanted.outputs:
            value = values.get(output) if output is not None else None
            if value is not None:
                return [value.node] if value.node is not None else []
        found: list[Node] = []
        for source in wanted.inputs:
            value = values.get(source) if source is not None and source.tensor is None else None
            if value is not None:
                found += value.uses
        return found

    # --- what a node says ------------------------------------------------------------------------------------------
    def _bind_attributes(self, wanted: PatternNode, node: Node) -> bool:
        bound = self.match.attributes
        for name, value in wanted.attributes.items():
            actual = node.attribute(name)
            if actual is None and not node.domain:
                version = since(node.op_type, self.opset)
                actual = attribute_defaults(node.op_type, version).get(name) if version else None
            if actual is None:
                return False
            expected = value
            if isinstance(value, Hole):
                expected = bound.setdefault(value.name, actual)
            if not same_attribute(expected, actual):
                return False
        return True

    def _bind_outputs(self, wanted: PatternNode, node: Node) -> bool:
        for output, value in zip(wanted.outputs, node.outputs):
            if output is not None and (not value.name or not self._bind(output, value)):
                return False
        return True

    def _bind_inputs(self, wanted: PatternNode, node: Node, operands: list[Value | None]) -> bool:
        for source, value in zip(wanted.inputs, operands):
            if source is None:
                if value is not None:
                    return False
            elif source.tensor is not None:
                if not holds(source.tensor, value, wanted, node):
                    return False
            elif not self._bind(source, value):
                return False
        if wanted.rest is None:
            return True
        others = tuple(operands[len(wanted.inputs):])
        return self.match.rests.setdefault(wanted.rest, others) == others

    def _bind(self, source: PatternValue, value: Value | None) -> bool:
        """Let a value of the pattern be this one; False if it is another already, or is made in another way."""
        values = self.match.values
        if source in values:
            return values[source] is value
        maker = source.node
        if maker is not None:
            if value is None or value.node is None or not value.node.alive:
                return False
            outputs = value.node.outputs
            if source.index >= len(outputs) or outputs[source.index] is not value:
                return False
            if value.node.op_type != maker.op_type:
                return False
            placed = self.match.nodes.get(maker)
            if placed is not None and placed is not value.node:
                return False
        values[source] = value
        return True

    # --- going back ------------------------------------------------------------------------------------------------
    def _state(self) -> tuple[int, int, int, int]:
        match = self.match
        return len(match.nodes), len(match.values), len(match.rests), len(match.attributes)

    def _restore(self, state: tuple[int, int, int, int]) -> None:
        match = self.match
        tables: tuple[dict[Any, Any], ...] = (match.nodes, match.values, match.rests, match.attributes)
        for table, size in zip(tables, state):
            while len(table) > size:
                table.popitem()


def same_attribute(a: Any, b: Any) -> bool:
    """The same kind and value, tensors and floats to the bit."""
    if isinstance(a, Tensor) or isinstance(b, Tensor):
        return isinstance(a, Tensor) and isinstance(b, Tensor) and same_bytes(a, b)
    if type(a) is not type(b):
        return False
    if type(a) is tuple:
        return len(a) == len(b) and all(same_attribute(x, y) for x, y in zip(a, b))
    if type(a) is float:
        return struct.pack("<d", a) == struct.pack("<d", b)
    return type(a) in (int, bytes) and bool(a == b)


def assignments(wanted: PatternNode, node: Node) -> Iterator[list[Value | None]]:
    """The orders in which the operands of a node may be taken for those of the pattern."""
    operands = list(node.inputs)
    count = len(wanted.inputs)
    missing = count - len(operands)
    if missing > 0 and not node.domain:
        operands += [None] * missing  # inputs at the end that are left out
    if len(operands) < count or (wanted.rest is None and len(operands) > count):
        return
    if not node.domain and node.op_type in COMMUTATIVE and count == len(operands) == 2:
        yield operands
        yield operands[::-1]
    elif not node.domain and node.op_type in UNORDERED:
        yield from arrangements(operands, count)
    else:
        yield operands


def arrangements(operands: list[Value | None], count: int) -> Iterator[list[Value | None]]:
    """Every choice of `count` operands in every order, the others behind in theirs."""
    if not count:
        yield list(operands)
        return
    for index in range(len(operands)):
        left = operands[:index] + operands[index + 1:]
        for others in arrangements(left, count - 1):
            yield [operands[index], *others]


def holds(tensor: Tensor, value: Value | None, wanted: PatternNode, node: Node) -> bool:
    """Is it a constant with the same type, dims and bytes?

    A number without dimensions also stands for one with a single element where the operator broadcasts and the result
    keeps its rank.
    """
    if value is None or not value.is_constant or value.tensor is None or value.tensor.dtype != tensor.dtype:
        return False
    found = value.tensor
    if found.dims == tensor.dims:
        return same_bytes(found, tensor)
    if tensor.dims or found.size != 1 or node.domain or node.op_type not in BROADCASTING:
        return False
    rank = len(found.dims)
    wide = any(other is not value and other is not None and other.shape is not None and len(other.shape) >= rank
               for other in node.inputs)
    return wide and same_bytes(found.reshaped(()), tensor)
