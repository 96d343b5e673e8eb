"""The driver's edits: what may take the place of outputs."""

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops import load
from onnxsim_core.rewrite.driver import Driver
from onnxsim_core.rewrite.rule import SIZES, Rule, skip
from onnxsim_testkit import assert_same_outputs, model


def test_one_value_is_not_two_outputs():
    """A Loop of no runs gives what it was given, here the same value twice: the outputs keep names of their own."""
    text = """g (float[2] x) => (float[2] y, float[2] z)
        <int64 n = {0}, bool c = {1}> {
            v = Sigmoid(x)
            y, z = Loop(n, c, v, v) <body =
                b (int64 i, bool k, float[2] p, float[2] q) => (bool l, float[2] r, float[2] s)
                { l = Identity(k) r = Neg(p) s = Neg(q) }>
        }"""
    proto = model(text, opset=17)

    simplified = simplify(proto).model

    assert [info.name for info in simplified.graph.output] == ["y", "z"]
    assert_same_outputs(proto, simplified, {"x": np.float32([1, 2])}, rtol=0, atol=0)


# Models in which a node can be simplified only after something further away went: one run must do all of it.
ONCE = {
    "a reader in a body that nobody needs": """
        g (float[n,1,m,1] x, bool c, bool d, float[1,1] z) => (float[] y, float[] w) <bool[1] t = {1}> {
            v = If(c) <then_branch = b1 () => (float[] p) { p = Identity(x) },
                       else_branch = b2 () => (float[] q) { q = Identity(x) }>
            y = Where(t, v, z)
            w = If(d) <then_branch = b3 () => (float[] r) { dead = Identity(v) r = Neg(x) },
                       else_branch = b4 () => (float[] s) { s = Abs(x) }>
        }""",
    "a Shape that is known": """
        g (float[3,4,3,1] x) => (float[] y, int64[4] s) {
            t = Transpose(x) n = Neg(t) y = Transpose<perm = [0,2,3,1]>(n) s = Shape(t)
        }""",
    "the last of a chain, whose result is an output": """
        g (float[1,216] x) => (float[] y) <int64[4] s = {1,1,1,216}> {
            r = Reshape(x, s) t = Transpose<perm = [2,0,3,1]>(r) y = Transpose<perm = [0,1,2,3]>(t)
        }""",
    "a constant that onnxruntime computes": """
        g (float[1,1,1,1] x) => (float[] y) <float[1,1,1] k = {4}, float[1] s = {0.5}, float[1] b = {4}, float c = {2}> {
            n = LayerNormalization<axis = 2>(k, s, b) p = Mul(c, n) q = Mul(p, x) y = Mul(c, q)
        }""",
    "a carried value that turns out never to change": """
        g (float[2] x, bool q) => (float[] y, int64 z) <int64 zero = {0}, int64 n = {3}, int64 one = {1}, bool t = {1}> {
            y, z = Loop(n, , x, zero) <body = b1 (int64 i, bool c, float[2] p, int64 k) => (bool d, float[] r, int64[] s) {
                d = Identity(c) r = Neg(p)
                u, s = Loop(one, t, c, i) <body = b2 (int64 j, bool e, bool f, int64 g) => (bool l, bool[] m, int64[] o)
                    { m = Identity(q) o = Identity(k) l = Identity(e) }> }>
        }""",
    "pieces that are read twice at first": """
        g (float[5,2,3] x) => (float[] y, float[] z, float[] w) <int64[1] k = {1}> {
            a, b = Split<axis = 1, num_outputs = 2>(x) y = Squeeze(a, k) z = Squeeze(b, k) c = Squeeze(a, k) w = Neg(c)
        }""",
    "a size that only what follows tells": """
        g (float[n,m] x) => (float[] y, int64[] s) <int64[2] k = {3, 1}> {
            v = Abs(x) s = Shape(v) a, b = Split<axis = 1>(v, k) c = Concat<axis = 1>(a, b) d = Shape(c) e = Expand(x, d)
            y = Identity(e)
        }""",
    "nodes of which only attributes differ": """
        g (float16[n] x) => (float[] y) { a = Cast<to=1>(x) b = Cast<to=11>(x) c = Cast<to=1>(b) y = Add(a, c) }""",
    "a chain whose reader has another target than any constant": """
        g (int64[1] p, int64[3] q, float[4,1] x) => (float[] y, float[] z) <int64[1] k = {2}, int64[4] s = {0,4,-1,1}> {
            u = Unsqueeze(x, k) t = Transpose<perm = [1,0,2]>(u) v = Reshape(t, s)
            w = Reshape(v, q) y = Identity(w) z = Reshape(w, p)
        }""",
    "sizes that become known after those of what is made of them": """
        g (float[3,3,4] x, int64[1] k) => (float[] y, float[?,?] z, float[?,?] w) {
            a = ReduceMin<keepdims = 0>(x, k) f = Flatten<axis = 0>(a) y = Transpose<perm = [1,0]>(f)
            z = Flatten<axis = 2>(f) w = ReduceMin<keepdims = 0>(x, k)
        }""",
    "a Loop that a body reads": """
        g () => (float[] y) <int64 n = {3}, float[2] k = {1, 2}> {
            v = Loop(n, "") <body = b1 (int64 i, bool c) => (bool d, float[2] p) { d = Identity(c) p = Identity(k) }>
            y = Loop(n, "") <body = b2 (int64 j, bool e) => (bool f, float[] q) { f = Identity(e)
                q = If(e) <then_branch = b3 () => (float[] r) { r = Identity(v) },
                           else_branch = b4 () => (float[] s) { s = Neg(v) }> }>
        }""",
}


