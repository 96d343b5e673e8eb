"""Putting the replacement where the pattern was found."""

from __future__ import annotations

from typing import Any

from ..functions.body import Body
from ..functions.inline import own
from ..ir.graph import Model, Node, Value, nested_graphs
from ..rewrite.builder import Builder
from ..rewrite.inline import inline_body
from ..rewrite.rule import Several, Skip, skip
from ..versions.history import optional_inputs, since
from .match import Match, Search, plans
from .pattern import REST, Pattern

Lineage = dict[Node, frozenset[str]]
"""For nodes that rules made: the rules they come from, directly or through nodes that were replaced."""


class Application:
    """One rule at work on one model.

    It never takes a find that consists only of what it made itself, so that a replacement may hold its own pattern.
    """

    def __init__(self, name: str, pattern: Pattern, replacement: Any, opsets: dict[str, int], model: Model,
                 lineage: Lineage) -> None:
        self.name = name
        self.pattern = pattern
        self.replacement = replacement
        self.opsets = opsets
        self.model = model
        self.lineage = lineage
        self.plans = plans(pattern)
        self._bodies: dict[tuple[int, ...], Body] = {}

    def rewrite(self, node: Node, op: Builder) -> Several | Skip:
        """The values that stand for the outputs of the pattern, if it is found to end at this node."""
        reason = skip("the pattern is not there")
        for sink, plan in self.plans.items():
            if sink.op_type != node.op_type or sink.domain != node.domain:
                continue
            assert node.graph is not None
            match = Search(self.pattern, plan, node.graph, op.opset).at(node)
            if match is None:
                continue
            made = self._replace(match, op)
            if isinstance(made, Several):
                return made
            reason = made
        return reason

    def _replace(self, match: Match, op: Builder) -> Several | Skip:
        nodes = set(match.nodes.values())
        lines = [self.lineage.get(node, frozenset()) for node in nodes]
        if all(self.name in line for line in lines):
            return skip("the rule made these nodes itself")
        if self._escapes(match, nodes):
            return skip("an inner value is used elsewhere")
        if self._lacks_inputs(match):
            return skip("an input that is left out is needed")
        last = max(nodes, key=lambda node: node.position)
        behind = readers_before(self.pattern, match, nodes, last)
        if behind is None:
            return skip("an input depends on an output")
        op.at(last)
        values = self._build(match, op)
        pairs: dict[Node, list[Value]] = {}
        taken: list[Value] = []
        for output, value in zip(self.pattern.outputs, values):
            old = match.values[output]
            assert old is not None and old.node is not None
            new = own(old, value, taken, op)
            taken.append(new)
            pairs.setdefault(old.node, list(old.node.outputs))[old.node.outputs.index(old)] = new
        line = frozenset({self.name}).union(*lines)
        for fresh in op.made:
            self.lineage[fresh] = line
        for domain, version in self.opsets.items():
            if domain:
                self.model.opsets.setdefault(domain, version)
        return Several([(node, tuple(new)) for node, new in pairs.items()], last, behind)

    def _escapes(self, match: Match, nodes: set[Node]) -> bool:
        """Is a value that goes with the pattern read elsewhere, or a graph output?"""
        kept = {match.values[output] for output in self.pattern.outputs}
        for node in nodes:
            for value in node.outputs:
                if value not in kept and (value.outputs or not nodes.issuperset(value.uses)):
                    return True
        return False

    def _lacks_inputs(self, match: Match) -> bool:
        """Does the replacement need an input that the model leaves out?"""
        absent = {name for name, source in self.pattern.inputs.items()
                  if source.readers and not name.endswith(REST) and match.values.get(source) is None}
        if not absent:
            return False
        if absent.intersection(self.replacement.output):
            return True
        for node in self.replacement.node:
            domain = "" if node.domain == "ai.onnx" else node.domain
            version = 0 if domain else since(node.op_type, self.model.opset())
            optional = optional_inputs(node.op_type, version) if version else None
            for place, name in enumerate(node.input):
                if name in absent and optional is not None and not (place < len(optional) and optional[place]):
                    return True
        return False

    def _build(self, match: Match, op: Builder) -> list[Value]:
        """The nodes of the replacement, before the last node of the find."""
        rests = {source.name: values for source, values in match.rests.items()}
        sizes = tuple(len(rests[name]) for name in self.replacement.input if name in rests)
        body = self._bodies.get(sizes)
        if body is None:
            body = self._bodies[sizes] = Body(spread(self.replacement, rests), self.model)
        body.bind(match.attributes)
        arguments: list[Value | None] = []
        for name in self.replacement.input:
            arguments += rests[name] if name in rests else (match.values[self.pattern.inputs[name]],)
        return inline_body(op, body.graph, arguments)


def spread(proto: Any, rests: dict[str, tuple[Value | None, ...]]) -> Any:
    """The function with an input for each operand of a rest."""
    if not rests:
        return proto
    copy = type(proto)()
    copy.CopyFrom(proto)
    for names in (copy.input, *(node.input for node in copy.node)):
        wide = [one for name in names
                for one in ([f"{name}{i}" for i in range(len(rests[name]))] if name in rests else [name])]
        del names[:]
        names.extend(wide)
    return copy


def readers_before(pattern: Pattern, match: Match, nodes: set[Node], last: Node) -> list[Node] | None:
    """Nodes before the last one of a find that need its outputs, to be moved behind it; None if an input needs them."""
    outputs = [match.values[output] for output in pattern.outputs]
    first = min(value.node.position for value in outputs if value is not None and value.node is not None)
    if first == last.position:
        return []
    tainted = set(outputs)
    moved: list[Node] = []
    node = next((value.node for value in outputs if value is not None and value.node is not None
                 and value.node.position == first), None)
    while node is not None and node is not last:
        if node not in nodes and not tainted.isdisjoint(read_by(node)):
            moved.append(node)
            tainted.update(node.outputs)
        node = node.next
    given = {*match.values.values(), *(value for rest in match.rests.values() for value in rest)}
    inner = {value for taken in nodes for value in taken.outputs}
    return None if (given - inner) & tainted else moved


def read_by(node: Node) -> set[Any]:
    """Every value that the node or a node in its bodies reads, and what the bodies give."""
    found: set[Any] = set(node.inputs)
    for body in (node.bodies or {}).values():
        for graph in nested_graphs(body):
            found.update(graph.outputs)
            for inner in graph:
                found.update(inner.inputs)
    return found
