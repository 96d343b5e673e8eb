"""eliminate_if_with_const_cond: the branch that always runs stands where its If stood."""

import numpy as np
import onnx
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.eliminate_if_with_const_cond import inline_taken_branch
from onnxsim_testkit import model

IF = """If(c) <then_branch = t () => (float[2] p) { p = Neg(x) }, else_branch = e () => (float[2] q) { q = Abs(x) }>"""


@pytest.mark.parametrize(("value", "taken"), [(1, "Neg"), (0, "Abs")])
@pytest.mark.parametrize("shape", ["bool", "bool[1]"])
def test_the_taken_branch_takes_its_place(value, taken, shape):
    constant = f"{shape} c = {{{value}}}"
    assert_rewrites(
        inline_taken_branch,
        f"g (float[2] x) => (float[2] z) <{constant}> {{ y = {IF} z = Exp(y) }}",
        f"g (float[2] x) => (float[2] z) {{ y = {taken}(x) z = Exp(y) }}",
    )


def test_graph_outputs_keep_their_names():
    text = """g (float[2] x) => (float[2] z, float[2] w) <bool c={1}> { z, w = If(c)
        <then_branch = t () => (float[2] p, float[2] q) { p = Neg(x) q = Exp(p) },
         else_branch = e () => (float[2] r, float[2] s) { r = Abs(x) s = Exp(r) }> }"""
    result, _ = apply(inline_taken_branch, text)

    assert [v.name for v in result.graph.output] == ["z", "w"]
    assert [(n.op_type, list(n.output)) for n in result.graph.node] == [("Neg", ["z"]), ("Exp", ["w"])]


def test_a_branch_that_hands_on_a_captured_value_or_its_own_constant():
    text = """g (float[2] x) => (float[2] z, float[2] w) <bool c={1}> { z, w = If(c)
        <then_branch = t () => (float[2] x2, float[2] k) <float[2] k={3,4}> { x2 = Identity(x) },
         else_branch = e () => (float[2] r, float[2] s) { r = Abs(x) s = Exp(r) }> }"""
    proto = model(text)
    result, _ = apply(inline_taken_branch, proto)

    assert "If" not in {node.op_type for node in result.graph.node}
    assert_same_model(proto, result, rtol=0, atol=0)


def test_initializers_of_the_branch_come_along_under_free_names():
    text = """g (float[2] x) => (float[2] z) <bool c={0}, float[2] k={1,2}> { a = Add(x, k) y = If(c)
        <then_branch = t () => (float[2] p) { p = Neg(x) },
         else_branch = e () => (float[2] r) <float[2] k2={3,4}> { s = Mul(a, k2) r = Add(s, k) }> z = Exp(y) }"""
    proto = model(text)
    result, _ = apply(inline_taken_branch, proto)

    values = {t.name: onnx.numpy_helper.to_array(t).tolist() for t in result.graph.initializer}
    assert sorted(values.values()) == [[1, 2], [3, 4]]
    assert_same_model(proto, result, rtol=0, atol=0)


def test_branches_inside_of_branches_are_taken_too():
    text = """g (float[2] x, bool d) => (float[2] z) <bool c={1}> { z = If(d)
        <then_branch = t () => (float[2] p) { p = If(c)
            <then_branch = u () => (float[2] a) { n = Neg(x) a = Exp(n) },
             else_branch = v () => (float[2] b) { b = Identity(x) }> },
         else_branch = e () => (float[2] q) { q = Abs(x) }> }"""
    proto = model(text)
    result, _ = apply(inline_taken_branch, proto)
    then = next(a.g for a in result.graph.node[0].attribute if a.name == "then_branch")

    assert [node.op_type for node in then.node] == ["Neg", "Exp"]
    assert_same_model(proto, result, rtol=0, atol=0, feeds={"x": np.float32([1, -2]), "d": np.array(True)})


def test_skips_a_condition_that_is_computed():
    reason = "the condition is not constant"
    assert_skips(inline_taken_branch, f"g (float[2] x, bool c) => (float[2] z) {{ z = {IF} }}", reason)
    _, driver = apply(
        inline_taken_branch, f"g (float[2] x, bool c) => (float[2] z) <bool c={{1}}> {{ z = {IF} }}", overridable=True
    )
    assert not driver.changes and {key[1] for key in driver.skips} == {reason}


def test_skips_a_branch_with_other_outputs_than_the_if():
    proto = model(f"g (float[2] x) => (float[2] z) <bool c={{1}}> {{ z = {IF} }}")
    del proto.graph.node[0].attribute[0].g.output[:]
    _, driver = apply(inline_taken_branch, proto)

    assert {key[1] for key in driver.skips} == {"the branch does not give what the If promises"}


def test_skips_a_branch_with_a_sparse_initializer():
    proto = model(f"g (float[2] x) => (float[2] z) <bool c={{1}}> {{ z = {IF} }}")
    branch = next(a.g for a in proto.graph.node[0].attribute if a.name == "then_branch")
    values = onnx.numpy_helper.from_array(np.float32([5]), "k")
    sparse = onnx.helper.make_sparse_tensor(values, onnx.numpy_helper.from_array(np.array([1])), [2])
    branch.sparse_initializer.append(sparse)
    branch.node[0].CopyFrom(onnx.helper.make_node("Add", ["x", "k"], ["p"]))
    _, driver = apply(inline_taken_branch, proto)

    assert not driver.changes and {key[1] for key in driver.skips} == {"the branch owns a sparse initializer"}
