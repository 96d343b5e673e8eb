import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from onnxsim_testkit import model


def test_a_graph_gets_the_asked_opset_and_an_ir_version_that_knows_it():
    proto = model("g (float[2] x) => (float[2] y) { y = Relu(x) }", opset=14)

    assert [(i.domain, i.version) for i in proto.opset_import] == [("", 14)]
    assert proto.ir_version == 7
    onnx.checker.check_model(proto, full_check=True)


def test_a_whole_model_states_its_own_opsets():
    proto = model('<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) { y = Relu(x) }', opset=14)

    assert [(i.domain, i.version) for i in proto.opset_import] == [("", 17)]


def test_further_domains_are_imported():
    proto = model("g (float[2] x) => (float[2] y) { y = my.own.Twist(x) }", domains={"my.own": 3})

    assert [(i.domain, i.version) for i in proto.opset_import] == [("", 21), ("my.own", 3)]
    assert proto.graph.node[0].domain == "my.own"
    assert proto.ir_version == 10


def test_initializers_are_added_and_replaced():
    text = "g (float[2] x) => (float[2] y) <float[2] w = {1, 2}> { t = Add(x, w) y = Mul(t, s) }"
    proto = model(text, initializers={"w": np.float32([5, 6]), "s": np.float32([7])})

    values = {t.name: numpy_helper.to_array(t).tolist() for t in proto.graph.initializer}
    assert values == {"w": [5.0, 6.0], "s": [7.0]}


def test_check_refuses_a_model_that_contradicts_itself():
    with pytest.raises(onnx.shape_inference.InferenceError):
        model("g (float[2] x) => (float[3] y) { y = Relu(x) }", check=True)


def test_bad_text_is_an_error():
    with pytest.raises(onnx.parser.ParseError):
        model("g (float[2] x) => { }")
