"""Operator sets and functions settled before the rounds, on whole models."""

from __future__ import annotations

import numpy as np
import onnx
import pytest

from onnxsim_core import OptionError, UnsupportedModelError, simplify
from onnxsim_core.passes.settle import oldest_ir_version
from onnxsim_testkit import assert_same_outputs, model, random_feeds


def opset_of(proto: onnx.ModelProto) -> int:
    return next(entry.version for entry in proto.opset_import if not entry.domain)


@pytest.mark.parametrize("target", [7, 9, 11, 13, 17, 18, 21, "latest"])
def test_up_and_down(target):
    text = """g (float[n,3,4] x) => (float[n,12] y) { a = Clip<min=-1.0, max=1.0>(x) b = Softmax<axis=2>(a)
              y = Flatten<axis=1>(b) }"""
    original = model(text, opset=9)
    result = simplify(original, target_opset_version=target)

    assert opset_of(result.model) == (onnx.defs.onnx_opset_version() if target == "latest" else target)
    assert len(result.model.graph.node) == 3
    if target != "latest":
        assert_same_outputs(original, result.model, random_feeds(original), rtol=1e-6, atol=0)


def test_what_a_conversion_leaves_behind_is_cleaned_up():
    result = simplify(model("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax<axis=1>(x) }", opset=11),
                      target_opset_version=13)

    assert [node.op_type for node in result.model.graph.node] == ["Flatten", "Softmax", "Reshape"]
    assert result.report.fired["target_opset"] == 1


def test_before_going_down_what_can_be_constant_is_made_so():
    """The axes come out of a Shape: only folded they can become an attribute."""
    original = model("""g (float[2,3] x) => (float[2,1] y) { s = Shape(x) one = Constant<value_ints=[1]>()
        r = Gather<axis=0>(s, one) two = Constant<value_ints=[2]>() a = Sub(r, two) y = ReduceMean(x, a) }""", opset=18)
    result = simplify(original, target_opset_version=13)

    assert [node.op_type for node in result.model.graph.node] == ["ReduceMean"]
    assert_same_outputs(original, result.model, random_feeds(original), rtol=1e-6, atol=0)


def test_new_operators_are_not_made_before_going_down():
    """At opset 17 these nodes would be fused to LayerNormalization, which opset 13 does not have."""
    original = model("""g (float[2,8] x, float[8] s, float[8] b) => (float[2,8] y) { m = ReduceMean<axes=[-1]>(x) d = Sub(x, m)
        q = Mul(d, d) v = ReduceMean<axes=[-1]>(q) e = Constant<value_float=0.00001>() w = Add(v, e) r = Sqrt(w)
        n = Div(d, r) t = Mul(n, s) y = Add(t, b) }""", opset=17)
    result = simplify(original, target_opset_version=13)

    assert "LayerNormalization" not in {node.op_type for node in result.model.graph.node}
    assert "LayerNormalization" in {node.op_type for node in simplify(original).model.graph.node}
    assert_same_outputs(original, result.model, random_feeds(original), rtol=1e-5, atol=1e-6)


def test_the_ir_version_is_raised_when_the_operator_set_needs_it():
    original = model("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=11)
    assert original.ir_version == 6
    assert simplify(original, target_opset_version=21).model.ir_version == 10 == oldest_ir_version(21)
    assert simplify(original, target_opset_version=10).model.ir_version == 6


def test_local_functions_are_converted_too():
    text = """<ir_version: 8, opset_import: ["" : 11, "l" : 1]> g (float[2,1,3] x) => (float[2,3] y) { y = l.f(x) }
        <domain: "l", opset_import: ["" : 11, "v" : 4]> f (x) => (y) { y = Squeeze<axes=[1]>(x) }"""
    original = onnx.parser.parse_model(text)
    result = simplify(original, target_opset_version=18).model

    assert {entry.domain: entry.version for entry in result.functions[0].opset_import} == {"": 18, "v": 4}
    assert_same_outputs(original, result, random_feeds(original), rtol=0, atol=0)


def test_a_function_of_another_operator_set_is_converted_when_inlined():
    text = """<ir_version: 8, opset_import: ["" : 18, "l" : 1]> g (float[2,1,3] x) => (float[2,3] y) { y = l.f(x) }
        <domain: "l", opset_import: ["" : 11]> f (x) => (y) { a = Softmax<axis=2>(x) y = Squeeze<axes=[1]>(a) }"""
    original = onnx.parser.parse_model(text)
    result = simplify(original, inline_functions=True).model

    assert not result.functions and opset_of(result) == 18
    squeeze = result.graph.node[-1]
    assert squeeze.op_type == "Squeeze" and len(squeeze.input) == 2
    expected = onnx.parser.parse_model(text.replace('"" : 18', '"" : 11'))
    assert_same_outputs(expected, result, random_feeds(expected), rtol=1e-6, atol=0)


def test_inlining_first_gives_conversion_what_the_caller_knows():
    text = """<ir_version: 8, opset_import: ["" : 11, "l" : 1]> g (float[2,1] x) => (float[2] y) { y = l.f<a=[1]>(x) }
        <domain: "l", opset_import: ["" : 11]> f <a>(x) => (y) { y = Squeeze<axes: ints = @a>(x) }"""
    original = onnx.parser.parse_model(text)
    with pytest.raises(UnsupportedModelError) as caught:
        simplify(original, target_opset_version=18)
    assert caught.value.code == "opset" and caught.value.gaps[0].startswith("function l.f/Squeeze->y: ")

    result = simplify(original, target_opset_version=18, inline_functions=True).model
    assert_same_outputs(original, result, {"x": np.array([[1], [2]], "f")}, rtol=0, atol=0)


def test_why_it_cannot_be_done():
    original = model("g (float[2] x, int64[1] k) => (float[n] y, int64[n] i) { a = Erf(x) y, i = TopK<largest=0>(a, k) }", opset=11)
    with pytest.raises(UnsupportedModelError) as caught:
        simplify(original, target_opset_version=8)

    assert str(caught.value).startswith("the model cannot be converted from opset 11 to 8: main/Erf->a: Erf of opset 9")
    assert len(caught.value.gaps) == 2 and "it takes the smallest elements" in caught.value.gaps[1]


@pytest.mark.parametrize("target", [6, 99, "newest", 18.5])
def test_operator_sets_there_are_not(target):
    with pytest.raises(OptionError, match="is no operator set that can be written"):
        simplify(model("g (float[2] x) => (float[2] y) { y = Neg(x) }"), target_opset_version=target)


def test_large_weights_are_not_read(tmp_path):
    path, target = tmp_path / "a.onnx", tmp_path / "b.onnx"
    onnx.save(model("g (float[1,400000] x) => (float[400000] y) { a = Add(x, w) y = Squeeze<axes=[0]>(a) }", opset=11,
                    initializers={"w": np.arange(400_000, dtype="f").reshape(1, -1)}), path)
    result = simplify(path, target_opset_version=18, output_path=target)

    assert all(value.tensor.span() is not None for value in result.graph.graph.constants if value.name == "w")
    original = onnx.load(path)
    assert_same_outputs(original, onnx.load(target), random_feeds(original), rtol=0, atol=0)
