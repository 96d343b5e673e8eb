"""The engine of one graph: inference, folding and rules together, run to the fixed point."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..fold.engine import Folder
from ..fold.policy import SizePolicy
from ..functions.calls import CallFacts
from ..infer.engine import Inference
from ..infer.tail import infer_by_known_schema, infer_by_schema
from ..ir.graph import Model
from ..options import SimplifyOptions
from ..rewrite.driver import Driver
from ..rewrite.numbering import Numbering
from ..rewrite.rule import Rules
from .duplicates import merge_duplicate_constants
from .phases import Phases


@dataclass(slots=True)
class Report:
    """What a run did: rounds, how often each pass fired, warnings, and with `trace` every replaced node.

    `blamed` says of passes that were left out because they changed an output what they did.
    """

    rounds: int = 0
    converged: bool = True
    fired: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    events: list[tuple[str, str, str, str]] = field(default_factory=list)
    skips: dict[tuple[str, str], int] = field(default_factory=dict)
    nodes_before: int = 0
    nodes_after: int = 0
    blamed: dict[str, str] = field(default_factory=dict)


class Engine:
    """Simplifies the graph of one model; `rules` are tried by the op type at their root.

    `sizes` is the size policy of an engine that worked on the model before: what it spent stays spent.
    """

    def __init__(self, model: Model, rules: Rules, passes: frozenset[str],
                 options: SimplifyOptions, phases: Phases, sizes: SizePolicy | None = None) -> None:
        self.model = model
        self.passes = passes
        self.options = options
        self.phases = phases
        schemas = infer_by_schema if options.import_schemas else infer_by_known_schema
        self.ctx = Inference(model, tail=CallFacts(schemas) if model.functions else schemas)
        if not options.infer:
            self.ctx.infer_constants_only()
        limit = options.tensor_size_limit
        self.folder = Folder(self.ctx, sizes or (None if limit is None else SizePolicy.with_threshold(limit)))
        numbering = Numbering(model, merges_nodes="eliminate_common_subexpression" in passes,
                              merges_values="merge_equal_sizes" in passes)
        folds = options.fold and "fold_constants" not in options.skipped_passes
        self.driver = Driver(model, rules, ctx=self.ctx, fold=self.folder.fold if folds else None,
                             allows_growth=self.folder.sizes.allows_growth, trace=options.trace, numbering=numbering,
                             bodies=options.include_subgraph)
        phases.watch(self.driver, self.ctx)

    def run(self, report: Report) -> None:
        """Rounds of {visit what waits, run what waits for a runtime, merge constants} until nothing changes."""
        model, driver, phases = self.model, self.driver, self.phases
        merge = "eliminate_duplicate_initializer" in self.passes
        merged_at = -1
        changed = 1
        rounds = 0
        while changed:
            if rounds >= self.options.max_rounds:
                stop(report, self.options.max_rounds)
                return
            rounds += 1
            report.rounds += 1
            phases.step("simplifying", report.rounds, 0)
            with phases.phase("OptAndShape"):
                changed = driver.run() if rounds == 1 else driver.drain()
            phases.nodes("Optimize", model.graph.count)
            if self.folder.pending:
                from ..fold.backends import run_pending

                with phases.phase("FoldConstant"):
                    changed += run_pending(self.folder, driver, self.options.providers, phases)
                phases.nodes("FoldConstant", model.graph.count)
            if not changed:
                changed = self._retry()
            if not changed and merge and merged_at != driver.changes:
                with phases.phase("MergeConstants"):
                    changed = merge_duplicate_constants(model, driver)
                merged_at = driver.changes

    def _retry(self) -> int:
        """Visit again what was too large to store before other readers of the same constants went."""
        refused = self.folder.sizes.refused
        for node in refused:
            self.driver.push(node)
        refused.clear()
        return self.driver.drain()

    def add_to(self, report: Report) -> None:
        """Put what was done into the report."""
        driver = self.driver
        for name, count in driver.fired.items():
            report.fired[name] = report.fired.get(name, 0) + count
        for reason, count in driver.skips.items():
            report.skips[reason] = report.skips.get(reason, 0) + count
        report.events += driver.events
        report.warnings += self.ctx.warnings


def stop(report: Report, rounds: int) -> None:
    """Note that the fixed point was not reached."""
    report.converged = False
    report.warnings.append(f"stopped after {rounds} rounds before the fixed point was reached")
