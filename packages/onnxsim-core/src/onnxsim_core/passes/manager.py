"""The pipeline between reading and writing: prepare, settle functions and opsets, rounds to the fixed point, tidy."""

from __future__ import annotations

from ..functions.inline import called_functions
from ..ir.exchange import Exchange
from ..ir.graph import Model
from ..options import SimplifyOptions
from . import catalog, tidy
from .borrowed import borrow
from .custom_rewriter import Rewriter
from .engine import Engine, Report, stop
from .float16_to_float32 import widen
from .functions import drop_uncalled, simplify_functions
from .holding import Holding
from .input_shapes import restate_outputs
from .phases import NO_PHASES, Phases
from .prepare import prepare
from .presets import survey
from .rule_table import RuleTables
from .settle import inline, settle

__all__ = ["Report", "simplify_model"]


def simplify_model(model: Model, options: SimplifyOptions) -> Report:
    """Simplify a model in place and say what happened."""
    from .. import ops

    phases: Phases = options.phases or NO_PHASES
    ops.load()
    report = Report(nodes_before=sum(len(g) for g in model.graphs()))
    passes = catalog.select(optimize=options.optimize, skipped=options.skipped_passes, extra=options.extra_passes)
    phases.nodes("Initial", model.graph.count)
    prepare(model, options)
    settle(model, options, report, phases)
    borrow(model, catalog.backed(passes, options.extra_passes), report)
    if "float16_to_float32" in passes:
        widen(model, report)
    report.warnings += catalog.idle(options.extra_passes)
    tables = RuleTables(passes, options)
    if options.rewriter is None:
        constants = _to_fixed_point(model, tables, options, report, phases)
    else:
        constants = _with_rewriter(model, tables, options, report, phases)
    report.warnings += [*tables.warnings, *survey(model, options.preset)]
    report.nodes_after = sum(len(g) for g in model.graphs()) - constants
    return report


def _to_fixed_point(model: Model, tables: RuleTables, options: SimplifyOptions, report: Report, phases: Phases) -> int:
    """Rounds until nothing changes, and what is done after them; gives how many constants are nodes."""
    passes = tables.passes
    called = called_functions(model)
    simplify_functions(model, tables, options, report, phases)
    engine = Engine(model, tables.of(model), passes, options, phases, tables.sizes)
    tables.sizes = engine.folder.sizes
    holding = Holding(model, options, passes)
    holding.take(engine)
    tidy.remove_dead_code(model, engine.driver)
    with phases.phase("Pipeline"):
        engine.run(report)
    with phases.phase("Tidy"):
        tidy.remove_dead_code(model, engine.driver)
        constants = holding.release()
        tidy.drop_unused_constants(model, holding.unused, bodies=options.include_subgraph)
        if "set_unique_name_for_nodes" in passes:
            tidy.name_nodes(model, bodies=options.include_subgraph)
        tidy.raise_ir_version(model)
        drop_uncalled(model, called)
        if options.overwrite_input_shapes:
            restate_outputs(model)
    engine.add_to(report)
    return constants


def _with_rewriter(model: Model, tables: RuleTables, options: SimplifyOptions, report: Report, phases: Phases) -> int:
    """The user's rewriter and the rounds in turn, until it changes nothing more."""
    with Exchange() as exchange:
        rewriter = Rewriter(options.rewriter, exchange)
        for _ in range(options.max_rounds):
            constants = _to_fixed_point(model, tables, options, report, phases)
            made = tables.names_of_made(model)
            with phases.phase("Rewrite"):
                changed = rewriter.change(model)
            phases.nodes("Rewrite", model.graph.count)
            if not changed:
                break
            tables.recall(model, made)
            if options.inline_functions and model.functions:
                inline(model, report)
        else:
            stop(report, options.max_rounds)
            constants = _to_fixed_point(model, tables, options, report, phases)
    report.warnings += rewriter.warnings
    return constants
