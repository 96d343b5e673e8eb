"""The pipeline between reading and writing: prepare, rounds to the fixed point, tidy."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..fold.engine import Folder
from ..infer.engine import Inference
from ..infer.tail import infer_by_schema
from ..ir.graph import Model
from ..options import SimplifyOptions
from ..rewrite.driver import Driver
from . import catalog, tidy
from .duplicates import merge_duplicate_constants
from .input_shapes import restate_outputs
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

    ops.load()
    report = Report(nodes_before=sum(len(g) for g in model.graphs()))
    passes = catalog.select(optimize=options.optimize, skipped=options.skipped_passes, extra=options.extra_passes)
    prepare(model, options)
    ctx = Inference(model, tail=infer_by_schema)
    limit = options.tensor_size_limit
    folder = Folder(ctx) if limit is None else Folder(ctx, limit=limit, generator_limit=limit)
    driver = Driver(model, catalog.rules_by_root(passes), ctx=ctx, fold=folder.fold if options.fold else None,
                    allows_growth=folder.allows_growth, trace=options.trace)
    tidy.remove_dead_code(model, driver)
    while report.rounds < options.max_rounds:
        report.rounds += 1
        if not _round(model, driver, folder, passes, options):
            break
    else:
        report.converged = False
        report.warnings.append(f"stopped after {options.max_rounds} rounds before the fixed point was reached")
    tidy.remove_dead_code(model, driver)
    tidy.drop_unused_constants(model)
    tidy.name_nodes(model)
    if options.overwrite_input_shapes:
        restate_outputs(model)
    report.fired = dict(driver.fired)
    report.events = driver.events
    report.skips = dict(driver.skips)
    report.warnings += ctx.warnings
    report.nodes_after = sum(len(g) for g in model.graphs())
    return report


def _round(model: Model, driver: Driver, folder: Folder, passes: frozenset[str], options: SimplifyOptions) -> int:
    """One round; gives how much changed."""
    changed = driver.run() if not driver.changes and not driver.fired else _continue(driver)
    if folder.pending:
        from ..fold.backends import run_pending

        changed += run_pending(folder, driver, options.providers)
    if "eliminate_duplicate_initializer" in passes:
        changed += merge_duplicate_constants(model, driver)
    return changed


def _continue(driver: Driver) -> int:
    before = driver.changes
    driver.drain()
    return driver.changes - before
