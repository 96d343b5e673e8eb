"""Bodies copied to where their owner stands."""

import numpy as np

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Graph, nested_graphs
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.rewrite.builder import Builder
from onnxsim_core.rewrite.inline import inline_body
from onnxsim_testkit import model, run

ops.load()
BRANCHES = """g (float[3] x, bool c) => (float[] y) {
    a = Neg(x)
    y = If(c) <then_branch = t () => (float[] r) <float[3] w = {1, 2, 3}> {
                   m = Mul(a, w)
                   r = If(c) <then_branch = u () => (float[] p) { k = Add(m, w) p = Mul(k, x) },
                              else_branch = v () => (float[] q) { q = Identity(a) }> },
               else_branch = e () => (float[] s) { s = Identity(x) }>
}"""
LOOP = """g (float[3] x, int64 n, bool c) => (float[3] y) {
    y = Loop(n, c, x) <body = b (int64 i, bool k, float[3] p) => (bool k, float[3] r) { r = Add(p, x) }>
}"""


def prepare(text: str) -> tuple[Builder, Graph]:
    """A builder before the last node, which owns bodies."""
    ir = read_model(model(text, opset=17).SerializeToString())
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    op = Builder(ir, ctx, lambda nbytes, replaced: True)
    op.at(ir.graph.last)
    return op, ir.graph


def names(graph: Graph) -> list[str]:
    """Names of all that is made in a graph and inside it."""
    return [v.name for g in nested_graphs(graph) for v in (*g.inputs, *g.constants, *(o for n in g for o in n.outputs))]


def test_names_of_copies_are_free_and_the_body_stays_as_it_was():
    op, graph = prepare(BRANCHES)
    body = graph.last.bodies["then_branch"]
    before = names(body)
    (result,) = inline_body(op, body, [])
    assert [node.op_type for node in graph] == ["Neg", "Mul", "If", "If"] and op.made == list(graph)[1:3]
    assert result.name == "r_1" and [n.outputs[0].name for n in op.made] == ["m_1", "r_1"]
    assert names(body) == before and len(body) == 2
    assert body.first.outputs[0].uses.keys().isdisjoint(node for g in nested_graphs(op.made[1].bodies["then_branch"])
                                                        for node in g)


def test_constants_are_copied_and_share_their_tensor():
    op, graph = prepare(BRANCHES)
    body = graph.last.bodies["then_branch"]
    (old,) = body.constants
    inline_body(op, body, [])
    (new,) = graph.constants
    assert new is not old and new.name == "w_1" and new.tensor is old.tensor and new.graph is graph
    mul, inner = op.made
    assert mul.inputs == [graph.first.outputs[0], new]  # a value around the body is read as before


def test_inner_bodies_read_the_copies():
    op, graph = prepare(BRANCHES)
    inline_body(op, graph.last.bodies["then_branch"], [])
    mul, inner = op.made
    add = inner.bodies["then_branch"].first
    assert add.inputs == [mul.outputs[0], next(iter(graph.constants))]
    assert mul.outputs[0].uses == {add: 1} and inner.bodies["then_branch"].owner is inner
    assert inner.bodies["else_branch"].first.inputs == [graph.first.outputs[0]]
    assert inner.bodies["then_branch"].outputs[0].outputs == 1


def test_the_copy_computes_what_the_body_does():
    op, graph = prepare(BRANCHES)
    (result,) = inline_body(op, graph.last.bodies["then_branch"], [])
    outer = graph.last
    graph.outputs[0].outputs -= 1
    graph.unlink(outer)
    graph.outputs[0] = result
    result.outputs += 1
    result.info = outer.outputs[0].info
    x = np.float32([1, 2, 4])
    w = np.float32([1, 2, 3])
    written = model_proto(graph.model)
    for chosen, expected in ((True, (-x * w + w) * x), (False, -x)):
        (found,) = run(written, {"x": x, "c": np.array(chosen)}).values()
        np.testing.assert_array_equal(found, expected)


def test_arguments_stand_for_the_inputs():
    op, graph = prepare(LOOP)
    x, n, c = graph.inputs
    flag, result = inline_body(op, graph.last.bodies["body"], [n, c, x])
    assert flag is c  # an output that is an input comes out as the argument
    assert result.node.inputs == [x, x] and x.uses[result.node] == 2 and result.shape == (3,)
    _, again = inline_body(op, graph.last.bodies["body"], [n, c, result])
    assert again.node.inputs == [result, x] and again.name != result.name


def test_a_copied_loop_keeps_its_place_for_a_limit_it_does_without():
    inner = 'Loop(n, "") <body = l (int64 j, bool p) => (bool p, float[3] u) { u = Add(x, x) }>'
    op, graph = prepare(LOOP.replace("r = Add(p, x)", f"s = {inner} r = ReduceSum<keepdims = 0>(s)"))
    x, n, c = graph.inputs
    inline_body(op, graph.last.bodies["body"], [n, c, x])
    copy = next(node for node in graph if node.op_type == "Loop")
    assert copy.inputs == [n, None]
