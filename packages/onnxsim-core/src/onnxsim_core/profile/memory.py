"""Memory for activations: what is alive at the same time, and where each tensor goes in one arena.

A graph input is alive from the start to its last use, a node's output from that node to its last use, a graph output to
the end. Weights are not activations. While a node with bodies runs, the largest of them is alive too. Where sizes are
symbolic the busiest moment is looked for with every symbol at `TYPICAL`, and given as the formula that holds there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir.dims import Dim, Size, SymbolTable, add, substitute, symbols
from ..ir.graph import Graph, Model, Node, Value
from .cost import Known, Sum, value_bytes, weighted

TYPICAL = 32
"""What a symbolic size is taken for when the busiest moment is looked for."""
ALIGNMENT = 64


@dataclass(frozen=True, slots=True)
class Lifetime:
    """A value, the step that makes it (-1: before the first) and the last that reads it."""

    value: Value
    first: int
    last: int


def lifetimes(graph: Graph) -> list[Lifetime]:
    """Of the inputs and of everything the graph's own nodes make, in order of their beginning."""
    last: dict[Value, int] = {}
    count = len(graph)
    for value in graph.outputs:
        last[value] = count
    step = count
    for node in graph.reversed():
        step -= 1
        for value in reads(node):
            last.setdefault(value, step)
    found = [Lifetime(value, -1, last.get(value, -1)) for value in graph.inputs]
    for step, node in enumerate(graph):
        found += [Lifetime(value, step, last.get(value, step)) for value in node.outputs if value.name]
    return found


def reads(node: Node) -> list[Value]:
    """What a node reads, its bodies included."""
    found = [value for value in node.inputs if value is not None]
    for body in (node.bodies or {}).values():
        found += body.outputs
        for inner in body:
            found += reads(inner)
    return found


class Numbers(dict[Size, int]):
    """Sizes as numbers: named symbols at `TYPICAL`, nameless ones at 0, so that what is known decides."""

    def __init__(self, table: SymbolTable) -> None:
        super().__init__()
        self.table = table

    def __missing__(self, size: Size) -> int:
        result = size
        if isinstance(size, Dim):
            values = {one: 0 if self.table.is_anonymous(one) else TYPICAL for one in symbols(size)}
            try:
                result = substitute(size, values)
            except (ValueError, ZeroDivisionError):
                result = 0
        assert isinstance(result, int)
        self[size] = result
        return result


def peak_memory(model: Model, known: Known | None = None) -> Sum:
    """Bytes of activations alive at the busiest moment."""
    return _peak(model.graph, Numbers(model.symbols), {} if known is None else known)


def _peak(graph: Graph, numbers: Numbers, known: Known) -> Sum:
    """The sum of what is alive at the graph's busiest step; inputs of a body belong to the graph around it."""
    sizes: dict[Value, Size] = {}
    complete = True
    spans = [one for one in lifetimes(graph) if graph.owner is None or one.first >= 0]
    for one in spans:
        size = value_bytes(one.value, known)
        if size is None:
            complete = False
        elif one.value.tensor is None:
            sizes[one.value] = size
            complete = complete and not numbers.table.is_anonymous(size)
    inner: dict[int, Sum] = {}
    for step, node in enumerate(graph):
        if node.bodies:
            peaks = [_peak(body, numbers, known) for body in node.bodies.values()]
            inner[step] = max(peaks, key=lambda peak: numbers[peak.size])
            complete = complete and all(peak.complete for peak in peaks)
    step = _busiest(spans, sizes, numbers, {at: numbers[peak.size] for at, peak in inner.items()}, len(graph))
    alive = Counter([sizes[one.value] for one in spans if one.first <= step <= one.last and one.value in sizes])
    total = weighted(alive)
    return Sum(add(total, inner[step].size) if step in inner else total, complete)


def _busiest(spans: list[Lifetime], sizes: Mapping[Value, Size], numbers: Numbers, inner: Mapping[int, int],
             steps: int) -> int:
    """The step at which most is alive."""
    change = [0] * (steps + 3)
    for one in spans:
        if one.value in sizes:
            nbytes = numbers[sizes[one.value]]
            change[one.first + 1] += nbytes
            change[one.last + 2] -= nbytes
    best, best_step, alive = -1, -1, 0
    for step in range(-1, steps + 1):
        alive += change[step + 1]
        now = alive + inner.get(step, 0)
        if now > best:
            best, best_step = now, step
    return best_step


