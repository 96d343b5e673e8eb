"""Pairs of functions as rules: faults of a replacement, and models of another operator set."""

import onnx
import pytest
from onnx import parser

from onnxsim_core.errors import OptionError
from onnxsim_core.ir.read import read_model
from onnxsim_core.patterns.compile import compile_rules
from onnxsim_testkit import model


def function(text: str, opset: int = 18) -> onnx.FunctionProto:
    return parser.parse_function(f'<domain: "c", opset_import: ["" : {opset}, "v" : 2]> {text}')


def rule(pattern: str, replacement: str, opset: int = 18):
    (made,) = compile_rules([(function(pattern, opset), function(replacement, opset))])
    return made


EXP = "p (x) => (y) { y = Exp(x) }"


@pytest.mark.parametrize(("pattern", "replacement", "why"), [
    (EXP, "r (x) => (y, z) { y = Neg(x) z = Neg(y) }", "has 2 outputs, its pattern 1"),
    (EXP, "r (w) => (y) { y = Neg(w) }", "takes 'w', which is no input that its pattern reads"),
    ("p (x, w) => (y) { y = Exp(x) }", "r (x, w) => (y) { y = Add(x, w) }",
     "takes 'w', which is no input that its pattern reads"),
    (EXP, "r (x) => (y) { y = Neg(t) }", "reads 't', which is neither an input nor made before"),
    (EXP, "r (x) => (y) { t = Neg(x) }", "has the output 'y', which is neither an input nor made by a node"),
    (EXP, "r (x) => (y) { y = Neg(x) y = Abs(x) }", "gives the name 'y' to two values"),
    (EXP, "r (x) => (y) { y = Elu<alpha: float = @a>(x) }", "uses @a, which its pattern does not bind"),
    (EXP, 'r (x) => (y) { y = Elu<alpha="@a">(x) }', "uses @a, which its pattern does not bind"),
    (EXP, "r (x) => (y) { y = Gelu(x) }", "makes Gelu, which operator set 18 does not have"),
    (EXP, "r (x) => (y) { y = Upsample(x, x) }", "makes Upsample, which operator set 18 does not have"),
    (EXP, "r (x) => (y) { y = Neg(x, x) }", "gives Neg 2 inputs and 1 outputs, which operator set 18 does not allow"),
    (EXP, "r (x) => (y) { y = Gemm(x) }", "gives Gemm 1 inputs and 1 outputs, which operator set 18 does not allow"),
    ('p ("xs...") => (y) { y = Sum("xs...") }', 'r ("xs...") => (y) { y = Concat<axis=0>("xs...", "xs...") }',
     "has an input of the rest that is not the last one of Concat"),
])
def test_faults_of_a_replacement(pattern, replacement, why):
    if "xs..." in replacement:
        replacement = replacement.replace('Concat<axis=0>("xs...", "xs...")', 'Concat<axis=0>("xs...", k)').replace(
            "{ y", "{ k = Constant<value_float=1.0>() y")
    with pytest.raises(OptionError) as caught:
        rule(pattern, replacement)
    assert caught.value.message == f"rewrite rule 1 (p): its replacement {why}"


def test_a_default_of_the_replacement_needs_no_hole():
    assert rule(EXP, "r <a: float = 0.5> (x) => (y) { y = Elu<alpha: float = @a>(x) }").pattern.holes == set()


@pytest.mark.parametrize("pairs", [[1], ["ab"], [(1, 2)], [(function(EXP),)], [(function(EXP), "text")],
                                   [(function(EXP), onnx.ModelProto())], [function(EXP)]])
def test_what_is_no_pair_of_functions(pairs):
    with pytest.raises(TypeError, match="rewrite rule 1 is a pair of onnx.FunctionProto, not"):
        compile_rules(pairs)


def test_the_number_of_the_rule_is_told():
    good = (function(EXP), function("r (x) => (y) { y = Neg(x) }"))
    with pytest.raises(OptionError, match=r"rewrite rule 2 \(p\)"):
        compile_rules([good, (function(EXP), function("r (w) => (y) { y = Neg(w) }"))])
    assert compile_rules(None) == compile_rules([]) == ()


def test_callers_keep_their_functions():
    replacement = function('r (x) => (y) { y = Elu<alpha="@a">(x) }')
    before = replacement.SerializeToString()
    (made,) = compile_rules([(function("p (x) => (y) { y = Elu<alpha=\"@a\">(x) }"), replacement)])

    assert replacement.SerializeToString() == before
    (attribute,) = made.replacement.node[0].attribute
    assert (attribute.ref_attr_name, attribute.type) == ("a", onnx.AttributeProto.FLOAT)


@pytest.mark.parametrize(("pattern", "written", "of", "word"), [
    (EXP, 18, 11, None),
    (EXP, 9, 21, None),
    ("p (x) => (y) { y = Softmax<axis=1>(x) }", 18, 11, "Softmax"),
    ("p (x, a) => (y) { y = ReduceSum(x, a) }", 18, 11, "ReduceSum"),
    ("p (x) => (y) { y = Gelu(x) }", 20, 18, "Gelu"),
    ("p (x) => (y) { y = MyOwn(x) }", 20, 11, None),
])
def test_rules_for_another_operator_set(pattern, written, of, word):
    made = rule(pattern, "r (x) => (y) { y = Abs(x) }", written)
    reason = made.mismatch(read_model(model("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=of)))

    assert reason == (None if word is None else (
        f"rewrite rule 1 (p) is left out: it is written for opset {written}, and {word} is another in opset {of} of the "
        "model"))


def test_a_rule_stands_at_every_operator_it_can_end_in():
    made = rule("p (x) => (a, b, c) { e = Exp(x) a = Sin(e) b = v.Cos(e) c = Sin(a) }",
                "r (x) => (a, b, c) { a = Neg(x) b = Abs(x) c = Neg(a) }")
    found = made.rules(read_model(model("g (float[2] x) => (float[2] y) { y = Neg(x) }")), {})

    assert [(one.domain, one.roots) for one in found] == [("v", ("Cos",)), ("", ("Sin",))]
    assert {one.name for one in found} == {"rewrite rule 1 (p)"}
