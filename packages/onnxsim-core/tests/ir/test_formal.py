"""Malformed nodes pass through simplifying as they are: nothing takes them for the operator they say they are."""

import onnx
import pytest
from onnx import TensorProto, helper

from onnxsim_core import simplify
from onnxsim_core.errors import OnnxsimError
from onnxsim_core.ir.formal import OPAQUE, form, newest
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model


def of_one(op_type, inputs, outputs=1, opset=21, domain="", **attributes):
    """A model of one node on constants, so that whatever can be done with it is."""
    names = [f"y{index}" for index in range(outputs)]
    node = helper.make_node(op_type, inputs, names, domain=domain or None, name="it", **attributes)
    graph = helper.make_graph(
        [node],
        "g",
        [],
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names],
        [helper.make_tensor(name, TensorProto.FLOAT, [2], [1.0, number]) for number, name in enumerate("ab")],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)


MALFORMED = {
    "too few inputs": of_one("Add", ["a"]),
    "none at all": of_one("Relu", []),
    "a needed one left out": of_one("Add", ["", "a"]),
    "a gap in a list": of_one("Concat", ["a", "", "b"], axis=0),
    "too many inputs": of_one("Relu", ["a", "b"]),
    "too many outputs": of_one("Relu", ["a"], 2),
    "an attribute of another type": of_one("Transpose", ["a"], perm="x"),
    "a number for a list": of_one("Transpose", ["a"], perm=0),
    "a needed attribute left out": of_one("Cast", ["a"]),
    "a needed body left out": of_one("If", ["a"]),
    "more outputs than it says": of_one("Split", ["a"], 2, num_outputs=1),
    "a flag that is no flag": of_one("ReduceSum", ["a"], keepdims=2),
    "too few before the inputs moved": of_one("Slice", ["a"], opset=9, starts=[0]),
    "too few after": of_one("Slice", ["a"], starts=[0], ends=[1]),
    "an opset too new to know": of_one("Add", ["a"], opset=99),
    "an opset that had no such operator": of_one("Gelu", ["a", "b"], opset=9),
}


@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_node_stays(malformed):
    simplified = simplify(malformed).model

    assert list(simplified.graph.node) == list(malformed.graph.node)


@pytest.mark.parametrize("malformed", MALFORMED.values(), ids=MALFORMED)
def test_so_does_one_written_anew(malformed):
    """Its operand folds, so the node is no longer the bytes it was read from; its domain is that of the file."""
    changed = onnx.ModelProto()
    changed.CopyFrom(malformed)
    for name in set(malformed.graph.node[0].input) - {""}:
        changed.graph.node.insert(0, helper.make_node("Neg", [name], [f"n{name}"]))
        changed.graph.node[-1].input[:] = [f"n{name}" if old == name else old for old in changed.graph.node[-1].input]

    node = simplify(changed).model.graph.node[-1]

    assert (node.op_type, node.domain) == (malformed.graph.node[0].op_type, "")
    assert len(node.input) == len(malformed.graph.node[0].input)


def test_a_well_formed_node_is_what_it_says():
    for proto in (of_one("Add", ["a", "b"]), of_one("Add", ["a", "b"], domain=OPAQUE), of_one("Cast", ["a"], to=1)):
        assert read_model(proto).graph.first.domain == ""
        assert not simplify(proto).model.graph.node


def test_a_call_of_a_function_has_the_form_of_the_function():
    text = """<ir_version: 10, opset_import: ["" : 21, "local" : 1]>
        g (float[2] x) => (float[2] y) { y = local.Add(x) }
        <domain: "local", opset_import: ["" : 21]> Add (a) => (b) { b = Relu(a) }"""
    assert [node.op_type for node in simplify(model(text)).model.graph.node] in (["Relu"], ["Add"])


def test_what_onnx_does_not_know_has_no_form():
    assert form("NoSuchOperator", 21) is None


def test_a_list_of_graphs_is_an_error():
    proto = of_one("Relu", ["a"])
    proto.graph.node[0].attribute.add(name="g", type=onnx.AttributeProto.GRAPHS)
    with pytest.raises(OnnxsimError):
        simplify(proto)


def test_the_newest_operator_set_is_that_of_onnx():
    assert newest() == onnx.defs.onnx_opset_version()
