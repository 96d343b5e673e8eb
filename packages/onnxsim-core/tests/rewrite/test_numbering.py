"""Equal nodes and equal sizes: what merges, what must not, and in which order."""

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper
from rewriting import assert_same_model, inside_if

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.ops import load
from onnxsim_core.rewrite.driver import Driver
from onnxsim_core.rewrite.numbering import Numbering, is_visible, same_attributes
from onnxsim_testkit import model


def merged(text, *, opset=17, nodes=True, values=True, **options):
    """The model after numbering alone, and how often each of the two ways fired."""
    load()
    proto = model(text, opset=opset, **options) if isinstance(text, str) else text
    ir = read_model(proto.SerializeToString())
    ctx = Inference(ir)
    numbering = Numbering(ir, merges_nodes=nodes, merges_values=values)
    driver = Driver(ir, {}, ctx=ctx, numbering=numbering, trace=True)
    driver.run()
    result = model_proto(ir)
    assert_same_model(proto, result, rtol=0, atol=0)
    return result, driver.fired


def ops(proto):
    return [node.op_type for node in proto.graph.node]


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("a = Exp(x) b = Exp(x) z = Add(a, b)", ["Exp", "Add"]),
        ("a = Exp(x) b = Exp(x) c = Neg(a) d = Neg(b) z = Add(c, d)", ["Exp", "Neg", "Add"]),
        ("a = Softmax<axis=1>(x) b = Softmax<axis=1>(x) z = Add(a, b)", ["Softmax", "Add"]),
        ("a, c = TopK(x, k) b, d = TopK(x, k) e = Add(a, b) f = Cast<to=1>(d) z = Mul(e, f)",
         ["TopK", "Add", "Cast", "Mul"]),
    ],
)
def test_equal_nodes_are_computed_once(body, left):
    text = f"g (float[3,4] x) => (float[3,4] z) {{ {body} }}"
    result, fired = merged(text, initializers={"k": np.array([4])})
    assert ops(result) == left
    assert fired["eliminate_common_subexpression"] >= 1


@pytest.mark.parametrize(
    "body",
    [
        "a = Exp(x) b = Log(x) z = Add(a, b)",
        "a = Softmax<axis=1>(x) b = Softmax<axis=0>(x) z = Add(a, b)",
        "a = Sub(x, y) b = Sub(y, x) z = Add(a, b)",
        "a = acme.Make(x) b = acme.Make(x) z = Add(a, b)",
        "a = QuantizeLinear(x, s) b = QuantizeLinear(x, s) c = DequantizeLinear(a, s) d = DequantizeLinear(b, s) "
        "z = Add(c, d)",
    ],
)
def test_other_nodes_stay(body):
    load()
    proto = model(f"g (float[3,4] x, float[3,4] y) => (float[3,4] z) {{ {body} }}", opset=17, domains={"acme": 1},
                  initializers={"s": np.float32(0.1)})
    ir = read_model(proto.SerializeToString())
    driver = Driver(ir, {}, ctx=Inference(ir), numbering=Numbering(ir))
    driver.run()
    assert ir.graph.count == len(proto.graph.node)


@pytest.mark.parametrize("op_type", ["RandomNormal", "RandomUniform"])
def test_random_nodes_stay_two(op_type):
    load()
    proto = model(f"g () => (float[2] z) {{ a = {op_type}<shape=[2]>() b = {op_type}<shape=[2]>() z = Sub(a, b) }}")
    ir = read_model(proto.SerializeToString())
    Driver(ir, {}, ctx=Inference(ir), numbering=Numbering(ir)).run()
    assert ir.graph.count == 3


def test_small_constants_are_compared_by_content():
    text = "g (float[2] x) => (float[2] z) <float a = {2}, float b = {2}> { c = Mul(x, a) d = Mul(x, b) z = Add(c, d) }"
    assert ops(merged(text)[0]) == ["Mul", "Add"]


@pytest.mark.parametrize(("a", "b"), [(0.0, -0.0), (1.0, 2.0)])
def test_zeros_of_different_sign_are_different_constants(a, b):
    text = "g (float[2] x) => (float[2] z) { c = Div(x, a) d = Div(x, b) z = Max(c, d) }"
    constants = {"a": np.float32(a), "b": np.float32(b)}
    assert ops(merged(text, initializers=constants)[0]) == ["Div", "Div", "Max"]


