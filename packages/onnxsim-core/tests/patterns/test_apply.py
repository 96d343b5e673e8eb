"""Rules at work, judged by onnxruntime."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest
from onnx import parser

from onnxsim_core import simplify
from onnxsim_core.errors import PassError
from onnxsim_testkit import assert_same_outputs, model, random_feeds

HEAD = '<domain: "c", opset_import: ["" : 18]> '


def pair(pattern: str, replacement: str, head: str = HEAD) -> tuple[onnx.FunctionProto, onnx.FunctionProto]:
    return parser.parse_function(f"{head} p {pattern}"), parser.parse_function(f"{head} r {replacement}")


def rewritten(graph: str, *rules: Any, same: bool = True, **options: Any) -> onnx.ModelProto:
    """The graph with nothing but these rules applied; it must compute the same if the rules say so."""
    original = model(f"g {graph}", opset=18)
    options.setdefault("perform_optimization", False)
    result = simplify(original, function_rewrite_rules=rules, **options).model
    onnx.checker.check_model(result)
    if same:
        assert_same_outputs(original, result, random_feeds(original), rtol=1e-6, atol=1e-6)
    return result


def ops(result: onnx.ModelProto) -> list[str]:
    return [node.op_type for node in result.graph.node]


GEMM = pair("(x, w, b) => (y) { t = MatMul(x, w) y = Add(t, b) }", "(x, w, b) => (y) { y = Gemm(x, w, b) }")
TWO = pair("(x) => (a, b) { e = Exp(x) a = Sin(e) b = Cos(e) }",
           "(x) => (a, b) { e = Exp(x) n = Neg(e) m = Neg(n) a = Sin(m) b = Cos(m) }")


@pytest.mark.parametrize("order", ["t, b", "b, t"])
def test_a_chain(order):
    result = rewritten(f"""(float[2,3] x, float[3,4] w, float[4] b) => (float[2,4] y) {{
        t = MatMul(x, w) y = Add({order}) }}""", GEMM)

    assert ops(result) == ["Gemm"] and list(result.graph.node[0].input) == ["x", "w", "b"]
    assert [output.name for output in result.graph.output] == ["y"]


def test_fan_out_with_two_sinks():
    result = rewritten("(float[3] x) => (float[3] y, float[3] z) { e = Exp(x) y = Sin(e) z = Cos(e) }", TWO)

    assert ops(result) == ["Exp", "Neg", "Neg", "Sin", "Cos"]


def test_a_reader_between_two_sinks_is_moved_behind():
    """r reads the first output and stands before an input of the replacement is made."""
    result = rewritten("""(float[3] x, float[3] q) => (float[3] y, float[3] z) { e = Exp(x) a = Sin(e) r = Abs(a)
        s = Floor(r) w = Neg(q) b = Mul(e, w) y = Add(b, s) z = Neg(s) }""",
                       pair("(x, w) => (a, b) { e = Exp(x) a = Sin(e) b = Mul(e, w) }",
                            "(x, w) => (a, b) { e = Exp(x) b = Mul(w, e) a = Sin(e) }"))

    assert ops(result) == ["Neg", "Exp", "Mul", "Sin", "Abs", "Floor", "Add", "Neg"]


def test_an_input_that_needs_an_output_is_no_find():
    graph = "(float[3] x) => (float[3] y) { e = Exp(x) a = Sin(e) w = Neg(a) b = Mul(e, w) y = Add(a, b) }"
    result = rewritten(graph, pair("(x, w) => (a, b) { e = Exp(x) a = Sin(e) b = Mul(e, w) }",
                                   "(x, w) => (a, b) { e = Exp(x) a = Sin(e) b = Div(e, w) }"))

    assert "Div" not in ops(result)


@pytest.mark.parametrize("graph", [
    "(float[3] x) => (float[3] y, float[3] t) { t = Exp(x) y = Neg(t) }",
    "(float[3] x) => (float[3] y, float[3] z) { t = Exp(x) y = Neg(t) z = Abs(t) }",
    """(float[3] x, bool c) => (float[3] y, float[3] z) { t = Exp(x) y = Neg(t) z = If (c) <
       then_branch = a () => (float[3] p) { p = Abs(t) }, else_branch = b () => (float[3] q) { q = Abs(x) }> }""",
])
def test_an_inner_value_that_is_needed_elsewhere_is_no_find(graph):
    result = rewritten(graph, pair("(x) => (y) { t = Exp(x) y = Neg(t) }", "(x) => (y) { y = Floor(x) }"))

    assert "Floor" not in ops(result)


def test_an_inner_value_that_is_an_output_too_is_rewired():
    result = rewritten("(float[3] x) => (float[3] y, float[3] z) { t = Exp(x) y = Neg(t) z = Abs(t) }",
                       pair("(x) => (t, y) { t = Exp(x) y = Neg(t) }", "(x) => (t, y) { t = Exp(x) m = Abs(t) y = Neg(m) }"))

    assert sorted(ops(result)) == ["Abs", "Abs", "Exp", "Neg"]


def test_a_replacement_that_is_an_input():
    nothing = pair("(x) => (y) { t = Neg(x) y = Neg(t) }", "(x) => (y) { y = Identity(x) }")
    bare = pair("(x) => (y) { t = Neg(x) y = Neg(t) }", "(x) => (y) { z = Abs(x) y = Identity(x) }")
    bare[1].output[0] = "x"
    del bare[1].node[:]

    for rule in (nothing, bare):
        assert ops(rewritten("(float[3] x) => (float[3] y) { t = Neg(x) y = Neg(t) }", rule)) == ["Identity"]
        assert ops(rewritten("(float[3] x) => (float[3] y) { t = Neg(x) u = Neg(t) y = Abs(u) }", rule,
                             perform_optimization=True, skipped_optimizers=["eliminate_consecutive_inverses"])) == ["Abs"]


def test_holes_are_filled_in():
    result = rewritten("(float[3] x) => (float[3] y) { t = Neg(x) y = LeakyRelu<alpha=0.5>(t) }",
                       pair("(x) => (y) { t = Neg(x) y = LeakyRelu<alpha: float = @a>(t) }",
                            '(x) => (y) { t = Neg(x) z = Identity(t) y = LeakyRelu<alpha="@a">(z) }'))

    assert result.graph.node[-1].attribute[0].f == 0.5


def test_an_input_left_out_stays_left_out():
    graph = "(float[1,1,4,4] x, float[2,1,3,3] w) => (float[1,2,2,2] y) { c = Conv(x, w) y = Relu(c) }"
    result = rewritten(graph, pair("(x, w, b) => (y) { c = Conv(x, w, b) y = Relu(c) }",
                                   "(x, w, b) => (y) { c = Conv(x, w, b) d = Relu(c) y = Abs(d) }"))
    assert ops(result) == ["Conv", "Relu", "Abs"] and list(result.graph.node[0].input) == ["x", "w"]


@pytest.mark.parametrize("replacement", [
    "(x, w, b) => (y) { t = Neg(b) y = Add(x, t) }", "(x, w, b) => (y) { y = Identity(b) }",
])
def test_an_input_left_out_that_is_needed_is_no_find(replacement):
    graph = "(float[1,1,4,4] x, float[2,1,3,3] w) => (float[1,2,2,2] y) { y = Conv(x, w) }"

    assert ops(rewritten(graph, pair("(x, w, b) => (y) { y = Conv(x, w, b) }", replacement))) == ["Conv"]


def test_the_rest_of_the_operands():
    rule = pair('(a, "bs...") => (y) { t = Neg(a) y = Concat<axis=0>(t, "bs...") }',
                '(a, "bs...") => (y) { t = Neg(a) u = Identity(t) y = Concat<axis=0>(u, "bs...") }')
    for count in (0, 1, 3):
        others = "".join(", x" for _ in range(count))
        result = rewritten(f"(float[2] x) => (float[n] y) {{ t = Neg(x) y = Concat<axis=0>(t{others}) }}", rule)
        assert ops(result) == ["Neg", "Identity", "Concat"] and len(result.graph.node[-1].input) == count + 1


def test_inside_branches_and_loops():
    rule = pair("(x) => (y) { t = Exp(x) y = Log(t) }", "(x) => (y) { y = Identity(x) }")
    graph = """(float[3] x, bool c) => (float[3] y) { y = If (c) <
        then_branch = t () => (float[3] p) { e = Exp(x) p = Log(e) },
        else_branch = e () => (float[3] q) { q = Neg(x) }> }"""
    original = model(f"g {graph}", opset=18)
    result = simplify(original, function_rewrite_rules=[rule], perform_optimization=False).model

    assert [n.op_type for a in result.graph.node[0].attribute for n in a.g.node] == ["Identity", "Neg"]
    for c in (True, False):
        assert_same_outputs(original, result, {"x": np.array([1, 2, 3], "f"), "c": np.array(c)}, rtol=1e-6, atol=0)

    loop = """(int64 n, bool c, float[3] x) => (float[3] y) { y = Loop (n, c, x) <
        body = b (int64 i, bool k, float[3] v) => (bool l, float[3] w) { l = Identity(k) e = Exp(v) w = Log(e) }> }"""
    result = simplify(model(f"g {loop}", opset=18), function_rewrite_rules=[rule], perform_optimization=False).model
    assert [n.op_type for n in result.graph.node[0].attribute[0].g.node] == ["Identity", "Identity"]


def test_inside_local_functions():
    text = """<ir_version: 10, opset_import: ["" : 18, "l" : 1]> g (float[3] x) => (float[3] y) { y = l.f(x) }
        <domain: "l", opset_import: ["" : 18]> f (x) => (y) { e = Exp(x) y = Log(e) }"""
    rule = pair("(x) => (y) { t = Exp(x) y = Log(t) }", "(x) => (y) { t = Abs(x) y = v.Own(t) }",
                '<domain: "c", opset_import: ["" : 18, "v" : 3]>')
    result = simplify(parser.parse_model(text), function_rewrite_rules=[rule], perform_optimization=False).model

    assert [node.op_type for node in result.functions[0].node] == ["Abs", "Own"]
    assert {entry.domain: entry.version for entry in result.functions[0].opset_import} == {"": 18, "v": 3}


def test_a_new_domain_is_imported():
    rule = pair("(x) => (y) { y = Exp(x) }", "(x) => (y) { y = v.Own(x) }",
                '<domain: "c", opset_import: ["" : 18, "v" : 3]>')
    result = rewritten("(float[3] x) => (float[3] y) { y = Exp(x) }", rule, same=False)

    assert {entry.domain: entry.version for entry in result.opset_import} == {"": 18, "v": 3}


# --- coming to an end ------------------------------------------------------------------------------------------------
def test_a_replacement_that_holds_its_own_pattern():
    rule = pair("(x) => (y) { y = LeakyRelu<alpha=0.3>(x) }", "(x) => (y) { t = LeakyRelu<alpha=0.3>(x) y = Tanh(t) }")
    result = rewritten("(float[3] x) => (float[3] y) { t = LeakyRelu<alpha=0.3>(x) y = LeakyRelu<alpha=0.3>(t) }", rule,
                       same=False)

    assert ops(result) == ["LeakyRelu", "Tanh", "LeakyRelu", "Tanh"]


def test_rules_that_undo_each_other():
    forth = pair("(x) => (y) { y = Exp(x) }", "(x) => (y) { t = Neg(x) y = Floor(t) }")
    back = pair("(x) => (y) { t = Neg(x) y = Floor(t) }", "(x) => (y) { y = Exp(x) }")

    assert ops(rewritten("(float[3] x) => (float[3] y) { y = Exp(x) }", forth, back, same=False)) == ["Exp"]


def test_what_a_rule_made_may_be_part_of_its_next_find():
    """(x + a) + b -> x + (a + b), along a chain of four."""
    rule = pair("(x, a, b) => (y) { t = Exp(x) u = Mul(t, a) y = Mul(u, b) }",
                "(x, a, b) => (y) { t = Exp(x) u = Mul(a, b) y = Mul(t, u) }")
    result = rewritten("""(float[3] x, float[3] a, float[3] b, float[3] c) => (float[3] y) {
        e = Exp(x) p = Mul(e, a) q = Mul(p, b) y = Mul(q, c) }""", rule)

    assert sorted(ops(result)) == ["Exp", "Mul", "Mul", "Mul"]
    assert result.graph.node[-1].input[0] in {output for node in result.graph.node for output in node.output
                                              if node.op_type == "Exp"}


def test_a_rule_that_a_pass_undoes_is_named():
    """The pass makes new nodes, of which the rule cannot know that they were its own."""
    rule = pair("(x) => (y) { y = Relu(x) }", "(x) => (y) { z = Constant<value = float {0.0}>() y = Max(x, z) }")
    from rewriting import withdraw

    from onnxsim_core.rewrite.rule import rewrites

    rewrites("test_undo", root="Max")(lambda node, op: op.Relu(node.inputs[0]))
    from onnxsim_core.passes import catalog

    catalog.load()
    catalog.declare("test_undo", "undo")
    try:
        with pytest.raises(PassError, match="rewriting does not come to an end") as caught:
            rewritten("(float[3] x) => (float[3] y) { y = Relu(x) }", rule, perform_optimization=True)
        assert "function_rewrite_rules" in str(caught.value)
    finally:
        withdraw("test_undo")


def test_rules_come_before_passes_and_feed_each_other():
    first = pair("(x) => (y) { y = Exp(x) }", "(x) => (y) { t = Neg(x) y = Floor(t) }")
    second = pair("(x) => (y) { y = Floor(x) }", "(x) => (y) { y = Ceil(x) }")

    for rules in ((first, second), (second, first)):
        result = rewritten("(float[3] x) => (float[3] y) { y = Exp(x) }", *rules, same=False)
        assert ops(result) == ["Neg", "Ceil"]


def test_the_first_rule_of_the_list_wins():
    one = pair("(x) => (y) { y = Exp(x) }", "(x) => (y) { y = Sin(x) }")
    other = pair("(x) => (y) { y = Exp(x) }", "(x) => (y) { y = Cos(x) }")

    assert ops(rewritten("(float[3] x) => (float[3] y) { y = Exp(x) }", one, other, same=False)) == ["Sin"]
    assert ops(rewritten("(float[3] x) => (float[3] y) { y = Exp(x) }", other, one, same=False)) == ["Cos"]


def test_a_rule_for_another_operator_set_is_a_warning():
    rule = pair("(x) => (y) { y = Softmax(x) }", "(x) => (y) { y = Exp(x) }")
    result = simplify(model("g (float[3] x) => (float[3] y) { y = Softmax(x) }", opset=11), function_rewrite_rules=[rule])

    assert [n.op_type for n in result.model.graph.node] == ["Softmax"] and len(result.report.warnings) == 1


def test_names_of_what_was_replaced_are_kept():
    result = rewritten("(float[3] x) => (float[3] y) { [first] t = Exp(x) [second] y = Log(t) }",
                       pair("(x) => (y) { t = Exp(x) y = Log(t) }", "(x) => (y) { t = Neg(x) y = Neg(t) }"))
    assert [node.name for node in result.graph.node] == ["second_Neg", "second"]
