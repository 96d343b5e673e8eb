"""What onnxoptimizer's passes remove, simplify removes too; run by the parity session, which installs it."""

from random import Random

import numpy as np
import onnx
import onnxoptimizer
import pytest

from onnxsim_core import simplify
from onnxsim_core.passes import catalog
from onnxsim_testkit import model as checked_model
from onnxsim_testkit import random_model

pytestmark = pytest.mark.parity


@pytest.mark.parametrize("name", onnxoptimizer.get_available_passes())
def test_every_pass_is_in_the_catalogue(name):
    catalog.load()

    assert name in catalog.CATALOG


# onnxoptimizer itself gives up on the model of seed 135.
@pytest.mark.parametrize("seed", [seed for seed in range(150) if seed != 135])
def test_no_more_nodes_are_left(seed):
    model, _ = random_model(Random(seed), 4 + seed % 40)
    passes = onnxoptimizer.get_fuse_and_elimination_passes()
    optimized = onnxoptimizer.optimize(model, passes, fixed_point=True)
    simplified, _ = simplify(model)

    assert len(simplified.graph.node) <= len(optimized.graph.node)


def _borrowed(*names):
    given = checked_model("g (float[2,512] x, int64[2,3] i) => (float[2,4] z, int64[2,3] j) { y = MatMul(x, w) "
                          "v = Add(a, a) z = Mul(y, v) j = Neg(i) }",
                          initializers={"w": WEIGHT, "a": np.array([1, 2, 3, 4], np.float32)})
    result = simplify(given, extra_optimizers=names, skip_constant_folding=True).model
    onnx.checker.check_model(result, full_check=True)
    return result


WEIGHT = np.arange(2048, dtype=np.float32).reshape(512, 4)


def test_inputs_and_outputs_are_renamed():
    result = _borrowed("rename_input_output")
    inputs = {value.name for value in result.graph.input}

    assert inputs == {"input_0", "input_1"} and [v.name for v in result.graph.output] == ["output_0", "output_1"]
    weights = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in result.graph.initializer}
    np.testing.assert_array_equal(weights["w"], WEIGHT)


def test_integer_inputs_are_taken_as_int32():
    types = {value.name: value.type.tensor_type.elem_type for value in _borrowed("rewrite_input_dtype").graph.input}

    assert types["i"] == onnx.TensorProto.INT32


def test_a_model_is_split_into_what_computes_weights_and_the_rest():
    first, second = _borrowed("split_init").graph, _borrowed("split_predict").graph

    assert not first.input and [node.op_type for node in first.node] == ["Add"]
    assert not second.initializer and "Add" not in [node.op_type for node in second.node]
    assert {value.name for value in second.input} == {"x", "i", *(value.name for value in first.output)}


def test_what_a_body_captures_is_listed_where_bodies_and_the_graph_have_weights():
    given = checked_model(
        "g (float[2,512] x, bool c) => (float[2,4] z) { z = If(c) <then_branch = t () => (float[2,4] a) "
        "<float[4] k = {1, 2, 3, 4}> { m = MatMul(x, w) a = Mul(m, k) }, "
        "else_branch = e () => (float[2,4] b) { b = MatMul(x, w) }> }",
        initializers={"w": WEIGHT},
    )
    result = simplify(given, extra_optimizers=["lift_lexical_references"]).model
    (choice,) = result.graph.node
    (captured,) = (attribute.strings for attribute in choice.attribute if attribute.name == "__control_inputs")

    assert sorted(captured) == [b"w", b"x"] and [value.name for value in result.graph.input] == ["x", "c"]
    weights = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in result.graph.initializer}
    np.testing.assert_array_equal(weights["w"], WEIGHT)
