"""A callable of the user inside the fixed point."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from onnxsim_core import ModelError, load_tensor, simplify
from onnxsim_core.ir import exchange
from onnxsim_testkit import assert_same_outputs, model, random_feeds


class Counted:
    """Counts the calls of a rewriter."""

    def __init__(self, function: Callable[[onnx.ModelProto], Any]) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, proto: onnx.ModelProto) -> Any:
        self.calls += 1
        return self.function(proto)


def first_relu_to_exp(proto: onnx.ModelProto) -> bool | None:
    for node in proto.graph.node:
        if node.op_type == "Relu":
            node.op_type = "Exp"
            return None
    return False


CHAIN = "g (float[3] x) => (float[3] y) { a = Relu(x) b = Neg(a) c = Relu(b) d = Neg(c) e = Relu(d) y = Neg(e) }"


def ops(result: Any) -> list[str]:
    return [node.op_type for node in result.model.graph.node]


def test_one_rewrite_a_call_until_none_is_left():
    rewriter = Counted(first_relu_to_exp)
    result = simplify(model(CHAIN, opset=18), custom_rewriter=rewriter)

    assert ops(result) == ["Exp", "Neg"] * 3 and rewriter.calls == 4 and result.report.converged


def test_a_new_model_may_be_given_back():
    def copied(proto):
        made = onnx.ModelProto()
        made.CopyFrom(proto)
        return made if first_relu_to_exp(made) is None else False

    assert ops(simplify(model(CHAIN, opset=18), custom_rewriter=copied)) == ["Exp", "Neg"] * 3


def test_the_callers_model_is_not_touched():
    original = model(CHAIN, opset=18)
    before = original.SerializeToString()
    simplify(original, custom_rewriter=first_relu_to_exp)

    assert original.SerializeToString() == before


def test_passes_and_rewriter_take_turns():
    """The rewriter makes what a pass folds, and that makes what the rewriter looks for."""
    def rewrite(proto):
        for node in proto.graph.node:
            if node.op_type == "Own":
                node.op_type = "Identity"
                node.domain = ""
                return None
        return False

    text = '<ir_version: 8, opset_import: ["" : 18, "v" : 1]> g (float[3] x) => (float[3] y) ' \
           '{ a = v.Own(x) b = Transpose<perm=[0]>(a) c = v.Own(b) y = Relu(c) }'
    rewriter = Counted(rewrite)
    result = simplify(onnx.parser.parse_model(text), custom_rewriter=rewriter)

    assert ops(result) == ["Relu"] and rewriter.calls == 3


@pytest.mark.parametrize("answer", [lambda proto: False, lambda proto: None, lambda proto: proto])
def test_nothing_changed_in_three_ways(answer):
    rewriter = Counted(answer)
    result = simplify(model(CHAIN, opset=18), custom_rewriter=rewriter)

    assert rewriter.calls == 1 and len(ops(result)) == 6 and result.report.warnings == []


def test_writing_the_same_anew_ends_after_one_call_and_is_kept():
    """Other names, other order, a note: what a tool does that rebuilds the model each time."""
    def rebuilt(proto):
        proto.producer_name = "tool"
        for node in proto.graph.node:
            node.metadata_props.add(key="seen", value="yes")
            node.name = f"tool_{node.output[0]}"
        return proto

    rewriter = Counted(rebuilt)
    result = simplify(model(CHAIN, opset=18), custom_rewriter=rewriter)

    assert rewriter.calls == 1 and result.model.producer_name == "tool"
    assert {entry.value for node in result.model.graph.node for entry in node.metadata_props} == {"yes"}


def test_what_a_pass_undoes_is_a_warning_and_no_loop():
    def with_identity(proto):
        proto.graph.node[0].input[0] = "xx"
        proto.graph.node.insert(0, helper.make_node("Identity", ["x"], ["xx"]))

    rewriter = Counted(with_identity)
    result = simplify(model(CHAIN, opset=18), custom_rewriter=rewriter)

    assert rewriter.calls == 1 and "Identity" not in ops(result)
    assert result.report.warnings == ["custom_rewriter and the passes undo each other: it was not called again"]


def test_a_rewriter_that_never_ends_is_stopped():
    def grow(proto):
        last = proto.graph.node[-1]
        last.output[0], name = f"t{len(proto.graph.node)}", last.output[0]
        proto.graph.node.append(helper.make_node("Exp", [last.output[0]], [name]))

    rewriter = Counted(grow)
    result = simplify(model(CHAIN, opset=18), custom_rewriter=rewriter)

    assert rewriter.calls == 50 and not result.report.converged
    assert result.report.warnings == ["stopped after 50 rounds before the fixed point was reached"]


@pytest.mark.parametrize("answer", [True, 1, "model", [onnx.ModelProto()], onnx.GraphProto()])
def test_other_answers_are_refused(answer):
    with pytest.raises(TypeError, match="custom_rewriter gives back a new onnx.ModelProto, None .* or False .*, not"):
        simplify(model(CHAIN, opset=18), custom_rewriter=lambda proto: answer)


@pytest.mark.parametrize("rewriter", [5, "rewrite", onnx.ModelProto()])
def test_what_cannot_be_called_is_refused_at_once(rewriter):
    with pytest.raises(TypeError, match="custom_rewriter is called with a ModelProto, but a .* cannot be called"):
        simplify("no such file", custom_rewriter=rewriter)


def test_its_errors_come_out_as_they_are_after_one_call():
    def fail(proto):
        raise KeyError("mine")

    rewriter = Counted(fail)
    with pytest.raises(KeyError, match="mine"):
        simplify(model(CHAIN, opset=18), custom_rewriter=rewriter)
    assert rewriter.calls == 1


# --- validity --------------------------------------------------------------------------------------------------------
def renamed(op_type: str, domain: str = "") -> Callable[[onnx.ModelProto], None]:
    def rewrite(proto):
        proto.graph.node[0].op_type, proto.graph.node[0].domain = op_type, domain

    return rewrite


def test_an_operator_the_operator_set_does_not_have():
    with pytest.raises(ModelError, match="made Gelu, which exists since opset 20; the model has 18") as caught:
        simplify(model(CHAIN, opset=18), custom_rewriter=renamed("Gelu"))
    assert caught.value.hint == "set target_opset_version to 20 or more"


def test_a_domain_that_is_not_imported():
    with pytest.raises(ModelError, match="made Own of domain 'mine', which the model does not import"):
        simplify(model(CHAIN, opset=18), custom_rewriter=renamed("Own", "mine"))


def test_operators_that_onnx_does_not_know_and_those_that_were_there_before_pass():
    assert ops(simplify(model(CHAIN, opset=18), custom_rewriter=renamed("EfficientNMS_TRT")))[0] == "EfficientNMS_TRT"
    before = model("g (float[3] x) => (float[3] y) { a = Relu(x) y = Gelu(a) }", opset=18)
    assert ops(simplify(before, custom_rewriter=first_relu_to_exp)) == ["Exp", "Gelu"]


def test_a_graph_that_is_none():
    def dangling(proto):
        proto.graph.node[0].input[0] = "nobody"

    with pytest.raises(ModelError, match="'nobody' is used but nothing makes it"):
        simplify(model(CHAIN, opset=18), custom_rewriter=dangling)


# --- together with the rest ------------------------------------------------------------------------------------------
def test_new_functions_are_inlined_when_functions_are():
    def call(proto):
        node = proto.graph.node[0]
        node.op_type, node.domain = "f", "l"
        proto.opset_import.add(domain="l", version=1)
        proto.functions.append(onnx.parser.parse_function(
            '<domain: "l", opset_import: ["" : 18]> f (x) => (y) { y = Sin(x) }'))
        return None

    answers = [call, lambda proto: False]
    result = simplify(model(CHAIN, opset=18), custom_rewriter=lambda proto: answers.pop(0)(proto), inline_functions=True)
    assert ops(result)[0] == "Sin" and not result.model.functions


def test_rules_and_rewriter_together():
    """The rule's own nodes stay known as such when the model is read anew."""
    pattern = onnx.parser.parse_function('<domain: "c", opset_import: ["" : 18]> p (x) => (y) { y = Neg(x) }')
    replacement = onnx.parser.parse_function(
        '<domain: "c", opset_import: ["" : 18]> r (x) => (y) { t = Neg(x) y = Floor(t) }')
    result = simplify(model(CHAIN, opset=18), custom_rewriter=first_relu_to_exp,
                      function_rewrite_rules=[(pattern, replacement)])

    assert ops(result) == ["Exp", "Neg", "Floor"] * 3 and result.report.converged


