"""The user's own rewriter: what it may give back, when it is called, and what is checked."""

import numpy as np
import onnx
import pytest

from onnxsim_core import ModelError, simplify
from onnxsim_core.ir.read import read_model
from onnxsim_core.passes.custom_rewriter import missing_operators
from onnxsim_testkit import model, run

TEXT = "g (float[2] x) => (float[2] z) { a = Exp(x) z = Relu(a) }"


def ops(result):
    return [node.op_type for node in result.model.graph.node]


def rewritten(change, text=TEXT, **options):
    return simplify(model(text, **options), custom_rewriter=change)


def abs_in_place(proto):
    proto.graph.node[1].op_type = "Abs"


def abs_anew(proto):
    copy = onnx.ModelProto()
    copy.CopyFrom(proto)
    copy.graph.node[1].op_type = "Abs"
    return copy


@pytest.mark.parametrize("change", [abs_in_place, abs_anew])
def test_a_change_in_place_or_a_new_model_is_taken(change):
    assert ops(rewritten(change)) == ["Exp", "Abs"]


def test_false_means_that_nothing_changed():
    def change(proto):
        proto.graph.node[1].op_type = "Abs"
        return False

    assert ops(rewritten(change)) == ["Exp", "Relu"]


@pytest.mark.parametrize("answer", [True, 3, "model", onnx.GraphProto()])
def test_anything_else_is_a_type_error(answer):
    with pytest.raises(TypeError, match="custom_rewriter gives back a new onnx.ModelProto"):
        rewritten(lambda proto: answer)


def test_what_it_raises_comes_out_as_it_is():
    def change(proto):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        rewritten(change)


def test_one_that_only_writes_other_names_comes_to_an_end():
    calls = []

    def rename(proto):
        calls.append(proto)
        proto.graph.node[0].output[0] = proto.graph.node[1].input[0] = f"name{len(calls)}"

    result = rewritten(rename)

    assert ops(result) == ["Exp", "Relu"] and len(calls) <= 2 and result.report.converged
    assert result.report.warnings == []


def test_one_that_the_passes_undo_is_told_of():
    def wrap(proto):
        proto.graph.node[-1].output[0] = "inner"
        proto.graph.node.add(op_type="Identity", input=["inner"], output=["z"])

    result = rewritten(wrap)

    assert ops(result) == ["Exp", "Relu"]
    assert result.report.warnings == ["custom_rewriter and the passes undo each other: it was not called again"]


def test_what_it_makes_is_simplified():
    def change(proto):
        if proto.graph.node[0].op_type != "Exp":
            return False
        proto.graph.node[0].op_type = "Identity"
        return proto

    assert ops(rewritten(change)) == ["Relu"]


def test_operators_of_a_newer_set_are_an_error_with_the_way_out():
    def change(proto):
        proto.graph.node[1].op_type = "Gelu"

    with pytest.raises(ModelError, match=r"made Gelu, which exists since opset 20; the model has 17.*"
                                         r"target_opset_version to 20"):  # fmt: skip
        rewritten(change, opset=17)
    assert ops(rewritten(change, opset=20)) == ["Exp", "Gelu"]


def test_a_domain_that_is_not_imported_is_an_error_unless_it_was_there_before():
    def change(proto):
        proto.graph.node[1].domain = "my"

    with pytest.raises(ModelError, match="made Relu of domain 'my', which the model does not import.*opset_import"):
        rewritten(change)
    assert missing_operators(read_model(model(TEXT.replace("Relu", "my.Op")))).keys() == {("my", "Op")}
    assert missing_operators(read_model(model(TEXT.replace("Relu", "my.Op"), domains={"my": 1}))) == {}


def test_weights_come_back_as_they_were():
    weight = np.random.default_rng(0).standard_normal((64, 64)).astype(np.float32)
    text = "g (float[2,64] x) => (float[2,64] z) { a = MatMul(x, w) z = Relu(a) }"
    result = rewritten(abs_in_place, text, initializers={"w": weight})
    x = np.ones((2, 64), np.float32)

    assert ops(result) == ["MatMul", "Abs"]
    assert onnx.numpy_helper.to_array(result.model.graph.initializer[0]).tobytes() == weight.tobytes()
    expected = np.abs(x.astype(np.float64) @ weight)
    np.testing.assert_allclose(run(result.model, {"x": x})["z"], expected, rtol=1e-5, atol=1e-5)
