"""Finding patterns."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.infer.tail import infer_by_schema
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import from_array
from onnxsim_core.patterns.match import Match, Search, arrangements, plans, same_attribute
from onnxsim_core.patterns.pattern import Pattern
from onnxsim_testkit import model

ops.load()


def found(pattern: str, graph: str, opset: int = 18, at: str = "y", **arrays: np.ndarray) -> Match | None:
    """Where the pattern is found when the node that makes `at` is looked at."""
    proto = parser.parse_function(f'<domain: "c", opset_import: ["" : {opset}]> p {pattern}')
    ir = read_model(model(f"g {graph}", opset=opset, initializers=arrays).SerializeToString())
    ctx = Inference(ir, tail=infer_by_schema)
    ctx.walk(ir.graph)
    made = Pattern(proto, "1")
    (node,) = (node for node in ir.graph if at in {value.name for value in node.outputs})
    for sink, plan in plans(made).items():
        if sink.op_type == node.op_type:
            match = Search(made, plan, ir.graph, opset).at(node)
            if match is not None:
                return match
    return None


def names(match: Match | None) -> dict[str, str | None]:
    assert match is not None
    return {source.name: None if value is None else value.name for source, value in match.values.items()}


def test_a_chain_binds_its_inputs():
    match = found("(a, w, b) => (y) { t = MatMul(a, w) y = Add(t, b) }",
                  "(float[2,3] x, float[3,4] k, float[4] c) => (float[2,4] y) { m = MatMul(x, k) y = Add(m, c) }")

    assert names(match) == {"y": "y", "t": "m", "b": "c", "a": "x", "w": "k"}


@pytest.mark.parametrize("op", ["Add", "Mul", "And", "Or", "Xor", "Equal"])
def test_operands_that_may_be_swapped(op):
    kind, result = ("bool", "bool") if op in ("And", "Or", "Xor") else ("float", "bool" if op == "Equal" else "float")
    cast = "Not" if kind == "bool" else "Neg"
    pattern = f"(a, b) => (y) {{ t = {cast}(a) y = {op}(t, b) }}"
    graph = f"({kind}[2] p, {kind}[2] q) => ({result}[2] y) {{ n = {cast}(p) y = {op}(q, n) }}"

    assert names(found(pattern, graph)) == {"y": "y", "t": "n", "b": "q", "a": "p"}


def test_operands_that_may_not():
    assert found("(a, b) => (y) { t = Neg(a) y = Sub(t, b) }",
                 "(float[2] p, float[2] q) => (float[2] y) { n = Neg(p) y = Sub(q, n) }") is None


@pytest.mark.parametrize("op", ["Sum", "Max", "Min", "Mean"])
def test_operands_in_any_order(op):
    match = found(f"(a, b, c) => (y) {{ s = Neg(a) t = Exp(b) y = {op}(s, t, c) }}",
                  f"(float[2] p, float[2] q, float[2] r) => (float[2] y) {{ e = Exp(q) n = Neg(p) y = {op}(r, e, n) }}")
    assert (names(match)["a"], names(match)["b"], names(match)["c"]) == ("p", "q", "r")


def test_an_input_read_twice_is_one_value():
    pattern = "(a) => (y) { t = Sigmoid(a) y = Mul(a, t) }"

    assert found(pattern, "(float[2] x) => (float[2] y) { s = Sigmoid(x) y = Mul(s, x) }") is not None
    assert found(pattern, "(float[2] x, float[2] z) => (float[2] y) { s = Sigmoid(x) y = Mul(s, z) }") is None


def test_two_sinks_of_one_value():
    pattern = "(a) => (p, q) { e = Exp(a) p = Sin(e) q = Cos(e) }"
    graph = "(float[2] x) => (float[2] y, float[2] z) { t = Exp(x) y = Sin(t) z = Cos(t) }"

    for at in ("y", "z"):
        assert names(found(pattern, graph, at=at)) == {"p": "y", "q": "z", "e": "t", "a": "x"} | {"p": "y"}
    assert found(pattern, "(float[2] x) => (float[2] y, float[2] z) { t = Exp(x) y = Sin(t) z = Cos(x) }") is None


def test_sinks_are_different_nodes():
    """Three projections of one input: one node cannot stand for two of them."""
    pattern = "(x, a, b) => (p, q) { p = MatMul(x, a) q = MatMul(x, b) }"

    match = found(pattern, "(float[2,2] x, float[2,2] k, float[2,2] l) => (float[2,2] y, float[2,2] z) "
                           "{ y = MatMul(x, k) z = MatMul(x, l) }")
    assert {names(match)["p"], names(match)["q"]} == {"y", "z"}
    assert found(pattern, "(float[2,2] x, float[2,2] k) => (float[2,2] y) { y = MatMul(x, k) }") is None


def test_several_outputs_of_one_node():
    pattern = "(x) => (p, q) { a, b = Split<num_outputs=2>(x) p = Neg(a) q = Abs(b) }"
    graph = "(float[4] x) => (float[2] y, float[2] z) {{ {} = Split<num_outputs=2>(x) y = Neg(s) z = Abs(t) }}"

    assert found(pattern, graph.format("s, t")) is not None
    assert found(pattern, graph.format("t, s")) is None


# --- attributes ------------------------------------------------------------------------------------------------------
LEAKY = "(float[2] x) => (float[2] y) {{ y = LeakyRelu{}(x) }}"


@pytest.mark.parametrize(("wanted", "actual", "match"), [
    ("<alpha=0.3>", "<alpha=0.3>", True), ("<alpha=0.3>", "<alpha=0.2>", False), ("", "<alpha=0.3>", True),
    ("<alpha=0.01>", "", True), ("<alpha=0.3>", "", False),
])
def test_attributes_are_compared_with_defaults_of_the_schema(wanted, actual, match):
    """An attribute that the pattern does not mention may be anything."""
    assert (found(f"(a) => (y) {{ y = LeakyRelu{wanted}(a) }}", LEAKY.format(actual)) is not None) is match


def test_holes_bind_attributes():
    pattern = "(a) => (y) { y = LeakyRelu<alpha: float = @k>(a) }"
    assert found(pattern, LEAKY.format("<alpha=0.5>")).attributes == {"k": 0.5}
    assert found(pattern, LEAKY.format("")).attributes["k"] == pytest.approx(0.01)
    assert found("(a) => (y) { y = Transpose<perm: ints = @k>(a) }",
                 "(float[2] x) => (float[2] y) { y = Transpose(x) }") is None


def test_a_hole_used_twice_is_one_value():
    pattern = "(a) => (y) { t = Concat<axis: int = @k>(a, a) y = Concat<axis: int = @k>(t, t) }"
    graph = "(float[1,1] x) => (float[n,m] y) {{ t = Concat<axis=0>(x, x) y = Concat<axis={}>(t, t) }}"

    assert found(pattern, graph.format(0)) is not None and found(pattern, graph.format(1)) is None


@pytest.mark.parametrize(("a", "b", "same"), [
    (1, 1, True), (1, 1.0, False), (0.0, -0.0, False), (float("nan"), float("nan"), True), ((1, 2), (1, 2), True),
    ((1, 2), (1,), False), (b"a", b"a", True), (from_array(np.ones(2)), from_array(np.ones(2)), True),
    (from_array(np.ones(2)), from_array(np.ones(2, "f")), False), (from_array(np.ones(2)), 1.0, False),
])
def test_equal_attributes(a, b, same):
    assert same_attribute(a, b) is same


# --- constants -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(("wanted", "array", "match"), [
    ("float {2.0}", np.float32(2), True), ("float {2.0}", np.float32(3), False), ("float {2.0}", np.float64(2), False),
    ("float[1] {2.0}", np.array([2], "f"), True), ("float {2.0}", np.array([2], "f"), True),
    ("float {2.0}", np.array([[[2]]], "f"), False), ("float[1] {2.0}", np.float32(2), False),
    ("float[2] {2.0, 3.0}", np.array([2, 3], "f"), True), ("float[2] {2.0, 3.0}", np.array([2, 2], "f"), False),
])
def test_constants_by_value(wanted, array, match):
    """An initializer in raw bytes and a constant in typed fields are the same; a lone number may stand in one element,
    as long as the result keeps its rank."""
    array = np.asarray(array)
    kind = "double" if array.dtype == np.float64 else "float"
    graph = f"({kind}[2,2] x) => ({kind}[a,b] y) {{ y = Mul(k, x) }}"
    if array.ndim == 3:
        graph = graph.replace("[a,b]", "[a,b,c]")

    assert (found(f"(a) => (y) {{ c = Constant<value = {wanted}>() y = Mul(a, c) }}", graph, k=array) is not None) is match


def test_a_value_that_can_be_fed_is_no_constant():
    assert found("(a) => (y) { c = Constant<value = float {2.0}>() y = Mul(a, c) }",
                 "(float[2] x, float k) => (float[2] y) { y = Mul(x, k) }") is None


# --- inputs ----------------------------------------------------------------------------------------------------------
def test_inputs_left_out_at_the_end():
    match = found("(x, w, b) => (y) { y = Conv(x, w, b) }",
                  "(float[1,1,2,2] x, float[1,1,1,1] w) => (float[1,1,2,2] y) { y = Conv(x, w) }")
    assert names(match)["b"] is None
    assert found("(x, w) => (y) { y = Conv(x, w) }", "(float[1,1,2,2] x, float[1,1,1,1] w, float[1] b) => "
                 "(float[1,1,2,2] y) { y = Conv(x, w, b) }") is None


def test_inputs_left_out_in_the_middle():
    pattern = "(x, m) => (y) { y = Clip(x, , m) }"
    assert found(pattern, "(float[2] x, float m) => (float[2] y) { y = Clip(x, , m) }") is not None
    assert found(pattern, "(float[2] x, float m) => (float[2] y) { y = Clip(x, m, m) }") is None


def test_the_rest_of_the_operands():
    match = found('(a, "bs...") => (y) { t = Exp(a) y = Concat<axis=0>(t, "bs...") }',
                  "(float[2] x, float[2] z) => (float[6] y) { e = Exp(x) y = Concat<axis=0>(e, z, x) }")
    assert [value.name for values in match.rests.values() for value in values] == ["z", "x"]
    none = found('(a, "bs...") => (y) { t = Exp(a) y = Concat<axis=0>(t, "bs...") }',
                 "(float[2] x) => (float[2] y) { e = Exp(x) y = Concat<axis=0>(e) }")
    assert list(none.rests.values()) == [()]
    assert found("(a, b) => (y) { y = Concat<axis=0>(a, b) }",
                 "(float[2] x) => (float[6] y) { y = Concat<axis=0>(x, x, x) }") is None


def test_operands_are_arranged_in_every_order():
    assert list(arrangements(["a", "b", "c"], 2)) == [
        ["a", "b", "c"], ["a", "c", "b"], ["b", "a", "c"], ["b", "c", "a"], ["c", "a", "b"], ["c", "b", "a"]]


def test_operators_of_other_domains():
    proto = parser.parse_function('<domain: "c", opset_import: ["" : 18, "v" : 1]> p (a) => (y) { y = v.Relu(a) }')
    ir = read_model(parser.parse_model('<ir_version: 8, opset_import: ["" : 18, "v" : 1]> g (float[2] x) => '
                                       "(float[2] y, float[2] z) { y = Relu(x) z = v.Relu(x) }"))
    made = Pattern(proto, "1")
    ((_, plan),) = plans(made).items()
    first, second = ir.graph

    assert Search(made, plan, ir.graph, 18).at(first) is None
    assert Search(made, plan, ir.graph, 18).at(second) is not None


def test_a_search_that_leads_nowhere_ends():
    """Twelve operands in any order: 479 million ways to fail."""
    wanted = ", ".join(f"t{i}" for i in range(12))
    made = " ".join(f"t{i} = Neg(a{i})" for i in range(12))
    inputs = ", ".join(f"a{i}" for i in range(12))
    graph = f"(float[2] x) => (float[2] y) {{ {' '.join(f'n{i} = Neg(x)' for i in range(11))} e = Exp(x) " \
            f"y = Max({', '.join(f'n{i}' for i in range(11))}, e) }}"

    assert found(f"({inputs}) => (y) {{ {made} y = Max({wanted}) }}", graph) is None
