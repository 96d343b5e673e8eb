"""Stable topological order of a graph's nodes."""

from __future__ import annotations

import heapq

from ..errors import ModelError
from .graph import Graph, Node, nested_graphs


def _needs(node: Node, graph: Graph) -> set[Node]:
    """Nodes of `graph` whose outputs this node reads, directly or inside its bodies."""
    found = {v.node for v in node.inputs if v is not None and v.node is not None and v.graph is graph}
    for body in (node.bodies or {}).values():
        for inner in nested_graphs(body):
            for reader in inner:
                found |= {v.node for v in reader.inputs if v is not None and v.node is not None and v.graph is graph}
            found |= {v.node for v in inner.outputs if v.node is not None and v.graph is graph}
    return found


def sort_nodes(graph: Graph) -> None:
    """Put nodes after what they read, keeping the given order wherever it already holds.

    Raises:
        ModelError: the nodes form a cycle.
    """
    nodes = list(graph)
    place = {node: i for i, node in enumerate(nodes)}
    waits: dict[Node, int] = {}
    readers: dict[Node, list[Node]] = {}
    ready: list[int] = []
    for node in nodes:
        needs = _needs(node, graph)
        waits[node] = len(needs)
        for need in needs:
            readers.setdefault(need, []).append(node)
        if not needs:
            ready.append(place[node])
    heapq.heapify(ready)
    graph.first = graph.last = None
    graph.count = 0
    while ready:
        node = nodes[heapq.heappop(ready)]
        node.prev = node.next = None
        graph.append(node)
        for reader in readers.get(node, ()):
            waits[reader] -= 1
            if not waits[reader]:
                heapq.heappush(ready, place[reader])
    if graph.count != len(nodes):
        stuck = next(node for node in nodes if waits[node])
        raise ModelError("the nodes form a cycle: none of them can run first", where=stuck.where())


def move_before(graph: Graph, anchor: Node | None, node: Node) -> None:
    """Take a node from its place and put it before another one, or last."""
    graph.unlink(node)
    node.alive = True
    node.next = None
    if anchor is None:
        graph.append(node)
    else:
        graph.insert_before(anchor, node)
