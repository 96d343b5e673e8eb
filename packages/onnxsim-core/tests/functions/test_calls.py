"""What calls of local functions give, known before they run."""

from __future__ import annotations

import onnx

from onnxsim_core import ops
from onnxsim_core.functions import calls
from onnxsim_core.functions.calls import CallFacts
from onnxsim_core.infer.engine import Inference
from onnxsim_core.infer.tail import infer_by_schema
from onnxsim_core.ir.read import read_model

ops.load()


def inferred(graph: str, functions: str) -> Inference:
    text = f'<ir_version: 10, opset_import: ["" : 18, "l" : 1]> g {graph} {functions}'
    ctx = Inference(read_model(onnx.parser.parse_model(text)), tail=CallFacts(infer_by_schema))
    ctx.walk(ctx.model.graph)
    return ctx


def facts(ctx: Inference) -> dict[str, tuple[int, str | None]]:
    return {value.name: (value.dtype, None if value.shape is None else str([str(size) for size in value.shape]))
            for node in ctx.model.graph for value in node.outputs}


F = '<domain: "l", opset_import: ["" : 18, "l" : 1]> '


def test_shapes_follow_each_call():
    ctx = inferred("(float[n,3] x, double[4] z) => (float[a] p, double[b] q) { p = l.f<w=[1,0]>(x) q = l.f(z) }",
                   F + "f <w>(x) => (y) { y = Transpose<perm: ints = @w>(x) }")

    assert facts(ctx) == {"p": (1, "['3', 'n']"), "q": (11, "['4']")}


def test_elements_of_sizes_come_out():
    ctx = inferred("(float[n,3] x) => (float[a] y) { s = l.twice(x) y = Expand(x, s) }",
                   F + "twice (x) => (s) { z = Shape(x) one = Constant<value_ints=[2]>() s = Concat<axis=0>(one, z) }")
    (call, _) = ctx.model.graph

    assert [str(size) for size in call.outputs[0].data] == ["2", "n", "3"]
    assert facts(ctx)["y"] == (1, "['2', 'n', '3']")


def test_functions_that_call_functions_and_bodies():
    ctx = inferred("(float[n,3] x, bool c) => (float[a] y) { y = l.f(x, c) }", F + """f (x, c) => (y) {
        y = If (c) <then_branch = t () => (float p) { p = l.h(x) }, else_branch = e () => (float q) { q = Neg(x) }> }
        """ + F + "h (x) => (y) { y = Abs(x) }")

    assert facts(ctx) == {"y": (1, "['n', '3']")}


def test_a_size_that_the_body_makes_is_another_one_in_each_call():
    ctx = inferred("(float[n] x, float[n] z) => (int64[a] p, int64[b] q) { p = l.f(x) q = l.f(z) r = l.f(x) }",
                   F + "f (x) => (y) { y = NonZero(x) }")
    sizes = [node.outputs[0].shape[1] for node in ctx.model.graph]

    assert len(set(sizes)) == 3
    before = facts(ctx)
    ctx.walk(ctx.model.graph)
    assert facts(ctx) == before


def test_equal_calls_share_one_walk(monkeypatch):
    walked = []
    monkeypatch.setattr(calls, "Body", lambda proto, model, real=calls.Body: walked.append(1) or real(proto, model))
    inferred("(float[n] x) => (float[a] y) { a = l.f(x) b = l.f(a) y = l.f(b) }", F + "f (x) => (y) { y = Neg(x) }")

    assert len(walked) == 1


def test_what_is_not_to_be_known_stays_unknown():
    recursive = inferred("(float[n] x) => (float[a] y) { t = l.f(x) y = Neg(t) }", F + "f (x) => (y) { y = l.f(x) }")
    assert facts(recursive)["t"] == (0, None)

    too_many = inferred("(float[n] x) => (float[a] y) { t = l.f(x, x) y = Neg(t) }", F + "f (x) => (y) { y = Neg(x) }")
    assert facts(too_many)["t"] == (0, None)


def test_nested_calls_beyond_measure_come_to_an_end(monkeypatch):
    """Each function calls the next twice, with x and with a larger x: no two of the 2^20 walks are alike."""
    monkeypatch.setattr(calls, "WALKED", 500)
    functions = "".join(F + f"""f{i} (x) => (y) {{ p = Constant<value_ints=[0,{2**i}]>() z = Pad(x, p) a = l.f{i + 1}(x)
                                b = l.f{i + 1}(z) y = Concat<axis=0>(a, b) }} """ for i in range(20))
    ctx = inferred("(float[1] x) => (float[a] y) { y = l.f0(x) }", functions + F + "f20 (x) => (y) { y = Neg(x) }")

    assert ctx.tail.left <= 0


def test_calls_in_calls_are_followed_so_far(monkeypatch):
    functions = "".join(F + f"f{i} (x) => (y) {{ y = l.f{i + 1}(x) }} " for i in range(4)) + F + "f4 (x) => (y) { y = Neg(x) }"
    graph = "(float[3] x) => (float[a] y) { y = l.f0(x) }"

    assert facts(inferred(graph, functions)) == {"y": (1, "['3']")}
    monkeypatch.setattr(calls, "DEEPEST", 4)
    assert facts(inferred(graph, functions))["y"] != (1, "['3']")
