"""What is offered beside `simplify`."""

import onnx
import pytest

import onnxsim_core
from onnxsim_core import ModelError, extending, inline_local_functions
from onnxsim_testkit import assert_same_outputs, random_feeds

HEAD = '<ir_version: 8, opset_import: ["" : {}, "l" : 1]> '
F = '<domain: "l", opset_import: ["" : {}, "w" : 2]> '


def parsed(graph: str, function: str, opset: int = 18, functions_opset: int = 18) -> onnx.ModelProto:
    return onnx.parser.parse_model(f"{HEAD.format(opset)} g {graph} {F.format(functions_opset)} {function}")


def test_names_are_those_of_the_package():
    for name in extending.__all__:
        assert getattr(onnxsim_core, name) is getattr(extending, name) and name in onnxsim_core.__all__


def test_functions_are_inlined_and_the_rest_simplified():
    original = parsed("(float[2,3] x) => (float[2,3] y) { i = Identity(x) y = l.f(i) }",
                      "f (x) => (y) { a = Transpose<perm=[1,0]>(x) b = Transpose<perm=[1,0]>(a) y = Neg(b) }")
    result = inline_local_functions(original)

    assert [node.op_type for node in result.graph.node] == ["Neg"] and not result.functions
    assert {entry.domain: entry.version for entry in result.opset_import} == {"": 18, "l": 1, "w": 2}
    assert_same_outputs(original, result, random_feeds(original), rtol=0, atol=0)
    assert original.functions


def test_a_model_without_functions_is_given_back():
    original = onnx.parser.parse_model(HEAD.format(18) + "g (float[2] x) => (float[2] y) { i = Identity(x) y = Neg(i) }")
    assert inline_local_functions(original) is original


def test_options_reach_the_simplifier():
    original = parsed("(float[2] x) => (float[2] y) { y = l.f(x) }", "f (x) => (y) { i = Identity(x) y = Neg(i) }")
    result = inline_local_functions(original, skipped_optimizers=["eliminate_identity"], extra_optimizers=[], providers=[])
    assert [node.op_type for node in result.graph.node] == ["Identity", "Neg"]


def test_a_body_that_is_left_is_an_error():
    original = parsed("(float[2] x, bool c) => (float[2] y) { y = l.f(x, c) }", """f (x, c) => (y) { y = If (c) <
        then_branch = t () => (float[2] p) { p = Neg(x) }, else_branch = e () => (float[2] q) { q = Abs(x) }> }""")
    with pytest.raises(ValueError, match="If has a body, so the model is not flat"):
        inline_local_functions(original)


def test_functions_of_another_operator_set():
    original = parsed("(float[2,1] x) => (float[2] y) { y = l.f(x) }", "f (x) => (y) { y = Squeeze<axes=[1]>(x) }",
                      functions_opset=11)
    (node,) = inline_local_functions(original).graph.node
    assert node.op_type == "Squeeze" and len(node.input) == 2

    with pytest.raises(ModelError, match="it is written for opset 11, and Squeeze is another in opset 18 of the model") as caught:
        inline_local_functions(original, convert_version=False)
    assert caught.value.where == "function l.f" and caught.value.hint == "convert_version=True converts it"
    same = parsed("(float[2] x) => (float[2] y) { y = l.f(x) }", "f (x) => (y) { y = Neg(x) }", functions_opset=11)
    assert len(inline_local_functions(same, convert_version=False).graph.node) == 1