def test_constants_of_equal_bytes_and_other_types_are_different():
    text = """g (float[2] x) => (int64[1] y, int64[1] z) {
        c = Size(x) y = Add(c, a) d = Cast<to=6>(c) e = Add(d, b) z = Cast<to=7>(e) }"""
    result, _ = merged(text, initializers={"a": np.array([0]), "b": np.array([0, 0], np.int32)[:1]})
    assert ops(result) == ["Size", "Add", "Cast", "Add", "Cast"]


def test_the_other_outputs_of_an_equal_node_must_be_there():
    """The first Dropout has no mask; the second one's is read."""
    text = "g (float[2] x) => (float[2] z, bool[2] m) { a = Dropout(x) b, m = Dropout(x) z = Add(a, b) }"
    assert ops(merged(text)[0]) == ["Dropout", "Dropout", "Add"]


def test_the_earlier_node_serves_also_as_an_output():
    text = "g (float[2] x) => (float[2] y, float[2] z) { a = Exp(x) z = Exp(x) y = Neg(a) }"
    result, _ = merged(text)
    assert ops(result) == ["Exp", "Neg"]


def test_two_outputs_stay_two_nodes():
    text = "g (float[2] x) => (float[2] y, float[2] z) { y = Exp(x) z = Exp(x) }"
    assert ops(merged(text)[0]) == ["Exp", "Exp"]


def test_a_body_reads_what_the_graph_around_it_computes_before():
    inner = helper.make_graph(
        [helper.make_node("Exp", ["x"], ["i"]), helper.make_node("Neg", ["i"], ["j"])], "then", [],
        [helper.make_tensor_value_info("j", TensorProto.FLOAT, [2])])
    other = helper.make_graph(
        [helper.make_node("Exp", ["x"], ["k"]), helper.make_node("Abs", ["k"], ["l"])], "else", [],
        [helper.make_tensor_value_info("l", TensorProto.FLOAT, [2])])
    nodes = [helper.make_node("Exp", ["x"], ["e"]),
             helper.make_node("If", ["c"], ["y"], then_branch=inner, else_branch=other),
             helper.make_node("Add", ["e", "y"], ["z"])]
    graph = helper.make_graph(nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2]),
                                           helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
                              [helper.make_tensor_value_info("z", TensorProto.FLOAT, [2])])
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    result, _ = merged(proto)
    branches = [[node.op_type for node in attribute.g.node] for attribute in result.graph.node[1].attribute]
    assert sorted(branches) == [["Abs"], ["Neg"]]


def test_nothing_moves_between_branches_or_out_of_them():
    """Both branches compute the same; neither may read the other's, and the graph around must not compute it always."""
    proto = inside_if(model("g (float[2] x) => (float[2] z) { a = Exp(x) z = Neg(a) }", opset=17))
    result, fired = merged(proto)
    assert not fired
    assert all(len(attribute.g.node) == 2 for attribute in result.graph.node[0].attribute)


@pytest.mark.parametrize(
    ("body", "left"),
    [
        # Two ways to the batch size, of two values.
        ("s = Shape<end=1>(x) t = Shape(y) u = Gather(t, o) a = Expand(p, s) b = Expand(p, u) z = Add(a, b)",
         {"Shape": 1, "Expand": 1}),
        # One way is longer and comes first.
        ("t = Shape(y) u = Gather(t, o) s = Shape<end=1>(x) a = Expand(p, u) b = Expand(p, s) z = Add(a, b)",
         {"Shape": 1, "Gather": 1, "Expand": 1}),
    ],
)
def test_equal_sizes_are_computed_once(body, left):
    text = f"g (float[n,4] x, float[n,3] y) => (float[n] z) <int64[1] o = {{0}}, float[1] p = {{2}}> {{ {body} }}"
    result, fired = merged(text)
    found = ops(result)
    assert {op: found.count(op) for op in left} == left
    assert fired["merge_equal_sizes"] == 1


