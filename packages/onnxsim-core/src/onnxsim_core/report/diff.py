"""What differs between two models: nodes removed, added and changed, and values."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .outline import NodeOutline, Outline
from .plain import plain


@dataclass(slots=True)
class GraphDiff:
    """Nodes are the same node when they make the same value in the same graph."""

    removed_nodes: list[NodeOutline] = field(default_factory=list)
    added_nodes: list[NodeOutline] = field(default_factory=list)
    changed_nodes: list[tuple[NodeOutline, NodeOutline]] = field(default_factory=list)
    removed_values: list[str] = field(default_factory=list)
    added_values: list[str] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        return not (self.removed_nodes or self.added_nodes or self.changed_nodes or self.removed_values
                    or self.added_values)

    def data(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "removed_nodes": [node_data(node) for node in self.removed_nodes],
            "added_nodes": [node_data(node) for node in self.added_nodes],
            "changed_nodes": [{"before": node_data(old), "after": node_data(new)} for old, new in self.changed_nodes],
            "removed_values": self.removed_values,
            "added_values": self.added_values,
        }


def diff(before: Outline, after: Outline) -> GraphDiff:
    """Compare two outlines."""
    found = GraphDiff()
    makers = {(node.graph, name): node for node in after.nodes for name in node.outputs if name}
    matched: set[int] = set()
    for old in before.nodes:
        new = next((makers[old.graph, name] for name in old.outputs if (old.graph, name) in makers), None)
        if new is None or id(new) in matched:
            found.removed_nodes.append(old)
            continue
        matched.add(id(new))
        if not _same(old, new):
            found.changed_nodes.append((old, new))
    found.added_nodes = [node for node in after.nodes if id(node) not in matched]
    found.removed_values = [name for name in before.types if name not in after.types]
    found.added_values = [name for name in after.types if name not in before.types]
    return found


def _same(old: NodeOutline, new: NodeOutline) -> bool:
    return (old.op, old.inputs, old.outputs, old.attributes) == (new.op, new.inputs, new.outputs, new.attributes)


def node_data(node: NodeOutline) -> dict[str, Any]:
    """A node for JSON."""
    return {"op": node.op, "name": node.name, "graph": node.graph, "inputs": list(node.inputs),
            "outputs": list(node.outputs), "attributes": dict(node.attributes)}


# --- text ----------------------------------------------------------------------------------------------------------
def diff_lines(found: GraphDiff, limit: int = 50) -> list[str]:
    """The difference as text, at most `limit` lines of each kind (0: all)."""
    if found.is_empty:
        return ["The graphs are the same."]
    lines: list[str] = []
    _section(lines, "Nodes removed", [f"- {node_text(node)}" for node in found.removed_nodes], limit)
    _section(lines, "Nodes added", [f"+ {node_text(node)}" for node in found.added_nodes], limit)
    _section(lines, "Nodes changed", [f"~ {change_text(*pair)}" for pair in found.changed_nodes], limit)
    _section(lines, "Values removed", [f"- {name}" for name in found.removed_values], limit)
    _section(lines, "Values added", [f"+ {name}" for name in found.added_values], limit)
    return lines


def _section(lines: list[str], title: str, entries: list[str], limit: int) -> None:
    if not entries:
        return
    lines.append(f"{title} ({len(entries)}):")
    lines += [f"  {plain(entry)}" for entry in (entries[:limit] if limit else entries)]
    if limit and len(entries) > limit:
        lines.append(f"  ... and {len(entries) - limit} more")


def node_text(node: NodeOutline) -> str:
    """`Gather Gather_0 (shape_0, axis_0) -> size_0`, with the graph where it is not the main one."""
    name = f" {node.name}" if node.name else ""
    place = f" in {node.graph}" if node.graph != "main" else ""
    return f"{node.op}{name} ({', '.join(node.inputs)}) -> {', '.join(node.outputs)}{place}"


def change_text(old: NodeOutline, new: NodeOutline) -> str:
    """What about a node is different now."""
    parts = []
    if old.op != new.op:
        parts.append(f"was {old.op}")
    if old.inputs != new.inputs:
        parts.append(f"read ({', '.join(old.inputs)})")
    before, after = dict(old.attributes), dict(new.attributes)
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            parts.append(f"{key} {before.get(key, 'absent')} -> {after.get(key, 'absent')}")
    if old.outputs != new.outputs:
        parts.append(f"made ({', '.join(old.outputs)})")
    return f"{node_text(new)}: {'; '.join(parts)}"