# --- the arena -------------------------------------------------------------------------------------------------------
@dataclass(slots=True)
class MemoryPlan:
    """Offsets of all activations in one arena.

    `tensor_offsets` gives (offset, size) by name; `unplanned` names values of unknown or symbolic size;
    `subgraph_reserved_bytes` is kept free for bodies, whose own plans are in `subgraph_plans` by node and attribute.
    """

    arena_bytes: int = 0
    naive_bytes: int = 0
    tensor_offsets: dict[str, tuple[int, int]] = field(default_factory=dict)
    unplanned: list[str] = field(default_factory=list)
    subgraph_reserved_bytes: int = 0
    subgraph_plans: dict[str, MemoryPlan] = field(default_factory=dict)


def plan_memory(model: Model) -> MemoryPlan:
    """Place every activation of known size so that values alive together do not overlap."""
    return _plan(model.graph)


def _plan(graph: Graph) -> MemoryPlan:
    plan = MemoryPlan()
    requests: list[tuple[int, int, int, str]] = []
    for one in lifetimes(graph):
        size = value_bytes(one.value)
        if one.value.tensor is not None or graph.owner is not None and one.first < 0:
            continue
        if isinstance(size, int):
            requests.append((size, one.first, one.last, one.value.name))
        else:
            plan.unplanned.append(one.value.name)
    for step, node in enumerate(graph):
        inner = 0
        for attribute, body in (node.bodies or {}).items():
            label = f"{node.name or node.outputs[0].name}.{attribute}"
            below = plan.subgraph_plans[label] = _plan(body)
            inner = max(inner, below.arena_bytes)
        if inner:
            requests.append((inner, step, step, ""))
            plan.subgraph_reserved_bytes = max(plan.subgraph_reserved_bytes, inner)
    _place(requests, plan)
    return plan


def _place(requests: list[tuple[int, int, int, str]], plan: MemoryPlan) -> None:
    """First fit in order of time: a freed block is joined with its neighbours and given to the next that fits."""
    ends: dict[int, list[tuple[int, int]]] = {}
    free: list[tuple[int, int]] = []
    now = -1
    for size, first, last, name in sorted(requests, key=lambda request: (request[1], -request[0])):
        while now < first:
            for block in ends.pop(now, ()):
                _release(free, block)
            now += 1
        length = -(-size // ALIGNMENT) * ALIGNMENT
        offset = _take(free, length)
        if offset is None:
            offset = _grow(free, length, plan)
        if name:
            plan.tensor_offsets[name] = (offset, size)
            plan.naive_bytes += size
        ends.setdefault(last, []).append((offset, length))


def _take(free: list[tuple[int, int]], length: int) -> int | None:
    """Cut `length` bytes from the smallest free block that holds them."""
    best = -1
    for index, (_, size) in enumerate(free):
        if size >= length and (best < 0 or size < free[best][1]):
            best = index
    if best < 0:
        return None
    offset, size = free[best]
    if size == length:
        del free[best]
    else:
        free[best] = (offset + length, size - length)
    return offset


def _grow(free: list[tuple[int, int]], length: int, plan: MemoryPlan) -> int:
    """Room at the end of the arena, starting with the free block there."""
    offset = plan.arena_bytes
    if free and free[-1][0] + free[-1][1] == offset:
        offset = free.pop()[0]
    plan.arena_bytes = offset + length
    return offset


def _release(free: list[tuple[int, int]], block: tuple[int, int]) -> None:
    """Put a block back, sorted by offset and joined with free neighbours."""
    from bisect import bisect

    index = bisect(free, block)
    offset, length = block
    if length == 0:
        return
    if index < len(free) and offset + length == free[index][0]:
        length += free.pop(index)[1]
    if index and free[index - 1][0] + free[index - 1][1] == offset:
        offset, before = free[index - 1][0], free[index - 1][1]
        free[index - 1] = (offset, before + length)
    else:
        free.insert(index, (offset, length))


