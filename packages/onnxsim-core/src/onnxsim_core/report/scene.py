"""What is drawn of a model: a box per node, input and output, by what became of it; long unchanged stretches as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from .diff import GraphDiff
from .layout import layers
from .outline import NodeOutline, Outline
from .plain import plain

LIMIT = 1200
"""Boxes beyond which neighbouring nodes are drawn as one."""
_RUN = 4
_LINE = 30
_TOLD = 40
SAME, REMOVED, ADDED, CHANGED, INTERFACE, GROUP = "same", "removed", "added", "changed", "io", "group"


@dataclass(slots=True)
class Box:
    """A box: its title, smaller lines below, what a reader is told who asks, and a key shared with the other model."""

    title: str
    lines: list[str]
    kind: str
    details: str
    key: str = ""


@dataclass(slots=True)
class Scene:
    """Boxes and edges; an edge has the text of the value it carries."""

    boxes: list[Box] = field(default_factory=list)
    edges: list[tuple[int, int]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    nodes: int = 0


def scenes(before: Outline, after: Outline, found: GraphDiff, limit: int = LIMIT) -> tuple[Scene, Scene]:
    """Both models, with what is different marked."""
    old = {id(node): REMOVED for node in found.removed_nodes}
    old.update({id(pair[0]): CHANGED for pair in found.changed_nodes})
    new = {id(node): ADDED for node in found.added_nodes}
    new.update({id(pair[1]): CHANGED for pair in found.changed_nodes})
    return scene(before, old, limit), scene(after, new, limit)


def scene(model: Outline, kinds: Mapping[int, str], limit: int = LIMIT) -> Scene:
    """The scene of one model; `kinds` says by identity what became of nodes, all others are the same."""
    made = Scene(nodes=len(model.nodes))
    makers = Makers()
    for name in model.inputs:
        makers["main", name] = len(made.boxes)
        made.boxes.append(_interface("input", name, model, f"in {name}"))
    first = len(made.boxes)
    for node in model.nodes:
        for name in node.outputs:
            makers[node.graph, name] = len(made.boxes)
        made.boxes.append(_box(node, model, kinds.get(id(node), SAME)))
    for index, node in enumerate(model.nodes, first):
        for name in dict.fromkeys(node.inputs):
            _link(made, makers.find(node.graph, name), index, name, model)
        for graph, name in model.results.get(node.outputs[0] if node.outputs else "", ()):
            _link(made, makers.find(graph, name), index, name, model)
    for name in model.outputs:
        made.boxes.append(_interface("output", name, model, f"out {name}"))
        _link(made, makers.find("main", name), len(made.boxes) - 1, name, model)
    return made if len(made.boxes) <= limit else collapsed(made, limit)


class Makers(dict[tuple[str, str], int]):
    """The box that makes a value, by graph and name; a body sees the names of the graphs around it."""

    def find(self, graph: str, name: str) -> int | None:
        while graph:
            box = self.get((graph, name))
            if box is not None:
                return box
            graph = graph.rpartition("/")[0]
        return None


def _link(made: Scene, start: int | None, to: int, name: str, model: Outline) -> None:
    if start is not None and start != to:
        made.edges.append((start, to))
        made.texts.append(plain(f"{name}: {model.types.get(name, '?')}"))


def _interface(word: str, name: str, model: Outline, key: str) -> Box:
    return Box(plain(name), [plain(model.types.get(name, ""))], INTERFACE, plain(f"{word} {name}"), plain(key))


def _box(node: NodeOutline, model: Outline, kind: str) -> Box:
    constants = [model.constants[name] for name in node.inputs if name in model.constants]
    lines = [cut(text) for text in constants[:2]]
    if len(constants) > 2:
        lines.append(f"+ {len(constants) - 2} more")
    if node.graph != "main":
        lines.append(cut(node.graph.rpartition("/")[2]))
    details = [f"{node.op} {node.name}".rstrip()]
    details += [f"in {name}{': ' + model.types[name] if name in model.types else ''}" for name in node.inputs if name]
    details += [f"out {name}: {model.types.get(name, '?')}" for name in node.outputs if name]
    details += [f"{key} = {value}" for key, value in node.attributes]
    if node.graph != "main":
        details.append(f"in graph {node.graph}")
    key = f"{node.graph} {node.outputs[0] if node.outputs else ''}"
    return Box(plain(node.op), lines, kind, "\n".join(map(plain, details)), plain(key))


def cut(text: str) -> str:
    text = plain(text)
    return text if len(text) <= _LINE else text[: _LINE - 1] + "\u2026"


# --- collapsing ----------------------------------------------------------------------------------------------------
def collapsed(full: Scene, limit: int) -> Scene:
    """Join boxes that follow each other in topological order: runs of unchanged ones first, then whatever it takes.

    Joining neighbours of one order keeps the graph free of cycles.
    """
    depth = layers(len(full.boxes), full.edges)
    order = sorted(range(len(full.boxes)), key=lambda box: (depth[box], box))
    parts: list[list[int]] = []
    boring = False
    for box in order:
        is_boring = full.boxes[box].kind == SAME
        if is_boring and boring:
            parts[-1].append(box)
        else:
            parts.append([box])
        boring = is_boring
    split: list[list[int]] = []
    for part in parts:
        split += [part] if len(part) >= _RUN else [[box] for box in part]
    if len(split) > limit:
        step = -(-len(split) // limit)
        split = [sum(split[start:start + step], []) for start in range(0, len(split), step)]
    return _joined(full, split)


def _joined(full: Scene, parts: Sequence[Sequence[int]]) -> Scene:
    made = Scene(nodes=full.nodes)
    home: dict[int, int] = {}
    for index, part in enumerate(parts):
        for box in part:
            home[box] = index
        made.boxes.append(full.boxes[part[0]] if len(part) == 1 else _group([full.boxes[box] for box in part]))
    seen: set[tuple[int, int]] = set()
    for (start, to), text in zip(full.edges, full.texts, strict=True):
        edge = home[start], home[to]
        if edge[0] != edge[1] and edge not in seen:
            seen.add(edge)
            made.edges.append(edge)
            made.texts.append(text)
    return made


def _group(boxes: list[Box]) -> Box:
    counts = Counter(box.title for box in boxes).most_common()
    lines = [f"{count} {title}" for title, count in counts[:3]]
    if len(counts) > 3:
        lines.append("...")
    kinds = {box.kind for box in boxes} - {INTERFACE}
    kind = kinds.pop() if len(kinds) == 1 else GROUP
    told = [box.details.partition("\n")[0] for box in boxes[:_TOLD]]
    if len(boxes) > _TOLD:
        told.append(f"... and {len(boxes) - _TOLD} more")
    return Box(f"{len(boxes)} nodes", lines, GROUP if kind == SAME else kind, "\n".join(told))
