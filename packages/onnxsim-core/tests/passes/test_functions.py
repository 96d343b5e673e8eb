"""Local functions simplified as graphs of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs, random_feeds

F = '<domain: "l", opset_import: ["" : 18, "l" : 1]> '


def simplified(graph: str, functions: str, **options: Any) -> tuple[onnx.ModelProto, onnx.ModelProto]:
    original = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : 18, "l" : 1]> g {graph} {functions}')
    result = simplify(original, **options).model
    onnx.checker.check_model(result)
    return original, result


def body(result: onnx.ModelProto, name: str = "f") -> list[str]:
    (function,) = (one for one in result.functions if one.name == name)
    return [node.op_type for node in function.node]


def test_a_body_is_folded_and_rewritten():
    original, result = simplified("(float[2,3] x) => (float[2,3] y) { y = l.f<a=0.5>(x) }", F + """f <a>(x) => (y) {
        two = Constant<value_float=2.0>() three = Constant<value_float=3.0>() six = Mul(two, three) i = Identity(x)
        m = Mul(i, six) l = LeakyRelu<alpha: float = @a>(m) t = Transpose<perm=[1,0]>(l) u = Transpose<perm=[1,0]>(t)
        y = Identity(u) }""")

    assert body(result) == ["Constant", "Mul", "LeakyRelu"]
    assert result.functions[0].node[2].attribute[0].ref_attr_name == "a"
    assert_same_outputs(original, result, random_feeds(original), rtol=0, atol=0)


def test_attributes_of_the_caller_keep_nodes_apart():
    """Two Transposes by the caller's perm would cancel for some calls only; a Relu of slopes is no constant."""
    _, result = simplified("(float[2,3] x) => (float[2,3] y) { y = l.f<p=[1,0]>(x) }", F + """f <p>(x) => (y) {
        a = Transpose<perm: ints = @p>(x) y = Transpose<perm: ints = @p>(a) }""")

    assert body(result) == ["Transpose", "Transpose"]


def test_random_nodes_and_calls_are_not_merged():
    _, result = simplified("(float[2] x) => (float[2] y) { a = l.f(x) b = l.f(x) y = Sub(a, b) }", F + """f (x) => (y) {
        r = RandomUniformLike(x) s = RandomUniformLike(x) t = Sub(r, s) y = Add(x, t) }""")

    assert body(result).count("RandomUniformLike") == 2
    assert [node.op_type for node in result.graph.node] == ["f", "f", "Sub"]


def test_calls_with_constant_inputs_are_not_folded():
    _, result = simplified("() => (float[2] y) { c = Constant<value_floats=[1.0, 2.0]>() y = l.f(c) }",
                           F + "f (x) => (y) { r = RandomUniformLike(x) y = Add(r, x) }")

    assert [node.op_type for node in result.graph.node] == ["f"]


def test_what_calls_give_is_known_around_them():
    """The shape chain behind the call folds because the sizes of its result are known."""
    original, result = simplified("""(float[2,3,4] x) => (float[6,4] y) { t = l.f(x) s = Shape<end=2>(t)
        p = ReduceProd<keepdims=1>(s) f = Constant<value_ints=[4]>() q = Concat<axis=0>(p, f) y = Reshape(t, q) }""",
                                  F + "f (x) => (y) { y = Neg(x) }")

    assert [node.op_type for node in result.graph.node] == ["f", "Reshape"]
    assert_same_outputs(original, result, random_feeds(original), rtol=0, atol=0)


def test_functions_that_nobody_calls_any_more_go():
    _, result = simplified("(float[2] x) => (float[2] y) { a = l.f(x) y = Neg(x) }",
                           F + "f (x) => (y) { y = l.h(x) } " + F + "h (x) => (y) { y = Abs(x) } " + F + "k (x) => (y) { y = Exp(x) }")

    assert [function.name for function in result.functions] == ["k"]  # which nobody ever called


def test_a_body_without_anything_to_do_is_written_as_it_was():
    original, result = simplified("(float[2] x) => (float[2] y) { y = l.f(x) }",
                                  F + "f (x) => (y) { k = Constant<value_float=2.0>() y = Mul(x, k) }")

    assert result.functions[0] == original.functions[0]


def test_without_optimization_bodies_are_folded_only():
    _, result = simplified("(float[2] x) => (float[2] y) { y = l.f(x) }", F + """f (x) => (y) {
        i = Identity(x) a = Constant<value_float=2.0>() b = Neg(a) y = Mul(i, b) }""", perform_optimization=False)

    assert body(result) == ["Constant", "Identity", "Mul"]


@pytest.mark.runtime
def test_an_input_stays_read():
    """Of one that is not, onnxruntime takes it for granted that it has no narrow type."""
    original = onnx.parser.parse_model("""<ir_version: 10, opset_import: ["": 21, "l": 1]>
        g () => (bool y) { y = l.f(w) }
        <domain: "l", opset_import: ["": 21]> f (x) => (y) { c = Cast<to=1>(x) o = Optional(c) y = OptionalHasElement(o) }""")
    original.graph.initializer.append(onnx.helper.make_tensor("w", onnx.TensorProto.UINT4, [2], [1, 2]))
    result = simplify(original).model

    assert body(result) == ["Cast", "Optional", "OptionalHasElement"]
    assert_same_outputs(original, result, {}, rtol=0, atol=0)


def test_an_input_that_was_never_read_is_no_obstacle():
    _, result = simplified("(float[2] x, float[2] w) => (float[2] y) { y = l.f(x, w) }",
                           F + "f (x, w) => (y) { a = Abs(x) y = Abs(a) }")

    assert body(result) == ["Abs"]


def test_branches_in_a_body():
    original, result = simplified("(float[2] x, bool c) => (float[2] y) { y = l.f<a=0.5>(x, c) }", F + """f <a>(x, c) => (y) {
        t = Cast<to=9>(c) y = If (t) <
            then_branch = t () => (float[2] p) { i = Identity(x) p = Elu<alpha: float = @a>(i) },
            else_branch = e () => (float[2] q) { n = Neg(x) m = Neg(n) q = Identity(m) }> }""")
    for c in (True, False):
        feeds = {"x": np.array([1, -2], "f"), "c": np.array(c)}
        assert_same_outputs(original, result, feeds, rtol=0, atol=0)
    assert "Neg" not in str(result.functions[0])
