"""What is settled before the first round."""

import numpy as np
import pytest

from onnxsim_core import OptionError, simplify
from onnxsim_core.ir.read import read_model
from onnxsim_core.options import SimplifyOptions
from onnxsim_core.passes.prepare import prepare
from onnxsim_testkit import model, run

DEFAULT = "g (float[2] x, float[2] w) => (float[2] z) <float[2] w={3,4}> { z = Mul(x, w) }"
THREE = "g (float[2] x) => (float[2] a, float[2] b, float[2] c) { a = Neg(x) b = Abs(x) e = Exp(a) c = Log(e) }"
X = np.float32([1, 2])


def test_initializers_among_the_inputs_become_constants():
    result = simplify(model(DEFAULT)).model

    assert [info.name for info in result.graph.input] == ["x"]
    assert [tensor.name for tensor in result.graph.initializer] == ["w"]
    assert run(result, {"x": X})["z"].tolist() == [3, 8]


def test_on_request_they_stay_inputs_that_can_be_overridden():
    result = simplify(model(DEFAULT), mutable_initializer=True).model

    assert [info.name for info in result.graph.input] == ["x", "w"]
    assert run(result, {"x": X})["z"].tolist() == [3, 8]
    assert run(result, {"x": X, "w": np.float32([5, 6])})["z"].tolist() == [5, 12]


def test_a_default_that_stays_is_not_folded_into_anything():
    proto = model("g (float[2] x, float[2] w) => (float[2] z) <float[2] w={3,4}> { v = Neg(w) z = Add(x, v) }")
    result = simplify(proto, mutable_initializer=True).model

    assert run(result, {"x": X, "w": np.float32([5, 6])})["z"].tolist() == [-4, -4]


def test_outputs_that_are_not_wanted_go_with_what_computes_them():
    result = simplify(model(THREE), unused_output=["c", "a"]).model

    assert [info.name for info in result.graph.output] == ["b"]
    assert [node.op_type for node in result.graph.node] == ["Abs"]


def test_the_rest_stays_in_order_and_what_others_need_stays():
    result = simplify(model(THREE), unused_output=["b"], skip_constant_folding=True).model

    assert [info.name for info in result.graph.output] == ["a", "c"]
    assert "Abs" not in {node.op_type for node in result.graph.node}
    assert run(result, {"x": X})["a"].tolist() == [-1, -2]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("d",), r"the model has no output called 'd' \(its outputs: a, b, c\)"),
        (("a", "x"), "no output called 'x'"),
        (("a", "b", "c"), "removing every output would leave an empty model"),
    ],
)
def test_names_must_be_outputs_and_one_must_stay(names, message):
    ir = read_model(model(THREE))
    with pytest.raises(OptionError, match=message):
        prepare(ir, SimplifyOptions(unused_outputs=names))
    assert [value.name for value in ir.graph.outputs] == ["a", "b", "c"]


def test_nodes_to_keep_must_exist():
    with pytest.raises(OptionError, match="nowhere"):
        prepare(read_model(model(THREE)), SimplifyOptions(keep_nodes=("nowhere",)))
