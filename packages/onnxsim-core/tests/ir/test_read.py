"""From ModelProto to Model: names by scope, constants, declared types, and what is no valid graph."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from onnxsim_core.errors import ModelError
from onnxsim_core.ir.formal import OPAQUE
from onnxsim_core.ir.graph import Graph, Model, Value
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import MissingTensor, SpanTensor
from onnxsim_testkit import model


def read(text: str, **initializers: np.ndarray) -> Model:
    return read_model(model(text, opset=17, initializers=initializers).SerializeToString())


def constants(graph: Graph) -> dict[str, Value]:
    return {value.name: value for value in graph.constants}


def changed(edit) -> bytes:
    """A small valid model after this edit of its graph."""
    proto = model("g (float[2] x) => (float[2] y) { a = Neg(x) y = Add(a, w) }", opset=17,
                  initializers={"w": np.float32([1, 2])})
    edit(proto.graph)
    return proto.SerializeToString()


# --- names -----------------------------------------------------------------------------------------------------------
def test_a_name_in_a_body_hides_the_one_around_it():
    graph = read("""g (float[2] x, bool c) => (float[2] y) {
        a = Neg(x)
        y = If(c) <then_branch = t () => (float[2] p) { a = Exp(x) p = Abs(a) },
                   else_branch = e () => (float[2] q) { q = Abs(a) }> }""").graph
    outer = graph.first.outputs[0]
    then, other = graph.last.bodies.values()
    assert then.last.inputs[0] is then.first.outputs[0] is not outer
    assert other.first.inputs[0] is outer and list(outer.uses) == [other.first]


def test_omitted_inputs_and_outputs():
    graph = read("g (float[2] x, float m) => (float[2] y, bool[2] k) { y = Clip(x, , m) z, k = Dropout(x) }").graph
    clip, dropout = graph
    assert clip.inputs == [*graph.inputs[:1], None, graph.inputs[1]]
    assert [v.name for v in dropout.outputs] == ["z", "k"] and graph.outputs == [clip.outputs[0], dropout.outputs[1]]


# --- constants -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("attribute", "expected"), [
    ("value_int = 3", np.array(3)), ("value_ints = [3, -4]", np.array([3, -4])),
    ("value_float = 0.5", np.float32(0.5)), ("value_floats = [0.5, 2.0]", np.float32([0.5, 2])),
    ("value = int32[2] {5, 6}", np.int32([5, 6])),
    ('value_string = "w"', np.array(b"w", dtype=object)), ('value_strings = ["v", "w"]', np.array([b"v", b"w"], object)),
])
def test_constant_nodes_become_constants(attribute, expected):
    graph = read(f"g () => (float[] y) {{ k = Constant<{attribute}>() y = Identity(k) }}").graph
    value = constants(graph)["k"]
    found = value.tensor.numpy()
    assert len(graph) == 1 and value.is_constant and value.shape == expected.shape
    assert found.dtype == expected.dtype and found.tolist() == expected.tolist()


def test_an_initializer_that_is_an_input_too_can_be_overridden():
    graph = read("g (float[2] w, float[2] x) => (float[2] y) { y = Add(x, w) z = Add(x, v) }", w=np.float32([1, 2]),
                 v=np.float32([3, 4])).graph
    found = constants(graph)
    assert found["w"] is graph.inputs[0] and not found["w"].is_constant and found["v"].is_constant


def test_external_data_is_read_where_it_lies(tmp_path, monkeypatch):
    weights = np.arange(2000, dtype=np.float32)
    proto = model("g () => (float[2000] y) { y = Neg(w) }", opset=17, initializers={"w": weights})
    path = tmp_path / "m.onnx"
    onnx.save(proto, path, save_as_external_data=True, location="m.bin", size_threshold=0)
    tensor = constants(read_model(path).graph)["w"].tensor
    assert isinstance(tensor, SpanTensor)
    np.testing.assert_array_equal(tensor.numpy(), weights)
    alone = constants(read_model(path.read_bytes()).graph)["w"].tensor
    assert isinstance(alone, MissingTensor) and alone.dims == (2000,)
    with pytest.raises(ModelError, match=r"m\.bin"):
        alone.numpy()


# --- types -----------------------------------------------------------------------------------------------------------
def test_declared_types_of_inputs():
    proto = model("g (float[n,3,n] x, float u, float[] r, seq(float[2]) s) => () { }", opset=17)
    proto.graph.input.append(helper.make_tensor_value_info("m", TensorProto.INT64, [-1, None]))
    proto.graph.input[2].type.tensor_type.ClearField("shape")
    x, u, r, s, m = read_model(proto.SerializeToString()).graph.inputs
    assert x.dtype == 1 and x.shape[0] == x.shape[2] and x.shape[1] == 3 and str(x.shape[0]) == "n"
    assert u.shape == () and r.shape is None and r.dtype == 1
    assert s.dtype == 0 and s.type_proto.WhichOneof("value") == "sequence_type"
    assert len(m.shape) == 2 and m.shape[0] != m.shape[1]  # two sizes of which nothing is known


def test_a_node_that_does_not_fit_its_operator_is_nothing_a_rule_looks_at():
    graph = read("g (float[2] x) => (float[2] y) { a = Neg(x, x) y = LeakyRelu<alpha = [1.0]>(a) z = Neg(y) }").graph
    assert [node.domain for node in graph] == [OPAQUE, OPAQUE, ""]


# --- what is no model ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("edit", "message"), [
    (lambda g: g.node[1].input.__setitem__(0, "gone"), "'gone' is used but nothing makes it"),
    (lambda g: g.output[0].__setattr__("name", "gone"), "'gone' is used but nothing makes it"),
    (lambda g: g.node[1].output.__setitem__(0, "a"), "the name 'a' is given to two values"),
    (lambda g: g.node[0].output.__setitem__(0, "x"), "the name 'x' is given to two values"),
    (lambda g: g.input.append(g.input[0]), "two graph inputs have the name 'x'"),
    (lambda g: g.initializer.append(g.initializer[0]), "two initializers have the name 'w'"),
])
def test_names_that_do_not_resolve_are_an_error(edit, message):
    with pytest.raises(ModelError, match=message):
        read_model(changed(edit))


def test_a_model_needs_a_graph_and_operator_sets():
    with pytest.raises(ModelError, match="no graph"):
        read_model(onnx.ModelProto(ir_version=8).SerializeToString())
    proto = onnx.ModelProto.FromString(changed(lambda graph: None))
    del proto.opset_import[:]
    with pytest.raises(ModelError, match="no operator set"):
        read_model(proto)


def test_damaged_bytes_are_an_error_and_other_things_no_model():
    with pytest.raises(ModelError):
        read_model(changed(lambda graph: None)[:-3])
    with pytest.raises(TypeError, match="not int"):
        read_model(3)


def test_a_proto_that_is_read_stays_as_it_was():
    proto = onnx.ModelProto.FromString(changed(lambda graph: None))
    before = proto.SerializeToString(deterministic=True)
    ir = read_model(proto)
    ir.graph.unlink(ir.graph.first)
    ir.graph.last.name = "other"
    assert proto.SerializeToString(deterministic=True) == before
