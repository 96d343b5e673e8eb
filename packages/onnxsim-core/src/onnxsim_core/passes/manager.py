"""The pipeline between reading and writing: prepare, rounds to the fixed point, tidy."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..fold.engine import Folder
from ..fold.policy import SizePolicy
from ..infer.engine import Inference
from ..infer.tail import infer_by_schema
from ..ir.graph import Model
from ..options import SimplifyOptions
from ..rewrite.driver import Driver
from ..rewrite.numbering import Numbering
from . import catalog, tidy
from .duplicates import merge_duplicate_constants
from .input_shapes import restate_outputs
from .phases import NO_PHASES, Phases
from .prepare import prepare


@dataclass(slots=True)
class Report:
    """What a run did: rounds, how often each pass fired, warnings, and with `trace` every replaced node."""

    rounds: int = 0
    converged: bool = True
    fired: dict[str, int] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    events: list[tuple[str, str, str, str]] = field(default_factory=list)
    skips: dict[tuple[str, str], int] = field(default_factory=dict)
    nodes_before: int = 0
    nodes_after: int = 0


def simplify_model(model: Model, options: SimplifyOptions) -> Report:
    """Simplify a model in place and say what happened."""
    from .. import ops

    phases: Phases = options.phases or NO_PHASES
    ops.load()
    report = Report(nodes_before=sum(len(g) for g in model.graphs()))
    passes = catalog.select(optimize=options.optimize, skipped=options.skipped_passes, extra=options.extra_passes)
    phases.nodes("Initial", model.graph.count)
    prepare(model, options)
    ctx = Inference(model, tail=infer_by_schema)
    limit = options.tensor_size_limit
    folder = Folder(ctx, None if limit is None else SizePolicy.with_threshold(limit))
    numbering = Numbering(model, merges_nodes="eliminate_common_subexpression" in passes,
                          merges_values="merge_equal_sizes" in passes)
    driver = Driver(model, catalog.rules_by_root(passes), ctx=ctx, fold=folder.fold if options.fold else None,
                    allows_growth=folder.sizes.allows_growth, trace=options.trace, numbering=numbering)
    phases.watch(driver, ctx)
    tidy.remove_dead_code(model, driver)
    with phases.phase("Pipeline"):
        _rounds(model, driver, folder, passes, options, report, phases)
    with phases.phase("Tidy"):
        tidy.remove_dead_code(model, driver)
        tidy.drop_unused_constants(model)
        tidy.name_nodes(model)
        tidy.raise_ir_version(model)
        if options.overwrite_input_shapes:
            restate_outputs(model)
    report.fired = dict(driver.fired)
    report.events = driver.events
    report.skips = dict(driver.skips)
    report.warnings += ctx.warnings
    report.nodes_after = sum(len(g) for g in model.graphs())
    return report


def _rounds(model: Model, driver: Driver, folder: Folder, passes: frozenset[str], options: SimplifyOptions,
            report: Report, phases: Phases) -> None:
    """Rounds of {visit what waits, run what waits for a runtime} until neither they nor merging constants change."""
    merge = "eliminate_duplicate_initializer" in passes
    merged_at = -1
    changed = 1
    while changed:
        if report.rounds >= options.max_rounds:
            report.converged = False
            report.warnings.append(f"stopped after {options.max_rounds} rounds before the fixed point was reached")
            return
        report.rounds += 1
        phases.step("simplifying", report.rounds, 0)
        with phases.phase("OptAndShape"):
            changed = driver.run() if report.rounds == 1 else driver.drain()
        phases.nodes("Optimize", model.graph.count)
        if folder.pending:
            from ..fold.backends import run_pending

            with phases.phase("FoldConstant"):
                changed += run_pending(folder, driver, options.providers, phases)
            phases.nodes("FoldConstant", model.graph.count)
        if not changed and merge and merged_at != driver.changes:
            with phases.phase("MergeConstants"):
                changed = merge_duplicate_constants(model, driver)
            merged_at = driver.changes
