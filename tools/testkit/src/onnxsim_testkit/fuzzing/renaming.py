"""Other names for everything inside a model, and what of a model does not depend on names."""

from collections.abc import Iterator
from random import Random

import onnx

from .growing import bodies


def renamed(model: onnx.ModelProto, seed: int) -> onnx.ModelProto:
    """The model with other names for all nodes and all values but the inputs and outputs of the main graph."""
    changed = onnx.ModelProto()
    changed.CopyFrom(model)
    kept = {info.name for info in (*model.graph.input, *model.graph.output)}
    numbers = list(range(10_000))
    Random(seed).shuffle(numbers)
    names: dict[str, str] = {"": ""}

    def of(name: str) -> str:
        if name in kept:
            return name
        if name not in names:
            names[name] = f"r{numbers[len(names)]}"
        return names[name]

    def visit(graph: onnx.GraphProto, outermost: bool) -> None:
        for node in graph.node:
            node.name = of(f"node {node.name}") if node.name else ""
            node.input[:] = [of(name) for name in node.input]
            node.output[:] = [of(name) for name in node.output]
            for body in bodies(node):
                visit(body, False)
        for holder in (*graph.initializer, *graph.value_info, *(() if outermost else (*graph.input, *graph.output))):
            holder.name = of(holder.name)
        for sparse in graph.sparse_initializer:
            sparse.values.name = of(sparse.values.name)

    visit(changed.graph, True)
    return changed


def outline(model: onnx.ModelProto) -> list[str]:
    """Operators by graph, for comparing two simplified models that should not differ."""
    return [op for graph in all_graphs(model.graph) for op in sorted(_label(node) for node in graph.node)]


def _label(node: onnx.NodeProto) -> str:
    return f"{node.domain}:{node.op_type}/{len(node.input)}/{len(node.output)}"


def all_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """A graph and the bodies in it."""
    yield graph
    for node in graph.node:
        for body in bodies(node):
            yield from all_graphs(body)
