"""Which rules stand at which operator."""

from onnx import parser

from onnxsim_core.ir.read import read_model
from onnxsim_core.options import SimplifyOptions
from onnxsim_core.passes.rule_table import RuleTables
from onnxsim_core.patterns.compile import compile_rules
from onnxsim_testkit import model


def tables(opset: int, *ops: str) -> RuleTables:
    rules = compile_rules([tuple(parser.parse_function(
        f'<domain: "c", opset_import: ["" : {opset}]> {name} (x) => (y) {{ y = {body}(x) }}')
        for name, body in (("p", op), ("r", "Abs"))) for op in ops])
    return RuleTables(frozenset({"eliminate_identity"}), SimplifyOptions(rewrite_rules=rules))


def test_the_users_rules_come_first_in_their_order():
    made = tables(18, "Identity", "Neg", "Identity")
    table = made.of(read_model(model("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=18)))

    assert [rule.name for rule in table.get("Identity")][:2] == ["rewrite rule 1 (p)", "rewrite rule 3 (p)"]
    assert len(table.get("Identity")) == 3 and len(table.get("Neg")) == 1 and table.get("Exp") is None


def test_what_does_not_fit_a_model_is_left_out_and_said_once():
    made = tables(18, "Softmax")
    ir = read_model(model("g (float[2] x) => (float[2] y) { y = Neg(x) }", opset=11))

    assert made.of(ir).get("Softmax") is None and made.of(ir).get("Softmax") is None and len(made.warnings) == 1


def test_what_rules_made_is_known_by_name_when_the_model_is_read_anew():
    made = tables(18, "Neg")
    proto = model("g (float[2] x) => (float[2] y) { t = Neg(x) y = Abs(t) }", opset=18)
    first, second = read_model(proto), read_model(proto)
    made.lineage[first.graph.first] = frozenset({"1 (p)"})

    names = made.names_of_made(first)
    made.recall(second, names)

    assert names == {("Neg", "t"): frozenset({"1 (p)"})}
    assert list(made.lineage) == [second.graph.first]