def test_kept_nodes_are_handed_out_as_what_they_are():
    original = model(CHAIN, opset=18)
    original.graph.node[1].name = "mine"
    seen = []
    simplify(original, keep_nodes=["mine"], custom_rewriter=lambda proto: seen.append(
        [(n.domain, n.op_type) for n in proto.graph.node]) or False)

    assert seen == [[("", op) for op in ("Relu", "Neg") * 3]]


# --- weights ---------------------------------------------------------------------------------------------------------
WEIGHTS = "g (float[300000] x) => (float[300000] y) { a = Relu(x) b = Add(a, w) y = Mul(b, v) }"


def test_large_weights_are_neither_copied_nor_read_when_nothing_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "WHOLE", 1_500_000)
    monkeypatch.setattr(exchange, "REFERENCED_FROM", 1_000_000)
    arrays = {"w": np.arange(300000, dtype="f"), "v": np.arange(512, 300512).astype("f")}
    path = tmp_path / "model.onnx"
    onnx.save(model(WEIGHTS, opset=18, initializers=arrays), path)

    def look(proto):
        assert all(tensor.external_data and not tensor.raw_data for tensor in proto.graph.initializer)
        for tensor in proto.graph.initializer:
            np.testing.assert_array_equal(load_tensor(tensor), arrays[tensor.name])
        return first_relu_to_exp(proto)

    result = simplify(path, custom_rewriter=look)

    assert all(value.tensor.span() is not None for value in result.graph.graph.constants)
    expected = model(WEIGHTS.replace("Relu", "Exp"), opset=18, initializers=arrays)
    assert_same_outputs(expected, result.model, random_feeds(expected), rtol=0, atol=0)


def test_weights_may_be_changed():
    def double(proto):
        (tensor,) = (one for one in proto.graph.initializer if one.name == "w")
        if numpy_helper.to_array(tensor)[1] == 1:
            tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor) * 2, "w"))

    rewriter = Counted(double)
    arrays = {"w": np.arange(300000, dtype="f"), "v": np.ones(300000, "f") * 3}
    result = simplify(model(WEIGHTS, opset=18, initializers=arrays), custom_rewriter=rewriter, perform_optimization=False)

    assert rewriter.calls == 2
    (tensor,) = (one for one in result.model.graph.initializer if one.name == "w")
    np.testing.assert_array_equal(numpy_helper.to_array(tensor), arrays["w"] * 2)