def test_a_vector_is_no_scalar_and_other_sizes_are_others():
    text = """g (float[n,4] x, float[m,3] y) => (float[a] z, float[b] w, int64 v) <int64 o = {0}, float[1] p = {2}> {
        s = Shape<end=1>(x) t = Shape<end=1>(y) z = Expand(p, s) w = Expand(p, t) u = Shape(x) v = Gather(u, o) }"""
    result, fired = merged(text)
    assert not fired
    assert len(result.graph.node) == 6


@pytest.mark.parametrize(("nodes", "values", "left"), [(False, True, 4), (True, False, 5), (True, True, 3)])
def test_each_way_can_be_off(nodes, values, left):
    text = """g (float[n,4] x, float[n,3] y) => (float[n] z) <float[1] p = {2}> {
        s = Shape<end=1>(x) t = Shape<end=1>(y) a = Expand(p, s) b = Expand(p, t) z = Add(a, b) }"""
    result, _ = merged(text, nodes=nodes, values=values)
    assert len(result.graph.node) == left


def test_the_order_of_the_graph_is_kept():
    """A node whose inputs became equal to an earlier one's gives way to that one, not the reverse."""
    text = """g (float[4] x) => (float[4] z) <float one = {1}, float uno = {1}> {
        a = Mul(x, one) b = Exp(a) c = Mul(x, uno) d = Exp(c) e = Neg(d) z = Add(e, b) }"""
    result, _ = merged(text)
    assert ops(result) == ["Mul", "Exp", "Neg", "Add"]
    onnx.checker.check_model(result)


def test_attributes_compare_as_written():
    load()
    text = """g (float[2] x) => (float[2] z) {
        a = LeakyRelu<alpha=0.0>(x) b = LeakyRelu<alpha=-0.0>(x) c = LeakyRelu<alpha=0.0>(x) d = LeakyRelu(x)
        e = Sum(a, b, c, d) z = Neg(e) }"""
    nodes = list(read_model(model(text, opset=17).SerializeToString()).graph)
    assert same_attributes(nodes[0], nodes[2])
    assert not same_attributes(nodes[0], nodes[1])
    assert not same_attributes(nodes[0], nodes[3])


def test_what_a_node_can_see():
    proto = inside_if(model("g (float[2] x) => (float[2] z) { a = Exp(x) z = Neg(a) }", opset=17))
    proto.graph.node.insert(0, helper.make_node("Abs", ["x"], ["before"]))
    proto.graph.node.append(helper.make_node("Abs", ["z"], ["after"]))
    ir = read_model(proto.SerializeToString())
    first, branch, last = list(ir.graph)
    exp, neg = list(branch.bodies["then_branch"])
    other = next(iter(branch.bodies["else_branch"]))
    assert is_visible(first.outputs[0], neg)
    assert is_visible(exp.outputs[0], neg)
    assert not is_visible(neg.outputs[0], exp)
    assert not is_visible(last.outputs[0], neg)
    assert not is_visible(other.outputs[0], neg)
    assert not is_visible(exp.outputs[0], last)


def test_where_a_size_is_read_off():
    load()
    text = "g (float[n,4] x, float[m,n] y) => (int64[2] z) { a = NonZero(x) s = Shape(a) z = Add(s, s) }"
    ir = read_model(model(text, opset=17).SerializeToString())
    numbering = Numbering(ir)
    Driver(ir, {}, ctx=Inference(ir), numbering=numbering).run()
    x, y = ir.graph.inputs
    nonzero, shape, last = list(ir.graph)
    n, m = x.shape[0], y.shape[0]
    found = nonzero.outputs[0].shape[1]
    assert numbering.source(n, last) == (x, 0)
    assert numbering.source(m, last) == (y, 0)
    assert numbering.source(found, last) == (nonzero.outputs[0], 1)
    assert numbering.source(found, nonzero) is None
    assert numbering.value_of((2,), shape.outputs[0].data, last) is shape.outputs[0]
    assert numbering.value_of((2,), shape.outputs[0].data, shape) is None
    assert numbering.has_value((2,), shape.outputs[0].data, ir.graph) is shape.outputs[0]
