"""What a run must leave alone: nodes the user keeps, opaque initializers, and what clean-ups that are off would remove.

Nothing in the engine asks whether something is held. A held value counts one reader more (`outputs`), as if it left the
graph, so that only a value that takes over its name replaces it. A kept node stands in a domain of its own, where no
rule, kernel or numbering knows it. An opaque initializer counts as an input, so that nobody takes its numbers.
`release` undoes all that.
"""

from __future__ import annotations

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ..errors import OptionError
from ..fold.origins import Origins
from ..infer.engine import Inference
from ..ir.dtypes import DOUBLE, FLOAT, FLOAT16, INT32, INT64
from ..ir.graph import Graph, Model, Node, Value
from ..ir.tensors import ints
from ..options import SimplifyOptions
from .engine import Engine

KEPT = "\0kept:"
"""What the domain of a kept node begins with."""
KNOWN_ELEMENTS = 256
"""Opaque initializers of so many integers still say what they are: shapes, axes and indices decide other sizes."""

LARGEST_NODE = 1024
"""A computed constant of more bytes becomes an initializer, even where small ones become Constant nodes."""


class Holding:
    """What is held of one model, from before the first round to after the last."""

    __slots__ = ("model", "kept", "opaque", "unused", "origins", "_deadends", "_bodies_only", "_initializers")

    def __init__(self, model: Model, options: SimplifyOptions, passes: frozenset[str]) -> None:
        self.model = model
        self.kept: list[Node] = []
        self.opaque = not options.initializers_as_constants
        self.unused: frozenset[Value] = frozenset()
        self.origins: Origins | None = None
        self._bodies_only = not (self.opaque or "extract_constant_to_initializer" not in passes)
        self._initializers: frozenset[Value] | None = None
        if not self._bodies_only or not options.include_subgraph:
            self._initializers = frozenset(written_initializers(model))
        if self.opaque:
            self._make_opaque()
        if options.keep_nodes:
            self._keep(options.keep_nodes)
        self._deadends = "eliminate_deadend" not in passes
        if self._deadends:
            for node in _nodes(model):
                if all(value.is_dead for value in node.outputs):
                    _hold(node.outputs)
        if "eliminate_unused_initializer" not in passes:
            self.unused = frozenset(v for graph in model.graphs() for v in graph.constants if v.is_dead)

    # --- taking hold -----------------------------------------------------------------------------------------------
    def _make_opaque(self) -> None:
        assert self._initializers is not None
        plain = []
        for graph in self.model.graphs():
            for value in graph.constants:
                if value not in self._initializers:
                    plain.append(value)
                    continue
                tensor = value.tensor
                if tensor is not None and value.dtype in (INT64, INT32) and tensor.size <= KNOWN_ELEMENTS:
                    value.data = ints(tensor)
                value.is_input = True
        self.origins = Origins(self._initializers, plain)

    def _keep(self, patterns: Iterable[str]) -> None:
        named = [node for node in _nodes(self.model) if node.name]
        chosen: dict[Node, None] = {}
        for pattern in patterns:
            found = _matching(pattern, named)
            for node in found:
                chosen[node] = None
                # What holds a kept node must stay, too.
                assert node.graph is not None
                chosen.update((graph.owner, None) for graph in node.graph.ancestors() if graph.owner is not None)
        for node in chosen:
            node.domain = KEPT + node.domain
            _hold(node.outputs)
            _hold(value for value in node.inputs if value is not None)
        self.kept = list(chosen)

    def take(self, engine: Engine) -> None:
        """Tell the engine that is about to work on the model."""
        engine.folder.origins = self.origins
        if self.kept:
            self._teach(engine.ctx)

    def _teach(self, ctx: Inference) -> None:
        """Let kept nodes be inferred as what they are, except that their elements are not known."""
        plain, known, tail = ctx.table, ctx.table.copy(), ctx.tail

        def as_itself(node: Node, ctx: Inference) -> None:
            hidden, node.domain = node.domain, node.domain.removeprefix(KEPT)
            try:
                rule = plain[(node.domain, node.op_type) if node.domain else node.op_type]
                if rule is not None:
                    rule(node, ctx)
                elif tail is not None:
                    tail(node, ctx)
            finally:
                node.domain = hidden
            for value in node.outputs:
                value.data = None

        for node in self.kept:
            known[node.domain, node.op_type] = as_itself
        ctx.table = known

    # --- letting go ------------------------------------------------------------------------------------------------
    def release(self) -> int:
        """Undo everything; gives how many constants, being no initializers, are Constant nodes now."""
        for node in self.kept:
            node.domain = node.domain.removeprefix(KEPT)
        if self.opaque or self.kept or self._deadends:
            self._restore_values()
        return 0 if self._initializers is None else self._constants_as_nodes(self._initializers)

    def _restore_values(self) -> None:
        model = self.model
        counts = Counter(value for graph in model.graphs() for value in graph.outputs)
        for graph in model.graphs():
            inputs = set(graph.inputs)
            for value in graph.constants:
                value.outputs = counts[value]
                value.is_input = value in inputs
            for value in graph.inputs:
                value.outputs = counts[value]
        for node in _nodes(model):
            for value in node.outputs:
                value.outputs = counts[value]

    def _constants_as_nodes(self, initializers: frozenset[Value]) -> int:
        held = {id(value.tensor) for value in initializers}
        # Constant-9 is the first that holds more than floats.
        any_type = self.model.opset() >= 9
        made = 0
        for graph in self.model.graphs():
            if self._bodies_only and graph.owner is None:
                continue
            names = {} if graph.proto is None else {
                node.output[0]: node.name for node in graph.proto.node if node.op_type == "Constant" and node.output}
            for value in list(graph.constants):
                if value.is_dead or value.is_input or value.tensor is None:
                    continue
                if not any_type and value.dtype not in (FLOAT, FLOAT16, DOUBLE):
                    continue
                if not self.opaque and value.name not in names and value.tensor.nbytes > LARGEST_NODE:
                    continue  # computed from weights, as like as not
                if value not in initializers and id(value.tensor) not in held:
                    _as_node(value, graph, names.get(value.name, ""))
                    made += 1
        return made


