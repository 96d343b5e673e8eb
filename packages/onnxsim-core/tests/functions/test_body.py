"""A function's body as a graph of its own."""

import onnx
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.functions.body import HIDDEN, Body, call_key, calls, key_of, label
from onnxsim_core.ir.graph import AttributeRef
from onnxsim_core.ir.read import read_model

HEAD = """<ir_version: 10, opset_import: ["" : 18, "l" : 1]>
    g (float[2] x) => (float[2] y) { y = l.f<a=0.5>(x) }
    <domain: "l", opset_import: ["" : 17, "l" : 1, "other" : 3]> """


def body(function: str) -> Body:
    model = read_model(onnx.parser.parse_model(HEAD + function))
    return Body(model.functions["l", "f", ""].proto, model)


FILLED = """f <a, b: float = 2.0>(x) => (y) { k = Constant<value_float: float = @b>() t = LeakyRelu<alpha: float = @a>(x)
            u = Elu<alpha: float = @c>(t) y = Mul(u, k) }"""


def test_it_has_operator_sets_and_names_of_its_own():
    made = body("f (x) => (y) { t = Relu(x) y = Neg(t) }")

    assert made.model.opsets == {"": 17, "l": 1, "other": 3}
    assert [value.name for value in made.graph.inputs] == ["x"] and made.graph.inputs[0].type_proto is None
    assert made.graph.inputs[0].dtype == 0 and made.graph.inputs[0].shape is None


def test_holes_are_filled_by_the_call_then_by_defaults_and_else_left_out():
    made = body(FILLED)
    made.bind({"a": 0.5})
    constant, leaky, elu, _ = made.graph

    assert constant.attributes == {"value_float": 2.0}
    assert leaky.attributes == {"alpha": 0.5} and elu.attributes == {}
    made.bind({"a": 0.25, "b": 3.0, "c": 4.0})
    assert [dict(node.attributes) for node in made.graph][:3] == [{"value_float": 3.0}, {"alpha": 0.25}, {"alpha": 4.0}]


def test_hidden_nodes_are_no_operators_and_come_back():
    made = body(FILLED)
    made.hide()
    assert [node.domain.startswith(HIDDEN) for node in made.graph] == [True, True, True, False]

    proto = made.to_proto()

    assert [(n.domain, n.op_type) for n in proto.node] == [("", "Constant"), ("", "LeakyRelu"), ("", "Elu"), ("", "Mul")]
    assert [a.ref_attr_name for n in proto.node for a in n.attribute] == ["b", "a", "c"]
    assert [a.name for a in proto.attribute_proto] == ["b"] and list(proto.attribute) == ["a"]


def test_a_body_in_a_branch_may_have_holes_too():
    made = body("""f <a>(x, c) => (y) { y = If (c) <then_branch = t () => (float[2] p) { p = Elu<alpha: float = @a>(x) },
                   else_branch = e () => (float[2] q) { q = Neg(x) }> }""")
    made.bind({"a": 0.5})
    (node, _) = made.holes[0]

    assert node.op_type == "Elu" and node.attributes == {"alpha": 0.5}


def test_writing_keeps_what_is_stated_of_values_that_are_left():
    made = body("f (x) => (y) { t = Relu(x) y = Neg(t) }")
    for name in ("t", "gone"):
        made.proto.value_info.add(name=name).type.tensor_type.elem_type = 1
    made.model.opsets["new"] = 2

    proto = made.to_proto()

    assert [info.name for info in proto.value_info] == ["t"]
    assert {entry.domain: entry.version for entry in proto.opset_import} == {"": 17, "l": 1, "other": 3, "new": 2}


def test_constants_are_written_as_nodes():
    made = body("f (x) => (y) { k = Constant<value = float[2] {1, 2}>() y = Mul(x, k) }")
    assert [value.name for value in made.graph.constants] == ["k"]

    first, second = made.to_proto().node

    assert (first.op_type, second.op_type) == ("Constant", "Mul") and first.output[0] == "k"


def test_a_body_that_is_no_graph_names_its_function():
    with pytest.raises(ModelError, match="function l.f: .*'t' is used but nothing makes it"):
        body("f (x) => (y) { y = Neg(t) }")


def test_which_function_a_node_calls():
    model = read_model(onnx.parser.parse_model(HEAD + "f (x) => (y) { y = Neg(x) }"))
    (node,) = calls(model.graphs(), model)

    assert call_key(node) == key_of(model.functions["l", "f", ""].proto) == ("l", "f", "")
    assert label(("l", "f", "v2")) == "function l.f:v2" and label(("", "f", "")) == "function f"
    assert not any(isinstance(value, AttributeRef) for value in node.attributes.values())
