from onnxsim_core import simplify
from onnxsim_core.report.diff import diff
from onnxsim_core.report.explain import explain, explanation_lines
from onnxsim_core.report.outline import outline
from onnxsim_core.report.snapshot import take
from onnxsim_testkit import model


def explained(text, **options):
    proto = model(text, **options)
    result = simplify(proto, trace=True)
    before = take(proto, with_outline=True).outline
    return explain(diff(before, outline(result.graph)), result.report.events)


def test_every_node_that_is_gone_has_a_reason():
    reasons = explained("""g (float[2,3] x) => (float[3,2] y) {
        [c] s = Shape(x) [d] dead = Exp(x) [i] t = Identity(x) [p] u = Transpose<perm=[1,0]>(t)
        [e1] a = Neg(u) [e2] b = Neg(u) [m] y = Add(a, b) }""")
    found = {reason.name: reason for reason in reasons}

    assert found["c"].pass_name == found["d"].pass_name == "eliminate_deadend"
    assert found["d"].why == "nothing reads its results any more"
    assert found["i"].pass_name == "eliminate_identity" and found["i"].why
    assert found["e2"].pass_name == "eliminate_common_subexpression"


def test_a_rule_speaks_for_itself():
    (reason,) = [one for one in explained("""g (float[2,3,4] x) => (float[4,2,3] y) {
        [a] t = Transpose<perm=[0,2,1]>(x) [b] y = Transpose<perm=[1,0,2]>(t) }""") if one.name == "b"]

    assert reason.replaced and reason.pass_name.startswith("fuse_") and "Transpose" in reason.why


def test_lines_are_aligned():
    lines = explanation_lines(explained(
        "g (float[2] x) => (float[2] y) { [one] a = Exp(x) [three] b = Neg(x) y = Relu(x) }"))

    assert lines[0] == "Nodes removed or replaced (2):"
    assert lines[1].index("eliminate") == lines[2].index("eliminate")
    assert explanation_lines([]) == ["No node was removed or replaced."]
