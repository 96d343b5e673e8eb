"""The pipeline between reading and writing: prepare, settle functions and opsets, rounds to the fixed point, tidy."""

from __future__ import annotations

from ..functions.inline import called_functions
from ..ir.graph import Model
from ..options import SimplifyOptions
from . import catalog, tidy
from .engine import Engine, Report
from .functions import drop_uncalled, simplify_functions
from .holding import Holding
from .input_shapes import restate_outputs
from .phases import NO_PHASES, Phases
from .prepare import prepare
from .settle import settle

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
    rules = catalog.rules_by_root(passes, model.opset())
    called = called_functions(model)
    simplify_functions(model, rules, passes, options, report, phases)
    engine = Engine(model, rules, passes, options, phases)
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
    report.nodes_after = sum(len(g) for g in model.graphs()) - constants
    return report
