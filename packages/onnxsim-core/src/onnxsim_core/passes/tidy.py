"""What is done once at the end: dead code, unused constants, names, IR version."""

from __future__ import annotations

from collections.abc import Collection

from ..ir.graph import Graph, Model, Value
from ..rewrite.driver import Driver


def graphs_of(model: Model, bodies: bool) -> list[Graph]:
    """The main graph, with or without all subgraphs."""
    return list(model.graphs()) if bodies else [model.graph]


def remove_dead_code(model: Model, driver: Driver) -> int:
    """Remove every node none of whose results is read, from the last to the first, bodies included."""
    removed = 0
    for graph in graphs_of(model, driver.bodies):
        for node in graph.reversed():
            if node.alive and all(v.is_dead for v in node.outputs):
                driver.remove(node)
                removed += 1
    return removed


def drop_unused_constants(model: Model, kept: Collection[Value] = (), *, bodies: bool = True) -> None:
    """Remove constants that nobody reads, but for those in `kept`."""
    for graph in graphs_of(model, bodies):
        for value in [v for v in graph.constants if v.is_dead and not v.is_input and v not in kept]:
            del graph.constants[value]
        if graph.sparse:
            read = {v.name for n in graph for v in n.inputs if v is not None} | {v.name for v in graph.outputs}
            for inner in _inner(graph):
                read |= {v.name for n in inner for v in n.inputs if v is not None}
            graph.sparse = {name: sparse for name, sparse in graph.sparse.items() if name in read}


def _inner(graph: Graph) -> list[Graph]:
    from ..ir.graph import nested_graphs

    return list(nested_graphs(graph))[1:]


def name_nodes(model: Model, *, bodies: bool = True) -> None:
    """Every node gets a name of its own; the first bearer of a repeated name keeps it."""
    taken: set[str] = set()
    counter: dict[str, int] = {}
    for graph in graphs_of(model, bodies):
        for node in graph:
            name = node.name
            if name and name not in taken:
                taken.add(name)
                continue
            base = name or node.op_type
            number = counter.get(base, 0)
            candidate = f"{base}_{number}" if not name else base
            while candidate in taken:
                number += 1
                candidate = f"{base}_{number}"
            counter[base] = number
            node.name = candidate
            node.changed = True
            taken.add(candidate)


def raise_ir_version(model: Model) -> None:
    """A constant that no input stands for needs IR version 4.  Source: ONNX IR, "Initializers"."""
    if model.ir_version < 4 and any(not value.is_input for graph in model.graphs() for value in graph.constants):
        model.ir_version = 4
