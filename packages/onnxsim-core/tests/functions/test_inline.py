"""Bodies in the place of calls."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from onnxsim_core import ops
from onnxsim_core.errors import ModelError
from onnxsim_core.functions import inline
from onnxsim_core.functions.inline import called_functions, callees_first, inline_calls
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_testkit import assert_same_outputs, random_feeds

ops.load()
F = '<domain: "l", opset_import: ["" : 18, "l" : 1]> '


def parsed(graph: str, functions: str, opset: int = 18) -> onnx.ModelProto:
    return onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}, "l" : 1]> g {graph} {functions}')


def inlined(graph: str, functions: str, opset: int = 18) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    original = parsed(graph, functions, opset)
    model = read_model(original)
    inline_calls(model)
    result = model_proto(model)
    onnx.checker.check_model(result, full_check=True)
    return original, result


def ops_of(model: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in model.graph.node]


def assert_same(original: onnx.ModelProto, result: onnx.ModelProto) -> None:
    assert not result.functions
    assert_same_outputs(original, result, random_feeds(original), rtol=0, atol=0)


def test_nested_calls_and_attributes():
    original, result = inlined(
        "(float[2,3] x) => (float[3,2] y) { t = l.f<a=0.5>(x) y = l.h<p=[1,0]>(t) }",
        F + "f <a, b: float = 0.25>(x) => (y) { t = LeakyRelu<alpha: float = @a>(x) y = l.k<c: float = @b>(t) }" +
        F + "h <p>(x) => (y) { y = Transpose<perm: ints = @p>(x) }" +
        F + "k <c>(x) => (y) { y = Elu<alpha: float = @c>(x) }")

    assert ops_of(result) == ["LeakyRelu", "Elu", "Transpose"]
    assert [result.graph.node[i].attribute[0].f for i in (0, 1)] == [0.5, 0.25]
    assert_same(original, result)


def test_names_tell_where_nodes_come_from():
    original = parsed("(float[2] x) => (float[2] y) { [first] y = l.f(x) }", F + "f (x) => (y) { [inner] y = Neg(x) }")
    model = read_model(original)
    inline_calls(model)

    assert [node.name for node in model.graph] == ["first/inner"]


def test_overloads():
    original = parsed("(float[2] x) => (float[2] y) { t = l.f(x) y = l.f:two(t) }",
                      F + "f (x) => (y) { y = Neg(x) } " + F.replace('"l",', '"l", overload: "two",', 1)
                      + "f (x) => (y) { y = Exp(x) }")
    model = read_model(original)
    assert set(model.functions) == {("l", "f", ""), ("l", "f", "two")}
    inline_calls(model)

    assert [node.op_type for node in model.graph] == ["Neg", "Exp"]


def test_inputs_that_are_left_out():
    original, result = inlined("(float[1,2,4,4] x, float[3,2,1,1] w) => (float[1,3,4,4] y) { y = l.f(x, w) }",
                               F + "f (x, w, b) => (y) { y = Conv(x, w, b) }")

    assert_same(original, result)
    assert list(result.graph.node[0].input) == ["x", "w"]


def test_calls_inside_branches():
    original = parsed("""(float[2] x, bool c) => (float[2] y) { y = If (c) <then_branch = t () => (float[2] p)
        { p = l.f(x) }, else_branch = e () => (float[2] q) { q = Neg(x) }> }""",
                      F + "f (x) => (y) { t = Exp(x) y = Abs(t) }")
    model = read_model(original)
    inline_calls(model)
    result = model_proto(model)

    for c in (True, False):
        feeds = {"x": np.array([1, -2], "f"), "c": np.array(c)}
        assert_same_outputs(original, result, feeds, rtol=0, atol=0)
    assert not result.functions


def test_names_of_a_branch_in_a_function_do_not_catch_values_outside():
    """The body's own x1 and b have the names of values of the graph."""
    original = parsed("(float[3] x1, bool c) => (float[3] y) { b = Neg(x1) y = l.f(b, c) }", F + """f (x, c) => (y) {
        y = If (c) <then_branch = t () => (float[3] r) { x1 = Exp(x) r = Add(x1, x) },
        else_branch = e () => (float[3] s) { b = Abs(x) s = Mul(b, x) }> }""")
    model = read_model(original)
    inline_calls(model)
    result = model_proto(model)

    onnx.checker.check_model(result)
    for c in (True, False):
        feeds = {"x1": np.array([1, -2, 3], "f"), "c": np.array(c)}
        assert_same_outputs(original, result, feeds, rtol=0, atol=0)


def test_outputs_of_the_graph_keep_their_names():
    """A function that hands its input, one value twice, or a constant on."""
    original, result = inlined(
        "(float[2] x) => (float[2] a, float[2] b, float[2] c, float k) { a = l.same(x) b, c = l.twice(x) k = l.one() }",
        F + "same (x) => (y) { y = Identity(x) } " + F + "twice (x) => (y, z) { y = Neg(x) z = Identity(y) } "
        + F + "one () => (y) { y = Constant<value_float=1.5>() }")

    assert [output.name for output in result.graph.output] == ["a", "b", "c", "k"]
    assert_same(original, result)


