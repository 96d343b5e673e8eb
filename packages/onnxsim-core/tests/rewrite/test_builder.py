"""How rules build: where new nodes stand, what they keep, and how they go again."""

import numpy as np
import pytest

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Graph
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.ir.tensors import ArrayTensor
from onnxsim_core.rewrite.builder import Builder
from onnxsim_core.rewrite.driver import Driver
from onnxsim_core.rewrite.rule import Rule, skip
from onnxsim_testkit import model

ops.load()
TEXT = "g (float[n,3] x) => (float[n,3] y) { a = Relu(x) b = Neg(a) y = Abs(b) }"


def build(text: str = TEXT, root: str = "y") -> tuple[Builder, Graph]:
    """A builder before the node that makes `root`."""
    ir = read_model(model(text, opset=17).SerializeToString())
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    op = Builder(ir, ctx, lambda nbytes, replaced: nbytes <= 8 * len(replaced))
    op.at(next(node for node in ir.graph if node.outputs[0].name == root))
    return op, ir.graph


def test_a_new_node_stands_before_the_root_and_is_inferred():
    op, graph = build(root="b")
    x = graph.inputs[0]
    made = op.Transpose(x, perm=[1, 0])
    assert [node.op_type for node in graph] == ["Relu", "Transpose", "Neg", "Abs"]
    assert [str(size) for size in made.shape] == ["3", "n"] and made.dtype == 1
    assert made.node.attributes == {"perm": (1, 0)} and x.uses[made.node] == 1
    assert made.name == "b_Transpose" and op.Transpose(x).name == "b_Transpose_1"
    positions = [node.position for node in graph]
    assert positions == sorted(positions) and len(op.made) == 2
    op.at(graph.last)
    assert op.made == []


def test_omitted_inputs_and_attributes_are_left_out():
    op, graph = build()
    x = graph.inputs[0]
    clip = op.node("Clip", (x, None, x, None, None), anything=None, axis=0)[0].node
    assert clip.inputs == [x, None, x] and clip.attributes == {"axis": 0} and x.uses[clip] == 2
    values = op.node("Twin", (x,), outputs=2, domain="acme", name="t")
    assert len({v.name for v in values}) == 2 and values[0].node is values[1].node
    assert (values[0].node.domain, values[0].node.name) == ("acme", "t")


def test_only_capital_names_are_operators():
    op, _ = build()
    with pytest.raises(AttributeError, match="transpose"):
        op.transpose(op.root.inputs[0])


def test_like_keeps_what_a_node_says_of_itself():
    op, graph = build("g (float[n,3] x) => (float[] y) { y = LeakyRelu<alpha = 0.5>(x) }")
    root = op.root
    root.name = "leaky"
    root.proto.doc_string = "noted"
    root.proto.metadata_props.add(key="k", value="v")
    other = op.like(root, [graph.inputs[0]], alpha=0.25, extra=1)
    bare = op.like(root, [graph.inputs[0]], alpha=None)
    assert other.node.attributes == {"alpha": 0.25, "extra": 1} and bare.node.attributes == {}
    assert root.attributes == {"alpha": 0.5}
    first, second, _ = model_proto(graph.model).graph.node
    for node in (first, second):
        assert (node.name, node.doc_string, node.metadata_props[0].value) == ("leaky", "noted", "v")
    assert first.attribute[0].f == 0.25 and not second.attribute


def test_constants_keep_their_type_and_get_free_names():
    op, graph = build()
    half = op.constant(np.array([1.5], np.float16))
    tensor = ArrayTensor(np.zeros((2, 2), np.uint8))
    shared, sizes = op.constant(tensor, "x"), op.ints((3, -1))
    assert (half.name, half.dtype, half.shape) == ("y_const", 10, (1,))
    assert shared.name == "x_1" and shared.tensor is tensor
    assert (sizes.dtype, sizes.tensor.numpy().tolist(), sizes.name) == (7, [3, -1], "y_const_1")
    assert op.ints(()).shape == (0,) and set(graph.constants) >= {half, shared, sizes}


def test_questions_go_to_the_size_policy_and_the_numbering():
    op, graph = build()
    x = graph.inputs[0]
    assert op.affordable(8, x) and not op.affordable(9, x) and op.affordable(16, x, x)
    assert op.sizes_of(x.shape) is None and not op.has_sizes(x.shape) and op.source_of(x.shape[0]) is None


def test_outputs_that_are_left_out_stay_so():
    op, graph = build("g (float[n,3] x) => (float[] y) { , y = Split<num_outputs = 2>(x) }", root="")
    first, second = op.anew(op.root, [graph.inputs[0]], axis=1)
    assert first.name == "" and second.name and second.node.attributes == {"num_outputs": 2, "axis": 1}
    assert list(model_proto(graph.model).graph.node[0].output) == ["", second.name]


@pytest.mark.parametrize("uses_them", [False, True])
def test_what_a_rule_builds_in_vain_is_taken_back(uses_them):
    ir = read_model(model(TEXT, opset=17).SerializeToString())
    before = model_proto(ir)

    def built(node, op):
        kept = op.Mul(node.inputs[0], op.constant(np.float32(2)))
        op.like(node, [op.Add(kept, kept)])
        return kept if uses_them else skip("changed its mind")

    driver = Driver(ir, {"Abs": [Rule("test", ("Abs",), "", 1, built)]}, ctx=Inference(ir))
    driver.run()
    ops_left = [node.op_type for node in ir.graph]
    if uses_them:
        assert ops_left == ["Relu", "Neg", "Mul"] and len(ir.graph.constants) == 1
        return
    assert ops_left == ["Relu", "Neg", "Abs"] and not ir.graph.constants
    assert model_proto(ir).graph.node == before.graph.node
    assert ir.graph.first.outputs[0].uses == {ir.graph.first.next: 1}


def test_a_node_can_be_asked_for_again():
    op, graph = build()
    op.revisit(graph.last)
    assert op.again == [graph.last]
