"""Other names inside a model, and the comparison that is left of it without names."""

import numpy as np

from onnxsim_testkit import model, run
from onnxsim_testkit.fuzzing.growing import bodies
from onnxsim_testkit.fuzzing.renaming import all_graphs, outline, renamed

NESTED = """g (float[2] x, bool c) => (float[2] y) <float[2] k = {1, 2}> {
    [first] a = Mul(x, k)
    [choice] y = If(c) <
        then_branch = t () => (float[2] p) <float[2] k2 = {3, 4}> { q = Add(a, k2) p = Clip(q, , ten) },
        else_branch = e () => (float[2] r) { r = Neg(a) }>
}"""
FEEDS = {"x": np.float32([5, -6]), "ten": np.array(10, np.float32)}


def nested():
    return model(NESTED.replace("bool c)", "bool c, float ten)"), opset=17)


def names_in(proto):
    return {name for graph in all_graphs(proto.graph) for node in graph.node for name in (*node.input, *node.output)}


def test_bodies_and_what_they_read_from_around_are_renamed_alike():
    original, other = nested(), renamed(nested(), 1)

    assert names_in(other) & names_in(original) == {"x", "c", "ten", "y", ""}
    for c in (True, False):
        feeds = {**FEEDS, "c": np.array(c)}
        wanted = [8, -8] if c else [-5, 12]
        assert run(original, feeds)["y"].tolist() == run(other, feeds)["y"].tolist() == wanted


def test_nodes_constants_and_body_outputs_get_other_names():
    other = renamed(nested(), 1)
    branches = list(bodies(other.graph.node[1]))

    assert not {"first", "choice"} & {node.name for node in other.graph.node}
    assert all(node.name for node in other.graph.node)
    assert other.graph.initializer[0].name == other.graph.node[0].input[1] != "k"
    assert {branch.output[0].name for branch in branches}.isdisjoint({"p", "r"})
    assert "k2" not in {tensor.name for branch in branches for tensor in branch.initializer}


def test_a_seed_gives_names_and_another_seed_others():
    once, again, other = (names_in(renamed(nested(), seed)) for seed in (1, 1, 2))

    assert once == again != other


def test_the_callers_model_keeps_its_names():
    original = nested()
    renamed(original, 1)

    assert original == nested()


def test_an_outline_tells_operators_inputs_and_bodies():
    def of(body, domains=None):
        return outline(model(f"g (float[2] x, bool c) => (float[2] y) {{ {body} }}", opset=17, domains=domains))

    plain = of("a = Neg(x) y = Clip(a)")
    assert plain == [":Clip/1/1", ":Neg/1/1"]
    assert of("b = Neg(x) y = Clip(b)") == plain
    assert of("a = Neg(x) y = Clip(a, , a)") != plain
    assert of("a = other.Neg(x) y = Clip(a)", {"other": 1}) != plain
    branch = "y = If(c) <then_branch = t () => (float[2] p) {{ p = {}(x) }}, else_branch = e () => (float[2] r) {{ r = {}(x) }}>"
    assert of(branch.format("Neg", "Abs")) == [":If/1/1", ":Neg/1/1", ":Abs/1/1"]
    assert of(branch.format("Abs", "Abs")) != of(branch.format("Neg", "Abs"))
