"""What is settled once before the rounds: local functions put in place of their calls, and the operator set."""

from __future__ import annotations

from ..functions.body import Body, label
from ..functions.inline import inline_calls
from ..ir.graph import Model
from ..options import SimplifyOptions
from ..versions.convert import Conversion, raise_gaps, wanted_opset
from .engine import Engine, Report
from .phases import Phases


def settle(model: Model, options: SimplifyOptions, report: Report, phases: Phases) -> None:
    """Inline functions and convert to another operator set, as far as each is wanted.

    Raises:
        OptionError: the operator set is none that can be written.
        ModelError: a function calls itself.
        UnsupportedModelError: nodes cannot be written for the operator set.
    """
    target = wanted_opset(options.target_opset)
    if options.inline_functions and model.functions:
        with phases.phase("InlineFunctions"):
            inline(model, report)
    if target is not None and target != model.opset():
        with phases.phase("ConvertOpset"):
            change_opset(model, target, options, report, phases)


def inline(model: Model, report: Report) -> None:
    """Put the bodies of local functions in the place of their calls."""
    count = len(model.functions)
    levels = inline_calls(model)
    if levels:
        conversion = Conversion(model, model.opset(), levels).run()
        raise_gaps(max(levels.values()), model.opset(), conversion.gaps)
        report.warnings += conversion.ctx.warnings
    report.fired["inline_functions"] = report.fired.get("inline_functions", 0) + count - len(model.functions)


def change_opset(model: Model, target: int, options: SimplifyOptions, report: Report, phases: Phases) -> None:
    """Write the graph and every local function for another version of the default domain."""
    if target < model.opset():
        # Older versions have attributes where newer ones have inputs: what can be constant must be so by now.
        Engine(model, {}, frozenset(), options, phases).run(Report())
    source = model.opset()
    done = [Conversion(model, target).run()]
    for key, function in model.functions.items():
        if any(entry.domain in ("", "ai.onnx") and entry.version != target for entry in function.proto.opset_import):
            body = Body(function.proto, model)
            done.append(Conversion(body.model, target, name=label(key)).run())
            function.proto = body.to_proto()
    raise_gaps(source, target, [gap for conversion in done for gap in conversion.gaps])
    report.fired["target_opset"] = sum(conversion.count for conversion in done)
    for conversion in done:
        report.warnings += conversion.ctx.warnings
    model.ir_version = max(model.ir_version, oldest_ir_version(target))


def oldest_ir_version(opset: int) -> int:
    """The IR version that came with an operator set.  Source: ONNX, table of versions."""
    from onnx import helper

    found: int = helper.find_min_ir_version_for([helper.make_opsetid("", opset)], ignore_unknown=True)
    return found
