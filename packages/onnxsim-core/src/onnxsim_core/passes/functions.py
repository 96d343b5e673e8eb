"""Local functions that stay: each is simplified as a graph of its own, by what holds for every call."""

from __future__ import annotations

from ..functions.body import Body, Key
from ..functions.inline import called_functions, callees_first
from ..ir.graph import Model
from ..options import SimplifyOptions
from . import tidy
from .engine import Engine, Report
from .phases import Phases
from .rule_table import RuleTables


def simplify_functions(model: Model, tables: RuleTables, options: SimplifyOptions, report: Report,
                       phases: Phases) -> None:
    """Simplify the body of every local function, those first that others call.

    Nothing is known of the inputs there, and a node with an attribute that the caller decides is left alone. So is a
    function of which an input would not be read any more: onnxruntime then refuses it values of 4 and 8 bits.

    Raises:
        ModelError: a function calls itself, or its body is not a graph.
    """
    for key in callees_first(model):
        body = Body(model.functions[key].proto, model)
        body.hide()
        size = body.graph.count, len(body.graph.constants)
        read = [value for value in body.graph.inputs if not value.is_dead]
        engine = Engine(body.model, tables.of(body.model), tables.passes, options, phases)
        tidy.remove_dead_code(body.model, engine.driver)
        rounds = report.rounds
        engine.run(report)
        report.rounds = rounds
        tidy.remove_dead_code(body.model, engine.driver)
        tidy.drop_unused_constants(body.model)
        if any(value.is_dead for value in read):
            continue
        engine.add_to(report)
        if size != (body.graph.count, len(body.graph.constants)) or any(node.changed for node in body.graph):
            model.functions[key].proto = body.to_proto()


def drop_uncalled(model: Model, called: set[Key]) -> None:
    """Remove functions that were called and are not any more."""
    for key in called - called_functions(model):
        model.functions.pop(key, None)
