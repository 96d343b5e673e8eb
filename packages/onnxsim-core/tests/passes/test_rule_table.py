"""Which rules are tried where: the user's own first."""

import onnx.parser

from onnxsim_core import ops, simplify
from onnxsim_core.ir.read import read_model
from onnxsim_core.options import SimplifyOptions
from onnxsim_core.passes import catalog
from onnxsim_core.passes.rule_table import RuleTables
from onnxsim_core.patterns.compile import FunctionRule
from onnxsim_testkit import model

RELU = "g (float[2] x) => (float[2] z) { y = Identity(x) z = Relu(y) }"


def rule(before, after, opset=17):
    text = '<domain: "r", opset_import: ["" : {}]> f (a) => (b) {{ {} }}'
    return tuple(onnx.parser.parse_function(text.format(opset, body)) for body in (before, after))


def tables(*pairs, passes=("eliminate_identity",)):
    ops.load()
    catalog.load()
    rules = tuple(FunctionRule(*pair, number) for number, pair in enumerate(pairs, 1))
    return RuleTables(frozenset(passes), SimplifyOptions(rewrite_rules=rules))


def ir(text=RELU, **options):
    return read_model(model(text, **{"opset": 17, **options}).SerializeToString())


def test_without_rules_of_the_user_it_is_the_catalogues_table():
    assert tables().of(ir()) == catalog.rules_by_root(frozenset({"eliminate_identity"}), 17)
    assert tables(passes=()).of(ir()) == {}


def test_the_users_rules_come_first():
    own = tables(rule("b = Identity(a)", "b = Abs(a)"), rule("b = Relu(a)", "b = Neg(a)"))
    table = own.of(ir())

    assert {"Identity", "Relu"} <= table.keys() and own.warnings == []
    assert table["Identity"][1:] == catalog.rules_by_root(frozenset({"eliminate_identity"}), 17)["Identity"]
    assert len(table["Relu"]) == 1
    proto = model(RELU, opset=17)
    result = simplify(proto, function_rewrite_rules=[rule("b = Identity(a)", "b = Abs(a)")]).model
    assert [node.op_type for node in result.graph.node] == ["Abs", "Relu"]


def test_a_rule_that_does_not_speak_of_the_models_operators_is_left_out_with_one_warning():
    own = tables(rule("b = Gelu(a)", "b = Neg(a)", opset=20))
    one, two = own.of(ir()), own.of(ir())

    assert "Gelu" not in one and "Gelu" not in two and len(own.warnings) == 1
    assert "Gelu" in tables(rule("b = Gelu(a)", "b = Neg(a)", opset=20)).of(ir(opset=20))


def test_what_rules_made_is_known_by_name_in_a_model_read_anew():
    own, before, after = tables(), ir(), ir()
    made = list(before.graph)[1]
    own.lineage[made] = frozenset({"1"})
    names = own.names_of_made(before)
    own.recall(after, names)

    assert names == {("Relu", "z"): frozenset({"1"})}
    assert own.lineage == {list(after.graph)[1]: frozenset({"1"})}
