"""The engine of one graph, and what its report holds."""

import pytest

from onnxsim_core import ops
from onnxsim_core.ir.read import read_model
from onnxsim_core.options import SimplifyOptions
from onnxsim_core.passes import catalog
from onnxsim_core.passes.engine import Engine, Report, stop
from onnxsim_core.passes.phases import NO_PHASES
from onnxsim_core.passes.rule_table import Table
from onnxsim_testkit import model

TEXT = "g (float[2] x) => (float[2] z) <float[2] w={1,2}> { a = Identity(x) b = Neg(w) z = Add(a, b) }"


def engine(text=TEXT, *, passes=None, **options):
    ops.load()
    catalog.load()
    ir = read_model(model(text).SerializeToString())
    names = frozenset(("eliminate_identity",) if passes is None else passes)
    return ir, Engine(ir, Table(names, ir.opset(), {}), names, SimplifyOptions(**options), NO_PHASES)


def run_engine(*arguments, **options):
    ir, one = engine(*arguments, **options)
    report = Report()
    one.run(report)
    one.add_to(report)
    return [node.op_type for node in ir.graph], report


def test_rules_and_folding_work_together():
    nodes, report = run_engine()

    assert nodes == ["Add"] and report.converged
    assert report.fired["eliminate_identity"] == 1


@pytest.mark.parametrize("options", [{"fold": False}, {"skipped_passes": frozenset({"fold_constants"})}])
def test_without_folding_only_rules_work(options):
    assert run_engine(**options)[0] == ["Neg", "Add"]


def test_without_rules_only_folding_works():
    assert run_engine(passes=())[0] == ["Identity", "Add"]


def test_a_second_engine_adds_to_the_same_report():
    report = Report()
    for _ in range(2):
        _, one = engine()
        one.run(report)
        one.add_to(report)

    assert report.fired["eliminate_identity"] == 2 and report.rounds >= 2


def test_equal_constants_are_merged_when_asked_for():
    text = "g (float[2] x) => (float[2] z) <float[2] v={1,2}, float[2] w={1,2}> { a = Add(x, v) z = Mul(a, w) }"

    for passes, left in (((), 2), (("eliminate_duplicate_initializer",), 1)):
        ir, one = engine(text, passes=passes)
        one.run(Report())
        assert len(ir.graph.constants) == left


def test_stopping_early_is_noted():
    report = Report()
    stop(report, 7)

    assert not report.converged
    assert report.warnings == ["stopped after 7 rounds before the fixed point was reached"]
