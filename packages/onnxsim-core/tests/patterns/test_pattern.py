"""What a function says is to be found, and what is wrong with one that says it badly."""

import pytest
from onnx import parser

from onnxsim_core.errors import OptionError
from onnxsim_core.patterns.pattern import Hole, Pattern, hole_name, neighbours


def pattern(text: str) -> Pattern:
    return Pattern(parser.parse_function(f'<domain: "c", opset_import: ["" : 18]> {text}'), "1 (p)")


def test_values_nodes_and_sinks():
    made = pattern("p (x, b) => (y, z) { k = Constant<value=float {2.0}>() e = Exp(x) y = Mul(e, k) z = Add(b, e) }")
    exp, mul, add = made.nodes

    assert [node.op_type for node in made.sinks] == ["Mul", "Add"]
    assert mul.inputs[1].tensor.numpy() == 2.0 and mul.inputs[0].node is exp and made.inputs["x"].readers == [exp]
    assert {node.op_type for node in neighbours(exp)} == {"Mul", "Add", "Exp"}
    assert [value.name for value in made.outputs] == ["y", "z"] and made.outputs[1].node is add


def test_holes_in_both_spellings():
    made = pattern("""p (x) => (y) { t = LeakyRelu<alpha: float = @a>(x) y = Foo<mode="@m", text="a@b">(t) }""")
    leaky, foo = made.nodes

    assert made.holes == {"a", "m"} and isinstance(leaky.attributes["alpha"], Hole)
    assert foo.attributes["mode"].name == "m" and foo.attributes["text"] == b"a@b"
    assert hole_name(parser.parse_function(
        '<domain: "c", opset_import: ["" : 18]> f (x) => (y) { y = Foo<k=1>(x) }').node[0].attribute[0]) is None


def test_the_rest_of_the_operands():
    made = pattern('p (x, "ys...") => (y) { y = Sum(x, "ys...") }')

    assert [value.name for value in made.nodes[0].inputs] == ["x"] and made.nodes[0].rest is made.inputs["ys..."]


@pytest.mark.parametrize(("text", "why"), [
    ("p (x) => (y) { y = Constant<value_float=1.0>() }", "has the output 'y', which none of its nodes makes"),
    ("p (x) => (x) { y = Exp(x) }", "has the output 'x', which none of its nodes makes"),
    ("p (x) => () { y = Exp(x) }", "has no output"),
    ("p (x) => (y) { y = Exp(t) }", "reads 't', which is neither an input nor made before"),
    ("p (x) => (y) { y = Exp(x) y = Neg(x) }", "gives the name 'y' to two values"),
    ("p (x, x) => (y) { y = Exp(x) }", "gives the name 'x' to two values"),
    ("p (x) => (y) { y = Exp(x) z = Neg(x) }", "makes Neg, which none of its outputs needs"),
    ("p (x, w) => (y, z) { y = Exp(x) z = Neg(w) }", "is not connected: nothing joins Neg with Exp"),
    ("p (x, w) => (y, z) { k = Constant<value_float=1.0>() y = Add(x, k) z = Mul(w, k) }", "is not connected"),
    ("p <a> (x) => (y) { k = Constant<value_float: float = @a>() y = Add(x, k) }",
     "has a Constant without one plain value"),
    ("""p (c, x) => (y) { y = If (c) <then_branch = t () => (float p) { p = Exp(x) },
        else_branch = e () => (float q) { q = Neg(x) }> }""", "has the body then_branch of If: bodies cannot be looked for"),
    ('p ("xs...", x) => (y) { y = Sum("xs...", x) }', "has an input of the rest that is not the last one of Sum"),
])
def test_faults(text, why):
    with pytest.raises(OptionError) as caught:
        pattern(text)
    assert caught.value.message.startswith(f"rewrite rule 1 (p): its pattern {why}")


def test_an_empty_body():
    proto = parser.parse_function('<domain: "c", opset_import: ["" : 18]> p (x) => (y) { y = Exp(x) }')
    del proto.node[:], proto.output[:]
    with pytest.raises(OptionError, match="its pattern holds no node to find"):
        Pattern(proto, "1")
