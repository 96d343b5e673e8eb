"""The pipeline as a whole: rounds to the fixed point, and what the report says of them."""

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.options import SimplifyOptions
from onnxsim_core.passes.manager import simplify_model
from onnxsim_testkit import assert_same_outputs, model

CHAIN = "g (float[2,3] x) => (float[2,3] z) { a = Identity(x) b = Transpose(a) c = Transpose(b) z = Relu(c) }"
RELUS = "g (float[2] x) => (float[2] z) { a = Relu(x) b = Exp(a) c = Relu(b) d = Exp(c) z = Relu(d) }"


def run_pipeline(text, **options):
    ir = read_model(model(text))
    return simplify_model(ir, SimplifyOptions(**options)), model_proto(ir)


def test_the_report_counts_nodes_rounds_and_passes():
    report, result = run_pipeline(CHAIN)

    assert (report.nodes_before, report.nodes_after) == (4, 1) and len(result.graph.node) == 1
    assert report.converged and report.warnings == [] and 1 <= report.rounds <= 3
    assert report.fired["eliminate_identity"] >= 1
    assert report.events == []


def test_on_request_every_replaced_node_is_noted():
    report, _ = run_pipeline(CHAIN, trace=True)

    assert {event[0] for event in report.events} >= {"eliminate_identity"}
    assert len(report.events) == sum(report.fired.values())


def test_running_again_changes_nothing():
    _, once = run_pipeline(CHAIN)
    ir = read_model(once)
    report = simplify_model(ir, SimplifyOptions())

    assert sum(report.fired.values()) == 0 and report.nodes_before == report.nodes_after == 1
    assert model_proto(ir).SerializeToString() == once.SerializeToString()


def test_too_few_rounds_are_a_warning_and_a_correct_model():
    report, result = run_pipeline(CHAIN, max_rounds=1)

    assert not report.converged
    assert report.warnings == ["stopped after 1 rounds before the fixed point was reached"]
    assert_same_outputs(model(CHAIN), result, {"x": np.float32([[1, -2, 3], [4, 5, -6]])}, rtol=0, atol=0)


@pytest.mark.parametrize("text", [CHAIN, RELUS])
def test_without_optimisation_and_folding_nothing_happens(text):
    report, result = run_pipeline(text, optimize=False, fold=False)

    assert [node.op_type for node in result.graph.node] == [node.op_type for node in model(text).graph.node]
    assert sum(report.fired.values()) == 0


def test_constants_that_are_nodes_are_no_nodes_of_the_result():
    text = "g (float[2] x) => (float[2] z) { c = Constant<value_floats=[1.0, 2.0]>() z = Add(x, c) }"
    report, _ = run_pipeline(text, initializers_as_constants=False)

    assert report.nodes_after == 1


def one_relu_to_abs(proto):
    for node in proto.graph.node:
        if node.op_type == "Relu":
            node.op_type = "Abs"
            return proto
    return False


def test_a_rewriter_that_does_one_thing_a_call_is_called_until_it_is_done():
    result = simplify(model(RELUS), custom_rewriter=one_relu_to_abs)

    assert "Relu" not in {node.op_type for node in result.model.graph.node} and result.report.converged


def test_a_rewriter_that_never_ends_is_stopped_with_a_warning():
    def grow(proto):
        proto.graph.node[-1].output[0] = f"z{len(proto.graph.node)}"
        node = proto.graph.node.add(op_type="Sin", input=[proto.graph.node[-1].output[0]], output=["z"])
        assert node.op_type == "Sin"

    report, result = run_pipeline("g (float[2] x) => (float[2] z) { z = Exp(x) }", rewriter=grow, max_rounds=4)

    assert not report.converged and any("stopped after 4 rounds" in line for line in report.warnings)
    assert [node.op_type for node in result.graph.node] == ["Exp", *["Sin"] * 4]
