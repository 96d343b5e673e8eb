import numpy as np

from onnxsim_core.report.outline import attribute_text
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model

TEXT = """g (bool c, float[n,3] x) => (float[n,3] y) {
    r = Reshape(x, shape) big = Add(x, w) s = Mul(x, half)
    y = If (c) <then_branch = t () => (float[n,3] a) { a = Relu(x) },
                else_branch = e () => (float[n,3] b) { b = LeakyRelu<alpha=0.5>(x) }> }"""
OUTLINE = take(model(TEXT, initializers={"shape": np.array([0, -1]), "w": np.ones((1, 3), np.float32),
                                         "half": np.array(0.5, np.float32)}), with_outline=True).outline


def test_interface_and_nodes():
    assert (OUTLINE.inputs, OUTLINE.outputs) == (["c", "x"], ["y"])
    assert [node.op_type for node in OUTLINE.nodes] == ["Reshape", "Add", "Mul", "If", "Relu", "LeakyRelu"]
    assert OUTLINE.nodes[0].inputs == ("x", "shape")


def test_types_are_readable():
    assert (OUTLINE.types["x"], OUTLINE.types["c"], OUTLINE.types["w"]) == ("float32[n, 3]", "bool[]", "float32[1, 3]")


def test_small_constants_are_shown():
    assert OUTLINE.constants == {"shape": "[0, -1]", "w": "float32[1, 3]", "half": "0.5"}


def test_bodies_say_where_they_are_what_they_read_and_what_they_give():
    node = OUTLINE.nodes[3]

    assert node.inputs == ("c", "then_branch: x", "else_branch: x")
    assert {one.graph.rpartition(".")[2] for one in OUTLINE.nodes[4:]} == {"then_branch", "else_branch"}
    assert [name for _, name in OUTLINE.results["y"]] == ["a", "b"]
    assert dict(OUTLINE.nodes[5].attributes) == {"alpha": "0.5"}


def test_attributes_are_one_short_line():
    assert attribute_text(b"SAME_UPPER") == "SAME_UPPER"
    assert attribute_text((1, 2)) == "[1, 2]"
    assert attribute_text((b"a", b"b")) == "['a', 'b']"
    assert len(attribute_text(tuple(range(100)))) == 80
