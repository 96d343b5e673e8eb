"""Why each node that is gone is gone: the pass and the rule, in the rule's own words."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from .diff import GraphDiff
from .outline import NodeOutline
from .plain import plain

Event = tuple[str, str, str, str]
"""Pass, rule, operator and node name, as the driver notes them."""
_ENGINE = {
    "fold": "all it needs is known, so its result is stored",
    "same_node": "an earlier node computes the same",
    "same_value": "another value is known to be equal",
    "": "nothing reads its results any more",
}


@dataclass(frozen=True, slots=True)
class Reason:
    """A node of the original that is gone (or, `replaced`, became another node) and what did it."""

    op: str
    name: str
    graph: str
    pass_name: str
    rule: str
    why: str
    replaced: bool

    def data(self) -> dict[str, Any]:
        return asdict(self)


def explain(found: GraphDiff, events: Sequence[Event]) -> list[Reason]:
    """A reason for every node that was removed or replaced; dead code has no event of its own."""
    by_node: dict[tuple[str, str], deque[Event]] = defaultdict(deque)
    for event in events:
        by_node[event[2], event[3]].append(event)
    rules = _rule_texts()
    reasons = [_reason(node, by_node, rules, False) for node in found.removed_nodes]
    for old, _ in found.changed_nodes:
        if by_node.get((_bare(old.op), old.name)):
            reasons.append(_reason(old, by_node, rules, True))
    return [reason for reason in reasons if reason is not None]


def _reason(node: NodeOutline, by_node: dict[tuple[str, str], deque[Event]], rules: dict[tuple[str, str], str],
            replaced: bool) -> Reason:
    waiting = by_node.get((_bare(node.op), node.name))
    pass_name, rule = waiting.popleft()[:2] if waiting else ("eliminate_deadend", "")
    why = rules.get((pass_name, rule)) or _ENGINE.get(rule, "")
    return Reason(node.op, node.name, node.graph, pass_name, rule, why, replaced)


def _bare(op: str) -> str:
    return op.rpartition(".")[2]


def _rule_texts() -> dict[tuple[str, str], str]:
    """First lines of the rules' docstrings."""
    from ..rewrite.rule import RULES

    return {(name, rule.name): " ".join((rule.function.__doc__ or "").strip().partition("\n")[0].split())
            for name, rules in RULES.items() for rule in rules}


def explanation_lines(reasons: Sequence[Reason]) -> list[str]:
    """One line per node, aligned."""
    if not reasons:
        return ["No node was removed or replaced."]
    lines = [f"Nodes removed or replaced ({len(reasons)}):"]
    labels = [plain(f"{reason.op} {reason.name}".rstrip()) for reason in reasons]
    rules = [f"{reason.pass_name}.{reason.rule}".rstrip(".") for reason in reasons]
    wide, wider = min(48, max(map(len, labels))), min(64, max(map(len, rules)))
    for reason, label, rule in zip(reasons, labels, rules, strict=True):
        sign = "~" if reason.replaced else "-"
        lines.append(f"  {sign} {label.ljust(wide)}  {rule.ljust(wider)}  {reason.why}".rstrip())
    return lines
