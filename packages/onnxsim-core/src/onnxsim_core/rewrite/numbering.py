"""Numbering: which earlier node or value is known to be the same as what a node makes.

Two tables per graph. *Nodes* are keyed by operator and inputs (small constants by content); attributes are compared on
a hit only. *Values* are keyed by the symbolic elements of small integer tensors: two chains that compute `[batch, 1,
seq]` in different ways meet there. A third table remembers where each symbolic size can be read off: the first value
with an axis of that size. Entries are never cleaned up; each is checked when it is found.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import copysign
from typing import Any

from ..fold.policy import is_deterministic
from ..ir.dims import Dim, Size
from ..ir.dtypes import INT32, INT64, STRING
from ..ir.graph import Graph, Model, Node, Shape, Value
from ..ir.tensors import Tensor, same_bytes

KEYED_ELEMENTS = 16
"""Largest constant that is compared by content; larger duplicates are merged elsewhere and then equal by identity."""
PLACES = 4
"""Nodes that differ in attributes alone share a key; this many are remembered."""
KEPT_APART = frozenset({"QuantizeLinear", "DequantizeLinear"})
"""Backends want a quantiser of its own for every reader."""


class Numbering:
    """The tables of one model. `nodes` merges equal nodes, `values` merges values of equal symbolic elements."""

    __slots__ = ("merges_nodes", "merges_values", "nodes", "values", "contents", "sources", "later")

    def __init__(self, model: Model, *, merges_nodes: bool = True, merges_values: bool = True) -> None:
        self.merges_nodes = merges_nodes
        self.merges_values = merges_values
        self.nodes: dict[Graph, dict[Any, list[Node]]] = {}
        self.values: dict[Graph, dict[Any, Value]] = {}
        self.contents: dict[Value, Any] = {}
        self.sources: dict[Dim, tuple[Value, int]] = {}
        self.later: list[Node] = []
        for value in model.graph.inputs:
            self.note_sizes(value)

    # --- equal nodes -----------------------------------------------------------------------------------------------
    def same_node(self, node: Node) -> Sequence[Value] | None:
        """Outputs of an earlier node that computes the same, or None; the node is then the one to be found.

        When the node found stands behind this one, it is put in `later`: it is to be visited again.
        """
        if node.domain or node.bodies is not None or node.op_type in KEPT_APART:
            return None
        key = self._key(node)
        graph = node.graph
        assert graph is not None
        table = self.nodes.get(graph)
        if table is None:
            table = self.nodes[graph] = {}
        places = table.get(key)
        if places is None and graph.owner is None:
            table[key] = [node]
            return None
        anchor = node
        level: Graph | None = graph
        while level is not None:
            there = places if level is graph else self.nodes.get(level, {}).get(key)
            found = None if there is None else self._found(there, node, key)
            if found is not None:
                if found.position < anchor.position:
                    return found.outputs
                if level is graph:
                    self.later.append(found)
            owner = level.owner
            if owner is None:
                break
            anchor, level = owner, owner.graph
        if places is None:
            table[key] = [node]
            return None
        for place, known in enumerate(places):
            if known is node or not known.alive or place == PLACES - 1:
                places[place] = node
                return None
        places.append(node)
        return None

    def _found(self, places: list[Node], node: Node, key: tuple[Any, ...]) -> Node | None:
        """Another of these nodes that computes the same."""
        for found in places:
            if found is not node and found.alive and self._computes(found, node, key):
                return found
        return None

    def _key(self, node: Node) -> tuple[Any, ...]:
        parts: list[Any] = [node.op_type]
        for value in node.inputs:
            parts.append(value if value is None or value.tensor is None or value.is_input else self._content(value))
        return tuple(parts)

    def _content(self, value: Value) -> Any:
        """Dtype, dims and bytes of a small constant; a large one is itself."""
        found = self.contents.get(value)
        if found is None:
            tensor = value.tensor
            assert tensor is not None
            if value.node is None and tensor.size <= KEYED_ELEMENTS and tensor.dtype != STRING:
                found = (tensor.dtype, tensor.dims, bytes(tensor.tobytes()))
            else:
                found = value
            self.contents[value] = found
        return found

    def _computes(self, found: Node, node: Node, key: tuple[Any, ...]) -> bool:
        """Does the node in the table still have that key, the same attributes, and all outputs that are wanted?"""
        if len(found.outputs) < len(node.outputs) or self._key(found) != key or not is_deterministic(node):
            return False
        for ours, theirs in zip(node.outputs, found.outputs):
            if not theirs.name and not ours.is_dead:
                return False
        return same_attributes(found, node)

    # --- equal values ----------------------------------------------------------------------------------------------
    def same_value(self, node: Node) -> Value | None:
        """An earlier value with the same symbolic elements, dtype and shape as what the node makes."""
        if len(node.outputs) != 1:
            return None
        value = node.outputs[0]
        data = value.data
        if value.tensor is not None or value.doubtful or value.shape is None or value.dtype not in (INT64, INT32):
            return None
        key = (value.dtype, value.shape, data)
        graph = node.graph
        anchor = node
        level = graph
        while level is not None:
            table = self.values.get(level)
            if table is not None:
                found = table.get(key)
                if found is not None and found is not value:
                    maker = found.node
                    if maker is not None and maker.alive and found.data == data and found.shape == value.shape:
                        if maker.position < anchor.position:
                            return found
                        if level is graph:
                            self.later.append(maker)
            owner = level.owner
            if owner is None:
                break
            anchor, level = owner, owner.graph
        assert graph is not None
        table = self.values.get(graph)
        if table is None:
            table = self.values[graph] = {}
        table[key] = value
        if value.shape == (1,):
            # The scalar of this size may now be had by a Squeeze.
            scalar = table.get((value.dtype, (), data))
            if scalar is not None and scalar.node is not None and scalar.node.position < node.position:
                self.later.append(scalar.node)
        return None

    def value_of(self, shape: Shape, data: tuple[Size, ...], before: Node) -> Value | None:
        """An INT64 value of that shape and these elements that the node can read, or None."""
        anchor: Node | None = before
        while anchor is not None:
            found = self.has_value(shape, data, anchor.graph)
            if found is not None and found.node is not None and found.node.position < anchor.position:
                return found
            anchor = anchor.graph.owner if anchor.graph is not None else None
        return None

    def has_value(self, shape: Shape, data: tuple[Size, ...], graph: Graph | None) -> Value | None:
        """Such a value anywhere in that one graph."""
        table = self.values.get(graph)  # type: ignore[arg-type]
        found = None if table is None else table.get((INT64, shape, data))
        if found is None or found.node is None or not found.node.alive or found.data != data or found.shape != shape:
            return None
        return found

    # --- where a size can be read off ------------------------------------------------------------------------------
    def note_sizes(self, value: Value) -> None:
        """Remember this value for those of its sizes that no value before it has."""
        shape = value.shape
        if shape is None or value.doubtful or not value.dtype:
            return
        sources = self.sources
        for axis, size in enumerate(shape):
            if type(size) is Dim and (size not in sources or not _holds(sources[size], size)):
                sources[size] = (value, axis)

    def source(self, size: Dim, before: Node) -> tuple[Value, int] | None:
        """A value that is made before the node, and the axis of it that has this size."""
        found = self.sources.get(size)
        if found is None or not _holds(found, size) or not is_visible(found[0], before):
            return None
        return found


def _holds(entry: tuple[Value, int], size: Dim) -> bool:
    value, axis = entry
    shape = value.shape
    if shape is None or axis >= len(shape) or shape[axis] != size:
        return False
    return value.is_input if value.node is None else value.node.alive


def is_visible(value: Value, node: Node) -> bool:
    """Can the node read the value: is it made before it, in its graph or one around it?"""
    anchor: Node | None = node
    while anchor is not None:
        graph = anchor.graph
        if graph is value.graph:
            return value.node is None or value.node.position < anchor.position
        anchor = graph.owner if graph is not None else None
    return False


def same_attributes(a: Node, b: Node) -> bool:
    """Written the same way, tensors to the byte; what cannot be compared is taken to differ."""
    ours, theirs = a.attributes, b.attributes
    if len(ours) != len(theirs):
        return False
    for name, value in ours.items():
        if name not in theirs or not _same_attribute(value, theirs[name]):
            return False
    return True


def _same_attribute(a: Any, b: Any) -> bool:
    if type(a) is not type(b):
        return False
    if isinstance(a, Tensor):
        return same_bytes(a, b)
    if type(a) is tuple:
        return len(a) == len(b) and all(_same_attribute(x, y) for x, y in zip(a, b))
    if type(a) is float:
        return a == b and copysign(1.0, a) == copysign(1.0, b)
    return type(a) in (int, bytes) and a == b