def test_a_function_that_returns_one_value_for_two_outputs():
    original = parsed("(float[2] x) => (float[2] a, float[2] b) { a, b = l.f(x) }", F + "f (x) => (y, y) { y = Neg(x) }")
    model = read_model(original)
    inline_calls(model)
    result = model_proto(model)

    assert ops_of(result) in (["Neg", "Identity"], ["Identity", "Neg"])


def test_nodes_of_another_operator_set_are_told():
    model = read_model(parsed("(float[2,1] x) => (float[2] y) { y = l.f(x) }",
                              F.replace("18", "11") + "f (x) => (y) { y = Squeeze<axes=[1]>(x) }", opset=13))

    assert {node.op_type: level for node, level in inline_calls(model).items()} == {"Squeeze": 11}


def test_imports_of_functions_become_those_of_the_model():
    text = F.replace('"l" : 1]', '"l" : 1, "com.microsoft" : 1]') + "f (x) => (y) { y = com.microsoft.QuickGelu(x) }"
    model = read_model(parsed("(float[2] x) => (float[2] y) { y = l.f(x) }", text))
    inline_calls(model)

    assert model.opsets == {"": 18, "l": 1, "com.microsoft": 1}


def test_functions_nobody_called_stay_and_kept_ones_too():
    functions = F + "f (x) => (y) { y = Neg(x) } " + F + "h (x) => (y) { y = Abs(x) } " + F + "k (x) => (y) { y = l.h(x) }"
    model = read_model(parsed("(float[2] x) => (float[2] y) { t = l.f(x) y = l.h(t) }", functions))
    assert called_functions(model) == {("l", "f", ""), ("l", "h", "")}

    inline_calls(model, kept=frozenset({("l", "h", "")}))

    assert [node.op_type for node in model.graph] == ["Neg", "h"]
    assert set(model.functions) == {("l", "h", ""), ("l", "k", "")}


def test_a_function_that_calls_itself():
    model = read_model(parsed("(float[2] x) => (float[2] y) { y = l.f(x) }",
                              F + "f (x) => (y) { y = l.h(x) } " + F + "h (x) => (y) { y = l.f(x) }"))
    with pytest.raises(ModelError, match=r"function l\.h: function l\.f calls itself"):
        inline_calls(model)


def test_callees_come_first():
    model = read_model(parsed("(float[2] x) => (float[2] y) { y = l.a(x) }", F + "a (x) => (y) { t = l.b(x) y = l.c(t) } "
                              + F + "b (x) => (y) { y = l.c(x) } " + F + "c (x) => (y) { y = Neg(x) }"))

    assert [key[1] for key in callees_first(model)] == ["c", "b", "a"]


def test_a_call_that_does_not_fit():
    model = read_model(parsed("(float[2] x) => (float[2] y) { y = l.f(x, x) }", F + "f (x) => (y) { y = Neg(x) }"))
    with pytest.raises(ModelError, match="a call gives 2 inputs and takes 1 outputs, but function l.f has 1 and 1"):
        inline_calls(model)


def test_an_input_left_out_cannot_come_back():
    model = read_model(parsed("(float[2] x) => (float[2] y, float[2] z) { y, z = l.f(x) }",
                              F + "f (x, w) => (y, w) { y = Neg(x) }"))
    with pytest.raises(ModelError, match="the function returns an input that the call leaves out"):
        inline_calls(model)


def test_beyond_all_measure(monkeypatch):
    monkeypatch.setattr(inline, "LARGEST", 1000)
    functions = "".join(F + f"f{i} (x) => (y) {{ t = l.f{i + 1}(x) y = l.f{i + 1}(t) }} " for i in range(30))
    model = read_model(parsed("(float[2] x) => (float[2] y) { y = l.f0(x) }",
                              functions + F + "f30 (x) => (y) { y = Neg(x) }"))
    with pytest.raises(ModelError, match="inlining the local functions would make"):
        inline_calls(model)


def test_beyond_all_measure_is_measured_by_what_is_written(monkeypatch):
    monkeypatch.setattr(inline, "LARGEST", 10)
    text = "(float[2] x) => (float[2] y) { a = l.f(x) y = l.f(a) }"
    body = "".join(f" v{i + 1} = Neg(v{i})" for i in range(20))
    model = read_model(parsed(text, F + f"f (v0) => (v20) {{ {body} }}"))
    inline_calls(model)
    assert model.graph.count == 40


@pytest.mark.parametrize("domain", ["", "ai.onnx"])
def test_a_function_named_like_an_operator_of_onnx_is_never_called(domain):
    """onnxruntime and onnx.reference run the operator."""
    original = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 18]> g (float[2] x) => (float[2] y) { y = Relu(x) } '
                                       f'<domain: "{domain}", opset_import: ["" : 18]> Relu (x) => (y) {{ y = Sub(x, x) }}')
    model = read_model(original)
    assert inline_calls(model) == {} and [node.op_type for node in model.graph] == ["Relu"]
    assert_same_outputs(original, model_proto(model), {"x": np.array([1, -2], "f")}, rtol=0, atol=0)


def test_a_function_of_the_default_domain_with_a_name_of_its_own():
    original = onnx.parser.parse_model('<ir_version: 8, opset_import: ["" : 18]> g (float[2] x) => (float[2] y) { y = Own(x) } '
                                       '<domain: "", opset_import: ["" : 18]> Own (x) => (y) { y = Neg(x) }')
    model = read_model(original)
    inline_calls(model)
    assert [node.op_type for node in model.graph] == ["Neg"]
