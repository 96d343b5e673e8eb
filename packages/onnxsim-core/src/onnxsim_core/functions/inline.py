"""Putting the body of a local function in the place of its calls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from ..errors import ModelError
from ..infer.engine import Inference
from ..ir.graph import Model, Node, Value, nested_graphs
from ..ops.bodies import visit
from ..rewrite.builder import Builder
from ..rewrite.driver import Driver
from ..rewrite.inline import inline_body
from ..rewrite.rule import Rule, Skip, skip
from .body import Body, Key, call_key, calls, label

PASS = "inline_functions"
LARGEST = 200_000
GROWTH = 10
"""A model may have that many nodes after inlining, or so many times the ones it is written with; nested calls can stand
for exponentially many."""


def inline_calls(model: Model, kept: frozenset[Key] = frozenset()) -> dict[Node, int]:
    """Replace every call by the function's body, calls inside it too, and drop the functions nobody calls then.

    Functions in `kept` stay. Gives the nodes that are written for another version of the default domain than the
    model's, with that version.

    Raises:
        ModelError: a function calls itself, a call does not fit its function, or the result is beyond all measure.
    """
    bodies = {key: Body(function.proto, model) for key, function in model.functions.items() if key not in kept}
    if not bodies:
        return {}
    called = called_functions(model)
    expected = inlined_size(model, bodies)
    foreign: dict[Node, int] = {}
    rules: dict[Any, list[Rule]] = {}
    for key, body in bodies.items():
        domain, name, _ = key
        rules.setdefault((domain, name) if domain else name, []).append(_rule(key, body, model, foreign))
    ctx = Inference(model, tail=_enter_bodies)
    ctx.table = defaultdict(lambda: None)  # nothing is asked of nodes that may be of another version than their neighbours
    Driver(model, rules, ctx=ctx).run(expected)
    for key in called - called_functions(model):
        model.functions.pop(key, None)
    for key, body in bodies.items():
        if key in called:
            _merge_imports(model, body)
    return {node: level for node, level in foreign.items() if node.alive}


def _rule(key: Key, body: Body, model: Model, foreign: dict[Node, int]) -> Rule:
    level = body.model.opset()
    is_foreign = level != model.opset()

    def inline_call(node: Node, op: Builder) -> tuple[Value, ...] | Skip:
        if call_key(node) != key:
            return skip("another overload is called")
        values = expand(node, op, body)
        for made in op.made:
            if node.name and made.name:
                made.name = f"{node.name}/{made.name}"
            if is_foreign:
                foreign.update(dict.fromkeys(with_inner(made), level))
        return values

    return Rule(PASS, (key[1],), key[0], 1, inline_call)


def _enter_bodies(node: Node, ctx: Inference) -> None:
    for body in (node.bodies or {}).values():
        visit(body, ctx)


def with_inner(node: Node) -> Iterator[Node]:
    """The node and every node in its bodies."""
    yield node
    for body in (node.bodies or {}).values():
        for graph in nested_graphs(body):
            yield from graph


def expand(node: Node, op: Builder, body: Body) -> tuple[Value, ...]:
    """The body's nodes before the call; gives the values that stand for the call's outputs.

    Raises:
        ModelError: the call does not fit the function.
    """
    graph = body.graph
    if len(node.inputs) > len(graph.inputs) or len(node.outputs) > len(graph.outputs):
        raise ModelError(
            f"a call gives {len(node.inputs)} inputs and takes {len(node.outputs)} outputs, but "
            f"{label(call_key(node))} has {len(graph.inputs)} and {len(graph.outputs)}", where=node.where())
    body.bind(node.attributes, node.bodies)
    arguments = [*node.inputs, *(None,) * (len(graph.inputs) - len(node.inputs))]
    omitted = {value for value, given in zip(graph.inputs, arguments) if given is None}
    if not omitted.isdisjoint(graph.outputs):
        raise ModelError("the function returns an input that the call leaves out", where=node.where())
    values = inline_body(op, graph, arguments)
    return tuple(own(old, new, values[:index], op) for index, (old, new) in enumerate(zip(node.outputs, values)))


def own(old: Value, new: Value, before: list[Value], op: Builder) -> Value:
    """A value that may take the call's output over: graph outputs keep their name, so an input cannot be one."""
    if old.outputs and (new.is_input or new.node is None or new.graph is not op.graph or new.outputs or new in before):
        value: Value = op.Identity(new)
        return value
    return new


def called_functions(model: Model) -> set[Key]:
    """Functions that are called from the graph, directly or by another function."""
    if not model.functions:
        return set()
    found = {call_key(node) for node in calls(model.graphs(), model)}
    waiting = list(found)
    while waiting:
        for inner in _called_by(model.functions[waiting.pop()].proto.node, model):
            if inner not in found:
                found.add(inner)
                waiting.append(inner)
    return found


def _called_by(nodes: Any, model: Model) -> list[Key]:
    """Functions that the nodes of a NodeProto list call, also in their bodies, once per call."""
    found = []
    for node in nodes:
        key = ("" if node.domain == "ai.onnx" else node.domain, node.op_type, node.overload)
        if key in model.functions:
            found.append(key)
        for attribute in node.attribute:
            if attribute.type == 5:
                found += _called_by(attribute.g.node, model)
    return found


def inlined_size(model: Model, bodies: Mapping[Key, Body]) -> int:
    """How many nodes the model has when every call is replaced.

    Raises:
        ModelError: a function calls itself, or there would be too many.
    """
    sizes: dict[Key, int] = {}
    total = outside = sum(graph.count for graph in model.graphs())
    for key in callees_first(model):
        if key in bodies:
            nodes = model.functions[key].proto.node
            sizes[key] = len(nodes) + sum(sizes.get(inner, 0) for inner in _called_by(nodes, model))
    total += sum(sizes.get(call_key(node), 0) for node in calls(model.graphs(), model))
    written = outside + sum(len(function.proto.node) for function in model.functions.values())
    if total > max(LARGEST, GROWTH * written):
        raise ModelError(f"inlining the local functions would make {total} nodes of {model.graph.count}")
    return total


def callees_first(model: Model) -> list[Key]:
    """All functions, each after those that it calls.

    Raises:
        ModelError: a function calls itself, directly or through others.
    """
    order: list[Key] = []
    state: dict[Key, int] = {}
    for root in model.functions:
        stack = [(root, iter(_called_by(model.functions[root].proto.node, model)))] if root not in state else []
        if stack:
            state[root] = 1
        while stack:
            key, inner = stack[-1]
            callee = next(inner, None)
            if callee is None:
                stack.pop()
                state[key] = 2
                order.append(key)
            elif state.get(callee) == 1:
                raise ModelError(f"{label(callee)} calls itself", where=label(key))
            elif callee not in state:
                state[callee] = 1
                stack.append((callee, iter(_called_by(model.functions[callee].proto.node, model))))
    return order


def _merge_imports(model: Model, body: Body) -> None:
    """The model imports what the body's nodes need."""
    for domain, version in body.model.opsets.items():
        if domain:
            model.opsets[domain] = max(version, model.opsets.get(domain, version))
