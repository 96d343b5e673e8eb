"""The small models that a runtime gets."""

import ml_dtypes
import numpy as np
import onnx

from onnxsim_core import ops
from onnxsim_core.fold.stub import Stub
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model

ops.load()


def stub_of(text: str, **initializers: np.ndarray) -> Stub:
    ir = read_model(model(text, initializers=initializers).SerializeToString())
    Inference(ir).walk(ir.graph)
    return Stub([node for node in ir.graph if node.op_type != "Add"], ir)


def test_the_model_is_valid_and_small_constants_are_inside():
    stub = stub_of("g (float[3] x) => (float[3] y) { a = Relu(c) y = Add(a, x) }", c=np.ones(3, np.float32))
    assert [tensor.name for tensor in stub.model.graph.initializer] == ["c0"]
    assert (stub.feeds, stub.outputs) == ({}, ["n1_0"])
    assert stub.model.opset_import[0].version == 21


def test_a_constant_that_several_nodes_read_is_there_once():
    stub = stub_of(
        "g (float[3] x) => (float[3] y) { a = Relu(c) b = Neg(c) d = Add(a, b) y = Add(d, x) }",
        c=np.ones(3, np.float32),
    )
    assert len(stub.model.graph.initializer) == 1
    assert len(stub.model.graph.node) == 2


def test_a_large_constant_is_an_input():
    weight = np.ones((512, 512), np.float32)
    stub = stub_of("g (float[512] x) => (float[] y) { a = Relu(c) y = Add(a, x) }", c=weight)
    assert not stub.model.graph.initializer
    assert list(stub.feeds) == ["c0"]
    np.testing.assert_array_equal(stub.feeds["c0"], weight)


def test_what_numpy_lacks_is_never_fed():
    weight = np.ones((1024, 1024), ml_dtypes.bfloat16)
    stub = stub_of("g (bfloat16[1] x) => (bfloat16[] y) { a = Relu(c) y = Add(a, x) }", c=weight)
    assert not stub.feeds
    assert stub.model.graph.initializer[0].data_type == onnx.TensorProto.BFLOAT16


def test_unused_and_unnamed_outputs_are_not_asked_for():
    nodes = "v, i = TopK(c, k) , j = TopK(c, k) w = Cast<to = 1>(j) u = Add(v, w) y = Add(u, x)"
    text = f"g (float[1] x) => (float[] y) {{ {nodes} }}"
    ir = read_model(model(text, initializers={"c": np.ones(3, np.float32), "k": np.array([1])}).SerializeToString())
    nodes = [node for node in ir.graph if node.op_type == "TopK"]
    stub = Stub(nodes, ir)
    assert stub.outputs == ["n1_0", "n2_1"]
    assert list(stub.model.graph.node[1].output) == ["", "n2_1"]
    results = stub.by_node([np.float32([5]), np.int64([2])])
    assert [array.tolist() for array in results[nodes[0]]] == [[5.0], []]
    assert [array.tolist() for array in results[nodes[1]]] == [[], [2]]
