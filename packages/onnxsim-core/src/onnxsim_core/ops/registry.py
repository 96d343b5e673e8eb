"""Which rule belongs to which operator at which version.

A rule is registered under (domain, op, since) and holds from that version until a newer one is registered. `table`
picks, for a model's opsets, one rule per operator; the default domain is keyed by the bare op type, others by (domain,
op type).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

Rule = TypeVar("Rule", bound=Callable[..., Any])


class Table(dict[Any, "Rule | None"], Generic[Rule]):
    """Rules in force by operator, each found when it is first asked for: `table[key]` is None where there is none."""

    __slots__ = ("_rules", "_opsets")

    def __init__(self, rules: Mapping[tuple[str, str], Mapping[int, Rule]], opsets: Mapping[str, int]) -> None:
        super().__init__()
        self._rules = rules
        self._opsets = dict(opsets)

    def __missing__(self, key: Any) -> Rule | None:
        domain, op_type = key if type(key) is tuple else ("", key)
        versions = self._rules.get((domain, op_type), {})
        limit = self._opsets.get(domain, 1)
        best = max((since for since in versions if since <= limit), default=0)
        rule = self[key] = versions[best] if best else None
        return rule

    def copy(self) -> Table[Rule]:
        """A table of its own, to add to."""
        made = Table(self._rules, self._opsets)
        made.update(self)
        return made

    def known(self) -> dict[Any, Rule]:
        """All rules in force."""
        keys = (op_type if not domain else (domain, op_type) for domain, op_type in self._rules)
        return {key: rule for key in keys if (rule := self[key]) is not None}


class Registry(Generic[Rule]):
    """Rules of one kind (shape rules, fold kernels), by domain, operator and version."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._rules: dict[tuple[str, str], dict[int, Rule]] = {}
        self._tables: dict[tuple[tuple[str, int], ...], Table[Rule]] = {}

    def register(self, *op_types: str, since: int = 1, domain: str = "") -> Callable[[Rule], Rule]:
        """Decorator: this rule is for these operators from opset `since` on. Registering twice is an error."""

        def add(rule: Rule) -> Rule:
            for op_type in op_types:
                versions = self._rules.setdefault((domain, op_type), {})
                if since in versions:
                    raise ValueError(f"{self.kind} of {domain or 'ai.onnx'}.{op_type}-{since} is registered twice")
                versions[since] = rule
            self._tables.clear()
            return rule

        return add

    def table(self, opsets: Mapping[str, int]) -> Table[Rule]:
        """The rules in force under these opset imports."""
        key = tuple(sorted(opsets.items()))
        found = self._tables.get(key)
        if found is None:
            found = self._tables[key] = Table(self._rules, opsets)
        return found

    def registered(self) -> list[tuple[str, str, int]]:
        """Every (domain, op type, since) known, sorted."""
        return sorted((d, o, s) for (d, o), versions in self._rules.items() for s in versions)


SHAPES: Registry[Any] = Registry("shape rule")
"""Shape rules: `rule(node, ctx) -> None` states what is known of the node's outputs with `ctx.set`."""

KERNELS: Registry[Any] = Registry("fold kernel")
"""Fold kernels: `kernel(node, arrays, ctx) -> ndarray | list[ndarray] | None`; None leaves the node to the runtime.

`arrays` are the inputs as read-only ndarrays (None where omitted). The result must equal onnxruntime's bit for bit for
integers and booleans and to 1 ulp for floats.
"""
