"""Which rules are tried at which operators of one model: the user's own first, then those of the passes in force."""

from __future__ import annotations

from typing import Any

from ..fold.policy import SizePolicy
from ..ir.graph import Model, Node
from ..options import SimplifyOptions
from ..patterns.apply import Lineage
from ..rewrite.rule import Rule
from . import catalog


class Table:
    """The rules for one model; those at an operator are looked up when they are asked for."""

    __slots__ = ("_passes", "_opset", "_own")

    def __init__(self, passes: frozenset[str], opset: int, own: dict[Any, list[Rule]]) -> None:
        self._passes = passes
        self._opset = opset
        self._own = own

    def get(self, root: Any) -> list[Rule] | None:
        """The rules rooted at an operator, in the order in which they are tried."""
        return [*self._own.get(root, ()), *catalog.rules_at(root, self._passes, self._opset)] or None


class RuleTables:
    """Makes the tables of the models of one run: the model itself and the bodies of its functions.

    `sizes` is the size policy of the model, so that what was spent stays spent when the rounds start anew.
    """

    __slots__ = ("passes", "options", "lineage", "warnings", "sizes")

    def __init__(self, passes: frozenset[str], options: SimplifyOptions) -> None:
        self.passes = passes
        self.options = options
        self.lineage: Lineage = {}
        self.warnings: list[str] = []
        self.sizes: SizePolicy | None = None

    def of(self, model: Model) -> Table:
        """The rules by operator for this model; one that does not speak of its operators is left out with a warning."""
        own: dict[Any, list[Rule]] = {}
        for one in self.options.rewrite_rules:
            reason = one.mismatch(model)
            if reason is not None:
                if reason not in self.warnings:
                    self.warnings.append(reason)
                continue
            for rule in one.rules(model, self.lineage):
                for root in rule.roots:
                    own.setdefault((rule.domain, root) if rule.domain else root, []).append(rule)
        return Table(self.passes, model.opset(), own)

    def names_of_made(self, model: Model) -> dict[tuple[str, str], frozenset[str]]:
        """What the user's rules made, by operator and name of the first output, for when the nodes are others."""
        return {_name(node): self.lineage[node] for graph in model.graphs() for node in graph if node in self.lineage}

    def recall(self, model: Model, names: dict[tuple[str, str], frozenset[str]]) -> None:
        """Know the nodes of a model that was read anew by their names."""
        self.lineage = {node: names[_name(node)] for graph in model.graphs() for node in graph if _name(node) in names}


def _name(node: Node) -> tuple[str, str]:
    return node.op_type, node.outputs[0].name if node.outputs else ""
