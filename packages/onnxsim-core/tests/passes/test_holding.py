"""What is held stays: kept nodes with their inputs and outputs, and what clean-ups that are off would remove."""

import numpy as np
import onnx
import pytest

from onnxsim_core import OptionError, simplify
from onnxsim_testkit import assert_same_outputs, model, random_feeds

CONV = """g (float[1,2,4,4] x) => (float[1,2,4,4] z) {
    a = Identity(x) y = Conv(a, w) b = BatchNormalization(y, s, s, s, s) z = Relu(b) }"""
WEIGHTS = {"w": np.ones((2, 2, 1, 1), np.float32), "s": np.full(2, 2, np.float32)}


def named(text, initializers=None, **options):
    """A model whose nodes are called after what they make."""
    proto = model(text, initializers=initializers, **options)

    def name(graph):
        for node in graph.node:
            node.name = f"make_{node.output[0]}"
            for attribute in node.attribute:
                if attribute.type == onnx.AttributeProto.GRAPH:
                    name(attribute.g)

    name(proto.graph)
    return proto


def kept(proto, *patterns, **options):
    result = simplify(proto, keep_nodes=patterns, **options).model
    onnx.checker.check_model(result, full_check=True)
    assert_same_outputs(proto, result, random_feeds(proto, seed=0), rtol=1e-5, atol=1e-6)
    return {node.name: node for node in result.graph.node}, result


def test_a_kept_node_is_not_fused():
    nodes, result = kept(named(CONV, WEIGHTS), "make_b")

    assert list(nodes["make_b"].input) == ["y", "s", "s", "s", "s"] and list(nodes["make_b"].output) == ["b"]
    assert [node.op_type for node in result.graph.node] == ["Conv", "BatchNormalization", "Relu"]
    assert {node.domain for node in result.graph.node} == {""}


def test_its_inputs_keep_their_names():
    """Identity(x) cannot give way to the input x, which has another name."""
    nodes, _ = kept(named(CONV, WEIGHTS), "make_y")

    assert nodes["make_y"].input[:] == ["a", "w"] and nodes["make_a"].op_type == "Identity"


def test_what_makes_its_input_may_change_under_the_same_name():
    proto = named(
        "g (float[2,3,4] x) => (float[2,3,4] z) { p = Transpose<perm=[0,2,1]>(x) "
        "q = Transpose<perm=[0,2,1]>(p) r = Relu(q) s = Relu(r) z = Neg(s) }"
    )
    nodes, result = kept(proto, "make_z")

    assert [node.op_type for node in result.graph.node] == ["Relu", "Neg"] and nodes["make_z"].input[:] == ["s"]


def test_a_kept_node_does_not_fold_and_nothing_folds_through_it():
    text = "g (float[2,3] x) => (float[2,3] z) { c = Shape(x) d = Mul(c, two) e = Div(d, two) z = Reshape(x, e) }"
    proto = named(text, {"two": np.array([2], np.int64)})
    nodes, result = kept(proto, "make_d")

    assert nodes["make_d"].input[:] == ["c", "two"]
    assert [t.name for t in result.graph.initializer] == ["two", "c"], "its input is a constant under the old name"
    assert list(nodes) == ["make_d", "make_e", "make_z"]


def test_a_dead_kept_node_stays():
    nodes, _ = kept(named("g (float[3] x) => (float[3] z) { dead = Neg(x) z = Relu(x) }"), "make_dead")

    assert set(nodes) == {"make_dead", "make_z"}


def test_equal_nodes_are_not_merged_into_a_kept_one():
    proto = named("g (float[3] x) => (float[3] z) { a = Exp(x) b = Exp(x) z = Add(a, b) }")
    nodes, _ = kept(proto, "make_a")

    assert nodes["make_z"].input[:] == ["a", "b"]


def test_patterns_are_expressions_for_whole_names():
    proto = named("g (float[3] x) => (float[3] z) { a1 = Identity(x) a2 = Identity(a1) z = Relu(a2) }")

    assert set(kept(proto, r"make_a\d")[0]) == {"make_a1", "make_a2", "make_z"}
    assert set(kept(proto, "make_a2")[0]) == {"make_a2", "make_z"} | {"make_a1"}, "its input a1 must be there"
    with pytest.raises(OptionError, match="no node is called 'make_a'.*did you mean make_a2 or make_a1"):
        simplify(proto, keep_nodes=["make_a"])
    with pytest.raises(OptionError, match="no node is called '\\('"):
        simplify(proto, keep_nodes=["("])


def test_a_name_with_special_characters_is_a_name():
    proto = named("g (float[3] x) => (float[3] z) { a = Identity(x) z = Relu(a) }")
    proto.graph.node[0].name = "/model.0/act(1)+"

    assert "/model.0/act(1)+" in kept(proto, "/model.0/act(1)+")[0]


