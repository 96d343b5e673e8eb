"""What a rewrite rule is.

A rule is a stateless function `rule(node, op) -> Value | tuple[Value, ...] | Skip`. It looks at the node at the root of
its pattern (the last node) and what lies before it, and builds with `op`; it edits nothing. It returns what is to stand
in for the node's outputs (one value, or one per output), or `skip(reason)`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from .builder import Builder

    Result = "Value | tuple[Value, ...] | Skip"
    Function = Callable[[Node, Builder], "Value | tuple[Value, ...] | Skip"]


class Skip:
    """Why a rule left a node alone. One object per reason."""

    __slots__ = ("reason",)
    known: dict[str, Skip] = {}

    def __init__(self, reason: str) -> None:
        self.reason = reason

    def __repr__(self) -> str:
        return f"Skip({self.reason!r})"


def skip(reason: str) -> Skip:
    """The Skip of that reason. Reasons are fixed sentences, so that they can be counted and tested."""
    found = Skip.known.get(reason)
    if found is None:
        found = Skip.known[reason] = Skip(reason)
    return found


class Several:
    """What stands for the outputs of several nodes: (node, one value per output) each.

    `behind` are nodes that are to be moved, in their order, behind `last`: they read what is made before that node.
    """

    __slots__ = ("pairs", "last", "behind")

    def __init__(self, pairs: list[tuple[Node, tuple[Value, ...]]], last: Node, behind: list[Node]) -> None:
        self.pairs = pairs
        self.last = last
        self.behind = behind


class Rule:
    """A rewrite rule with the pass it belongs to, the operators at its root, and the opset from which it can fire.

    `after` are operators one of which must make an input of the root, None when that is not so.
    """

    __slots__ = ("name", "pass_name", "roots", "domain", "since", "function", "after")

    def __init__(self, pass_name: str, roots: tuple[str, ...], domain: str, since: int, function: Any,
                 after: Collection[str] | None = None) -> None:
        self.name: str = function.__name__
        self.pass_name = pass_name
        self.roots = roots
        self.domain = domain
        self.since = since
        self.function = function
        self.after = None if after is None else frozenset(after)

    def __repr__(self) -> str:
        return f"Rule({self.pass_name}.{self.name})"


SIZES = "known elements"
"""What stands in `after` of a rule for nodes whose result has known elements, be they numbers or sizes."""
class Rules(Protocol):
    """The rules at an operator, as a dict gives them."""

    def get(self, root: Any, /) -> list[Rule] | None: ...


class Remembered(dict[Any, "list[Rule] | None"]):
    """The rules at each operator, asked for once."""

    __slots__ = ("_rules",)

    def __init__(self, rules: Rules) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, root: Any) -> list[Rule] | None:
        found = self[root] = self._rules.get(root)
        return found


RULES: dict[str, list[Rule]] = {}
"""Rules by pass name, filled by the decorator when a pass module is imported."""
ROOTS: dict[Any, list[Rule]] = {}
"""The same rules by the operator at their root: its name, with its domain before it if that is not the default one."""


def rewrites(
    pass_name: str, *, root: str | tuple[str, ...], domain: str = "", since: int = 1, after: Collection[str] | None = None
) -> Callable[[Any], Any]:
    """Decorator: the function below is a rule of that pass, tried at nodes of these op types.

    A rule that builds an operator of opset `since` says so here too, so that older models do not try it at every node.
    So does one that can only fire when one of these operators makes an input of the root (or, with `SIZES`, when the
    elements of its result are known).
    """
    roots = (root,) if isinstance(root, str) else root

    def add(function: Any) -> Any:
        rule = Rule(pass_name, roots, domain, since, function, after)
        RULES.setdefault(pass_name, []).append(rule)
        for one in roots:
            ROOTS.setdefault((domain, one) if domain else one, []).append(rule)
        return function

    return add


def holds_before(node: Node) -> set[str]:
    """What a rule may state in `after` that holds of this node."""
    found = {value.node.op_type for value in node.inputs if value is not None and value.node is not None}
    if node.outputs and node.outputs[0].data is not None:
        found.add(SIZES)
    return found
