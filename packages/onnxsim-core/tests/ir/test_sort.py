"""Nodes are put after what they read, and otherwise stay where they are."""

import onnx
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir.graph import Graph
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.sort import sort_nodes
from onnxsim_testkit import model


def read(text: str) -> Graph:
    return read_model(model(text, opset=17).SerializeToString()).graph


def order(graph: Graph) -> list[str]:
    return [node.outputs[0].name for node in graph]


def test_a_sorted_graph_is_left_as_it_is():
    graph = read("g (float x) => (float d) { c = Neg(x) a = Abs(x) b = Relu(c) d = Add(a, b) }")
    sort_nodes(graph)
    assert order(graph) == ["c", "a", "b", "d"] and len(graph) == 4
    assert [node.outputs[0].name for node in graph.reversed()] == ["d", "b", "a", "c"]


def test_only_nodes_before_their_inputs_move():
    graph = read("g (float x) => (float e) { z = Neg(x) e = Add(c, c) a = Abs(z) b = Relu(a) c = Mul(b, z) u = Exp(x) }")
    assert order(graph) == ["z", "a", "b", "c", "e", "u"]
    assert [node.position for node in graph] == sorted(node.position for node in graph)


def test_what_bodies_capture_stands_before_their_owner():
    deep = """g (float x, bool c) => (float y) {
        y = If(c) <then_branch = t () => (float p) {
                       p = If(c) <then_branch = u () => (float q) { q = Neg(k) },
                                  else_branch = v () => (float r) { r = Identity(m) }> },
                   else_branch = e () => (float s) { s = Identity(x) }>
        k = Abs(x)
        m = Exp(x)
    }"""
    assert order(read(deep)) == ["k", "m", "y"]


def test_a_value_that_is_only_the_output_of_a_body_counts():
    text = """g (float x, bool c) => (float y) {
        y = If(c) <then_branch = t () => (float p) { p = Neg(x) }, else_branch = e () => (float s) { s = Abs(x) }>
        k = Exp(x)
    }"""
    proto = model(text, opset=17)
    branch = next(a.g for a in proto.graph.node[0].attribute if a.name == "else_branch")
    del branch.node[:]
    branch.output[0].name = "k"
    assert order(read_model(proto.SerializeToString()).graph) == ["k", "y"]


def test_nodes_inside_a_body_are_sorted_too():
    graph = read("""g (float x, bool c) => (float y) {
        y = If(c) <then_branch = t () => (float p) { p = Neg(k) k = Abs(x) },
                   else_branch = e () => (float s) { s = Identity(x) }> }""")
    assert order(graph.first.bodies["then_branch"]) == ["k", "p"]


@pytest.mark.parametrize(("nodes", "stuck"), [
    ("y = Add(y, x)", "main/Add->y"),
    ("ok = Neg(x) a = Add(ok, b) b = Abs(a) y = Relu(b)", "main/Add->a"),
    ("y = If(c) <then_branch = t () => (float p) { p = Neg(k) }, else_branch = e () => (float s) { s = Neg(x) }> "
     "k = Abs(y)", "main/If->y"),
])
def test_a_cycle_is_an_error_that_names_a_node_in_it(nodes, stuck):
    proto = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 17]> g (float x, bool c) => (float y) '
                                    f"{{ {nodes} }}")
    with pytest.raises(ModelError, match="cycle") as caught:
        read_model(proto.SerializeToString())
    assert caught.value.where == stuck