def test_what_holds_a_kept_node_stays_too():
    text = """g (float[3] x) => (float[3] z) {
        z = If(c) <then_branch = t () => (float[3] a) { i = Identity(x) a = Neg(i) },
                   else_branch = e () => (float[3] b) { b = Neg(x) }> }"""
    proto = named(text, {"c": np.array(True)})
    nodes, _ = kept(proto, "make_i")

    branch = nodes["make_z"].attribute[0].g
    assert [node.name for node in branch.node] == ["make_i", "make_a"]
    assert set(kept(proto, "make_b")[0]) == {"make_z"}, "without it the If would have given way to the other branch"


def test_a_custom_node_can_be_kept():
    proto = named("g (float[3] x) => (float[3] z) { a = Identity(x) b = my.Op(a) z = Relu(b) }", domains={"my": 1})
    result = simplify(proto, keep_nodes=["make_b"]).model

    assert [(n.domain, n.op_type) for n in result.graph.node] == [("", "Identity"), ("my", "Op"), ("", "Relu")]


# --- clean-ups that are off -----------------------------------------------------------------------------------------
def test_dead_nodes_stay_when_they_are_not_to_be_removed():
    proto = named("g (float[3] x) => (float[3] z) { d = Neg(x) e = Neg(d) z = Relu(x) }")

    assert len(simplify(proto).model.graph.node) == 1
    assert len(simplify(proto, skipped_optimizers=["eliminate_deadend"]).model.graph.node) == 3
    assert len(simplify(proto, perform_optimization=False).model.graph.node) == 3


def test_unused_initializers_stay_when_they_are_not_to_be_removed():
    proto = model("g (float[3] x) => (float[3] z) { z = Relu(x) }", initializers={"u": np.ones(3, np.float32)})

    assert not simplify(proto).model.graph.initializer
    left = simplify(proto, skipped_optimizers=["eliminate_unused_initializer"]).model
    assert [t.name for t in left.graph.initializer] == ["u"]


def test_constant_nodes_stay_nodes_when_they_are_not_to_become_initializers():
    proto = model(
        "g (float[3] x) => (float[3] z) { c = Constant<value_floats=[1.0, 2.0, 3.0]>() y = Add(x, c) z = Mul(y, w) }",
        initializers={"w": np.full(3, 3, np.float32)},
    )
    left = simplify(proto, skipped_optimizers=["extract_constant_to_initializer"]).model

    assert [n.op_type for n in left.graph.node] == ["Constant", "Add", "Mul"]
    assert [t.name for t in left.graph.initializer] == ["w"]
    assert [n.op_type for n in simplify(proto).model.graph.node] == ["Add", "Mul"]


def test_what_a_constant_node_of_the_opset_does_not_hold_becomes_an_initializer():
    proto = model("g (float[2,3] x) => (int64[2] s) { s = Shape(x) }", opset=8)

    simplified = simplify(proto, initializers_as_constants=False).model

    onnx.checker.check_model(simplified, full_check=True)
    assert [tensor.name for tensor in simplified.graph.initializer] == ["s"]


def test_names_stay_when_nodes_are_not_to_be_named():
    proto = model("g (float[3] x) => (float[3] z) { y = Relu(x) z = Neg(y) }")
    for node in proto.graph.node:
        node.name = "same"

    assert [n.name for n in simplify(proto).model.graph.node] == ["same", "same_1"]
    left = simplify(proto, skipped_optimizers=["set_unique_name_for_nodes"]).model
    assert [n.name for n in left.graph.node] == ["same", "same"]


# --- bodies that are left alone -------------------------------------------------------------------------------------
def test_bodies_are_not_touched_on_request():
    text = """g (float[3] x, bool c) => (float[3] z) {
        y = Identity(x)
        z = If(c) <then_branch = t () => (float[3] a) { k = Constant<value_floats=[1.0]>() m = Mul(k, k) i = Identity(y)
                                                       dead = Neg(i) a = Add(i, m) },
                   else_branch = e () => (float[3] b) { j = Identity(x) b = Identity(j) }> }"""
    proto = named(text)
    left = simplify(proto, include_subgraph=False).model
    assert_same_outputs(proto, left, {"x": np.ones(3, np.float32), "c": np.array(True)}, rtol=0, atol=0)

    assert [node.op_type for node in left.graph.node] == ["If"], "around the bodies the model is simplified"
    branches = {attribute.name: attribute.g for attribute in left.graph.node[0].attribute}
    before = {attribute.name: attribute.g for attribute in proto.graph.node[1].attribute}
    for name in branches:
        assert [n.name for n in branches[name].node] == [n.name for n in before[name].node]
        assert not branches[name].initializer
    inside = [a.g for a in simplify(proto).model.graph.node[0].attribute]
    assert [len(graph.node) for graph in inside] == [1, 1]


def test_large_computed_constants_are_initializers_in_any_case():
    proto = model("g (float[1024] x) => (float[1024] z) { v = Neg(w) u = Mul(s, s) y = Add(x, v) z = Add(y, u) }",
                  initializers={"w": np.arange(1024, dtype=np.float32), "s": np.array(3, np.float32)})
    graph = simplify(proto, perform_optimization=False).model.graph

    assert [node.op_type for node in graph.node] == ["Constant", "Add", "Add"]
    assert [len(tensor.dims) for tensor in graph.initializer] == [1]