@pytest.mark.parametrize("text", ONCE.values(), ids=ONCE)
def test_one_run_is_enough(text):
    once = simplify(model(text, opset=18)).model

    again = simplify(once, trace=True)

    assert again.report.events == []
    assert [node.op_type for node in again.model.graph.node] == [node.op_type for node in once.graph.node]


FUSED = {
    "a new operator": "m = MatMul(x, w) y = Add(m, b)",
    "another way to write the last one": "n = Neg(x) y = Add(n, x)",
    "a layer that takes in what follows": "g = Gemm(x, w) y = Add(g, b)",
}


@pytest.mark.parametrize("body", FUSED.values(), ids=FUSED)
def test_a_fused_node_keeps_a_name_and_its_notes(body):
    """The layer's own where it is built again, else those of the node it stands for."""
    text = f"g (float[n,2] x) => (float[] y) <float[2,2] w = {{1, 2, 3, 4}}, float[2] b = {{5, 6}}> {{ {body} }}"
    proto = model(text, opset=17)
    for node in proto.graph.node:
        node.name, node.doc_string = f"at/{node.op_type}", f"from {node.op_type}"
        node.metadata_props.add(key="source", value=node.op_type)

    (node,) = simplify(proto).model.graph.node

    kept = node.name.removeprefix("at/")
    assert node.name != kept
    assert node.doc_string == f"from {kept}"
    assert [(entry.key, entry.value) for entry in node.metadata_props] == [("source", kept)]


def test_what_a_rule_builds_in_vain_makes_nobody_look_again():
    """Before opset 13 a Softmax stays where it is, which shows only after a Transpose of its input was made."""
    text = """g (float[n,4,16,9] x) => (float[] z) {
        t = Transpose<perm=[0,3,1,2]>(x) s = Softmax<axis=3>(t) y = Transpose<perm=[0,3,2,1]>(s) z = Relu(y) }"""
    simplified = simplify(model(text, opset=12)).model
    assert [node.op_type for node in simplified.graph.node] == ["Transpose", "Softmax", "Transpose", "Relu"]


def tried(text, after, *, trace=False, fires=False):
    """Names of the Neg nodes at which a rule with this `after` is tried."""
    seen = []

    def look(node, op):
        seen.append(node.name)
        return op.Abs(node.inputs[0]) if fires else skip("never")

    load()
    ir = read_model(model(text, domains={"acme": 1}).SerializeToString())
    rule = Rule("test", ("Neg",), "", 1, look, after)
    Driver(ir, {"Neg": [rule]}, ctx=Inference(ir), trace=trace).run()
    return seen


AFTER = "g (float[2] x) => (float[2] a, float[2] b) { [r] r = Relu(x) [n] a = Neg(r) [m] b = Neg(x) }"


def test_a_rule_is_tried_only_after_the_operators_it_names():
    assert tried(AFTER, None) == ["n", "m"]
    assert tried(AFTER, ("Relu", "Exp")) == ["n"]
    assert tried(AFTER, ("Exp",)) == []


def test_a_rule_for_sizes_is_tried_where_the_elements_are_known():
    text = "g (float[n] x, int64[1] i) => (int64[1] a, int64[1] b) { s = Shape(x) [n] a = Neg(s) [m] b = Neg(i) }"
    assert tried(text, (SIZES,)) == ["n"]


def test_a_trace_tries_every_rule_and_shows_what_it_says_wrongly_of_itself():
    assert tried(AFTER, ("Exp",), trace=True) == ["n", "m"]
    assert tried(AFTER, ("Relu", "Exp"), fires=True) == ["n"]
    with pytest.raises(AssertionError, match="fires where it says that it cannot"):
        tried(AFTER, ("Exp",), trace=True, fires=True)