def written_initializers(model: Model) -> Iterator[Value]:
    """The constants that the file lists as initializers."""
    for graph in model.graphs():
        names = set() if graph.proto is None else {tensor.name for tensor in graph.proto.initializer}
        for value in graph.constants:
            if value.name in names:
                yield value


def check_kept(model: Model, patterns: Iterable[str]) -> None:
    """Check what is to be kept.

    Raises:
        OptionError: no node has such a name.
    """
    named = [node for node in _nodes(model) if node.name]
    for pattern in patterns:
        if not _matching(pattern, named):
            close = difflib.get_close_matches(pattern, [node.name for node in named], 3)
            raise OptionError(f"keep_nodes: no node is called {pattern!r}", hint=(
                "did you mean " + " or ".join(close) + "?" if close
                else "it is a name, or a regular expression for a whole name"))


def _matching(pattern: str, nodes: list[Node]) -> list[Node]:
    found = [node for node in nodes if node.name == pattern]
    if found:
        return found
    try:
        expression = re.compile(pattern)
    except re.error:
        return []
    return [node for node in nodes if expression.fullmatch(node.name)]


def _nodes(model: Model) -> Iterator[Node]:
    for graph in model.graphs():
        yield from graph


def _hold(values: Iterable[Value]) -> None:
    for value in values:
        value.outputs += 1


def _as_node(value: Value, graph: Graph, name: str) -> None:
    del graph.constants[value]
    attributes: dict[str, Any] = {"value": value.tensor}
    node = Node("Constant", [], [value], name=name, attributes=attributes)
    value.node = node
    if graph.first is None:
        graph.append(node)
    else:
        graph.insert_before(graph.first, node)
