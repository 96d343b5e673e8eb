"""Borrowed passes: what goes to the other package, what is put back, what is said when it fails.

A stand-in plays onnxoptimizer here; the real one runs in the parity session.
"""

import sys
from types import SimpleNamespace

import numpy as np
import onnx
import pytest

from onnxsim_core import OptionError, PassError, simplify
from onnxsim_testkit import assert_same_outputs, model

WEIGHT = np.arange(2048, dtype=np.float32).reshape(512, 4)


def proto():
    made = model(
        "g (float[2,512] x, bool c) => (float[2,4] z) { y = MatMul(x, w) "
        "z = If(c) <then_branch = t () => (float[2,4] a) { a = Neg(y) }, "
        "else_branch = e () => (float[2,4] b) { b = Relu(y) }> }",
        initializers={"w": WEIGHT},
    )
    made.graph.metadata_props.add(key="graph", value="1")
    made.graph.input[0].metadata_props.add(key="input", value="2")
    made.graph.node[0].metadata_props.add(key="node", value="3")
    made.graph.node[1].attribute[0].g.node[0].metadata_props.add(key="inner", value="4")
    made.metadata_props.add(key="model", value="5")
    return made


@pytest.fixture
def stand_in(monkeypatch):
    """Renames inputs and outputs, and drops metadata, as the real one does."""
    seen = SimpleNamespace(bytes=0, functions=0)

    def optimize(given, names):
        seen.bytes, seen.names = len(given.SerializeToString()), names
        result = onnx.ModelProto()
        result.CopyFrom(given)
        for message in (
            result.graph,
            *result.graph.input,
            *result.graph.node,
            result.graph.node[1].attribute[0].g.node[0],
        ):
            del message.metadata_props[:]
        del result.graph.value_info[:]
        new = {
            value.name: f"{kind}_{place}"
            for kind, values in (("input", result.graph.input), ("output", result.graph.output))
            for place, value in enumerate(values)
        }
        for value in (*result.graph.input, *result.graph.output):
            value.name = new[value.name]
        for node in result.graph.node:
            node.input[:] = [new.get(name, name) for name in node.input]
            node.output[:] = [new.get(name, name) for name in node.output]
        return result

    module = SimpleNamespace(optimize=optimize, get_available_passes=lambda: ["rename_input_output", "split_init"])
    monkeypatch.setitem(sys.modules, "onnxoptimizer", module)
    seen.module = module
    return seen


def test_large_weights_stay_and_come_back(stand_in):
    result = simplify(proto(), extra_optimizers=["rename_input_output"])

    assert stand_in.names == ["rename_input_output"] and stand_in.bytes < 1024 < WEIGHT.nbytes
    assert [v.name for v in result.model.graph.input] == ["input_0", "input_1"]
    assert [v.name for v in result.model.graph.output] == ["output_0"]
    assert result.report.fired["rename_input_output"] == 1
    (weight,) = result.model.graph.initializer
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(weight), WEIGHT)
    onnx.checker.check_model(result.model, full_check=True)


def test_what_it_drops_is_put_back(stand_in):
    graph = simplify(proto(), extra_optimizers=["rename_input_output"]).model.graph

    def stated(message):
        return {entry.key: entry.value for entry in message.metadata_props}

    assert stated(graph) == {"graph": "1"} and stated(graph.input[0]) == {"input": "2"}
    assert stated(graph.node[0]) == {"node": "3"}
    branches = {attribute.name: attribute.g for attribute in graph.node[1].attribute}
    assert stated(branches["then_branch"].node[0]) == {"inner": "4"}


def test_the_result_computes_the_same(stand_in):
    before, after = proto(), simplify(proto(), extra_optimizers=["rename_input_output"]).model
    for node in (*after.graph.node,):
        for names in (node.input, node.output):
            names[:] = [{"input_0": "x", "input_1": "c", "output_0": "z"}.get(name, name) for name in names]
    for value, name in zip((*after.graph.input, *after.graph.output), ("x", "c", "z"), strict=True):
        value.name = name
    assert_same_outputs(before, after, {"x": np.ones((2, 512), np.float32), "c": np.array(True)}, rtol=0, atol=0)


def test_without_the_package_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxoptimizer", None)

    with pytest.raises(OptionError, match="split_init is done by onnxoptimizer.*pip install onnxoptimizer"):
        simplify(proto(), extra_optimizers=["split_init"])
    assert simplify(proto(), skipped_optimizers=["split_init"], extra_optimizers=["split_init"]).ok


def test_an_old_package_may_lack_a_pass(stand_in):
    with pytest.raises(OptionError, match="has no pass 'split_predict'"):
        simplify(proto(), extra_optimizers=["split_predict"])


def test_weights_go_as_inputs_where_a_pass_looks_for_them_there(stand_in):
    stand_in.module.optimize = lambda given, names: stand_in.__dict__.update(
        inputs=[value.name for value in given.graph.input]) or onnx.ModelProto.FromString(given.SerializeToString())
    graph = simplify(proto(), extra_optimizers=["split_init"]).model.graph

    assert stand_in.inputs == ["x", "c", "w"] and [value.name for value in graph.input] == ["x", "c"]
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(graph.initializer[0]), WEIGHT)


def test_what_became_an_input_stays_one(stand_in):
    def without_weights(given, names):
        result = onnx.ModelProto.FromString(given.SerializeToString())
        del result.graph.initializer[:]
        return result

    stand_in.module.optimize = without_weights
    graph = simplify(proto(), extra_optimizers=["split_init"]).model.graph

    assert not graph.initializer and [value.name for value in graph.input] == ["x", "c", "w"]


def test_an_invalid_result_is_its_failure(stand_in):
    def broken(given, names):
        result = onnx.ModelProto.FromString(given.SerializeToString())
        result.graph.node[0].input[0] = "nobody"
        return result

    stand_in.module.optimize = broken
    with pytest.raises(PassError, match="onnxoptimizer makes an invalid model of this one: .*'nobody'"):
        simplify(proto(), extra_optimizers=["split_init"])


def test_its_failure_names_the_pass(stand_in):
    def fail(given, names):
        raise RuntimeError("Unresolved value\nreferences: w")

    stand_in.module.optimize = fail
    with pytest.raises(PassError, match="onnxoptimizer fails on this model: Unresolved value references: w") as caught:
        simplify(proto(), extra_optimizers=["split_init"])
    assert caught.value.pass_name == "split_init"
