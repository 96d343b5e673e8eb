"""Where the boxes of a directed acyclic graph go: in layers from top to bottom, with few crossings and short edges.

The work is linear in the number of boxes and edges (times a fixed number of sweeps).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

GAP_X = 24.0
GAP_Y = 44.0
_SWEEPS = 6
_WAYPOINTS_PER_BOX = 6
"""Edges that skip layers bend around boxes as long as this many bends per box are enough."""


@dataclass(slots=True)
class Layout:
    """Centres of boxes, and for every edge the points it goes through."""

    x: list[float] = field(default_factory=list)
    y: list[float] = field(default_factory=list)
    routes: list[list[tuple[float, float]]] = field(default_factory=list)
    width: float = 0.0
    height: float = 0.0


def arrange(sizes: Sequence[tuple[float, float]], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lay out boxes of the given (width, height); edges go from box to box and make no cycle."""
    count = len(sizes)
    layer = layers(count, edges)
    widths = [width for width, _ in sizes]
    chains: list[list[int]] = []
    bends = sum(max(0, layer[to] - layer[start] - 1) for start, to in edges)
    with_bends = bends <= _WAYPOINTS_PER_BOX * count + 200
    links: list[tuple[int, int]] = []
    for start, to in edges:
        chain = [start]
        if with_bends:
            for between in range(layer[start] + 1, layer[to]):
                chain.append(len(layer))
                layer.append(between)
                widths.append(2.0)
        chain.append(to)
        chains.append(chain)
        links += zip(chain, chain[1:], strict=False)
    rows = ordered_rows(layer, links)
    x = _positions(rows, widths, links)
    heights = [0.0] * len(rows)
    for box, (_, height) in enumerate(sizes):
        heights[layer[box]] = max(heights[layer[box]], height)
    tops, top = [], 0.0
    for height in heights:
        tops.append(top + height / 2)
        top += height + GAP_Y
    left = min((x[box] - widths[box] / 2 for box in range(len(x))), default=0.0)
    x = [value - left for value in x]
    made = Layout(x[:count], [tops[layer[box]] for box in range(count)])
    for chain in chains:
        points = [(x[box], tops[layer[box]]) for box in chain]
        points[0] = (points[0][0], points[0][1] + sizes[chain[0]][1] / 2)
        points[-1] = (points[-1][0], points[-1][1] - sizes[chain[-1]][1] / 2)
        made.routes.append(points)
    made.width = max((x[box] + widths[box] / 2 for box in range(len(x))), default=0.0)
    made.height = max(0.0, top - GAP_Y)
    return made


def layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each box: below all that lead to it; what nothing leads to stands right above its first reader."""
    following: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for start, to in edges:
        following[start].append(to)
        waiting[to] += 1
    is_source = [number == 0 for number in waiting]
    layer = [0] * count
    ready = [box for box in range(count) if is_source[box]]
    for box in ready:
        for after in following[box]:
            layer[after] = max(layer[after], layer[box] + 1)
            waiting[after] -= 1
            if not waiting[after]:
                ready.append(after)
    for box in range(count):
        if is_source[box] and following[box]:
            layer[box] = min(layer[after] for after in following[box]) - 1
    return layer


def ordered_rows(layer: Sequence[int], links: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Boxes of each layer from left to right: sorted again and again by where their neighbours stand."""
    rows: list[list[int]] = [[] for _ in range(max(layer, default=-1) + 1)]
    for box, height in enumerate(layer):
        rows[height].append(box)
    above, below = _neighbours(len(layer), links)
    place = [0.0] * len(layer)
    for row in rows:
        for index, box in enumerate(row):
            place[box] = index / max(1, len(row))
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        near = above if downwards else below
        for row in rows if downwards else reversed(rows):
            if len(row) < 2:
                continue
            wish = {box: sum(place[other] for other in near[box]) / len(near[box]) if near[box] else place[box]
                    for box in row}
            row.sort(key=wish.__getitem__)
            for index, box in enumerate(row):
                place[box] = index / len(row)
    return rows


def _neighbours(count: int, links: Sequence[tuple[int, int]]) -> tuple[list[list[int]], list[list[int]]]:
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    for start, to in links:
        below[start].append(to)
        above[to].append(start)
    return above, below


def _positions(rows: Sequence[Sequence[int]], widths: Sequence[float], links: Sequence[tuple[int, int]]) -> list[float]:
    above, below = _neighbours(len(widths), links)
    x = [0.0] * len(widths)
    for row in rows:
        left = 0.0
        for box in row:
            x[box] = left + widths[box] / 2
            left += widths[box] + GAP_X
        for box in row:
            x[box] -= left / 2
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        near = above if downwards else below
        for row in rows if downwards else reversed(rows):
            wishes = [sum(x[other] for other in near[box]) / len(near[box]) if near[box] else x[box] for box in row]
            for box, value in zip(row, spread(wishes, [widths[box] for box in row]), strict=True):
                x[box] = value
    return x


def spread(wishes: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Positions nearest to the wishes (least squares) at which boxes in this order do not overlap."""
    offsets, offset = [], 0.0
    for index, width in enumerate(widths):
        if index:
            offset += (widths[index - 1] + width) / 2 + GAP_X
        offsets.append(offset)
    blocks: list[tuple[float, int]] = []
    for wish, shift in zip(wishes, offsets, strict=True):
        total, number = wish - shift, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / number:
            before, many = blocks.pop()
            total, number = total + before, number + many
        blocks.append((total, number))
    result: list[float] = []
    for total, number in blocks:
        result += [total / number] * number
    return [value + shift for value, shift in zip(result, offsets, strict=True)]
