import itertools
import random

import numpy as np
import pytest

from onnxsim_core.ir.read import read_model
from onnxsim_core.profile.memory import lifetimes, peak_memory, plan_memory
from onnxsim_core.report.facts import infer
from onnxsim_testkit import model, random_model


def ir(proto, **options):
    made = read_model((model(proto, **options) if isinstance(proto, str) else proto).SerializeToString())
    infer(made)
    return made


CHAIN = "g (float[256] x) => (float[256] y) { a = Relu(x) b = Relu(a) c = Relu(b) y = Relu(c) }"
DIAMOND = "g (float[256] x) => (float[256] y) { a = Relu(x) b = Exp(x) y = Add(a, b) }"


def test_lifetimes():
    found = {one.value.name: (one.first, one.last) for one in lifetimes(ir(DIAMOND).graph)}

    assert found == {"x": (-1, 1), "a": (0, 2), "b": (1, 2), "y": (2, 3)}


@pytest.mark.parametrize(("text", "tensors"), [(CHAIN, 2), (DIAMOND, 3)])
def test_the_peak_is_what_lives_together(text, tensors):
    assert peak_memory(ir(text)).size == tensors * 1024


def test_weights_are_no_activations():
    made = ir("g (float[256] x) => (float[256] y) { y = Add(x, w) }", initializers={"w": np.ones(256, np.float32)})

    assert peak_memory(made).size == 2 * 1024


def test_an_unused_result_lives_while_its_node_runs():
    made = ir("g (float[4] x) => (float[2] y) { y, z = Split<axis=0>(x, s) }",
              initializers={"s": np.array([2, 2])})

    assert peak_memory(made).size == 16 + 8 + 8


def test_symbolic_sizes_give_the_formula_of_the_busiest_moment():
    made = ir("g (float[n,4] x) => (float[n,4] y) { a = Relu(x) y = Concat<axis=0>(a, a) z = Relu(a) }")

    assert str(peak_memory(made).size) == "64*n"  # a, the output of twice its size, and z while it is made


def test_sizes_without_a_name_make_it_incomplete():
    made = ir("g (float[n] x) => (int64[1,m] y) { a = Relu(x) y = NonZero(a) }")
    peak = peak_memory(made)

    assert not peak.complete


def test_the_largest_body_counts_while_its_node_runs():
    text = """g (bool c, float[256] x) => (float[256] y) {
        y = If (c) <then_branch = t () => (float[256] a) { p = Relu(x) q = Exp(x) a = Add(p, q) },
                    else_branch = e () => (float[256] b) { b = Relu(x) }> }"""

    # The condition (1 byte), x, the result, and the three of the larger branch.
    assert peak_memory(ir(text)).size == 1 + 5 * 1024


def assert_no_overlap(made):
    plan = plan_memory(made)
    spans = {one.value.name: one for one in lifetimes(made.graph)}
    for one, other in itertools.combinations(plan.tensor_offsets, 2):
        together = spans[one].first <= spans[other].last and spans[other].first <= spans[one].last
        (start, size), (begin, length) = plan.tensor_offsets[one], plan.tensor_offsets[other]
        assert not together or start + size <= begin or begin + length <= start, (one, other)
    return plan


def test_a_plan_reuses_what_is_free():
    plan = assert_no_overlap(ir(CHAIN))

    assert plan.arena_bytes == 2 * 1024 and plan.naive_bytes == 5 * 1024
    assert plan.unplanned == []


@pytest.mark.parametrize("seed", range(6))
def test_a_plan_never_overlaps_and_holds_the_peak(seed):
    made = ir(random_model(random.Random(seed))[0])
    plan = assert_no_overlap(made)
    peak = peak_memory(made).size

    assert all(offset + size <= plan.arena_bytes for offset, size in plan.tensor_offsets.values())
    assert not isinstance(peak, int) or plan.unplanned or peak <= plan.arena_bytes


def test_symbolic_values_are_not_planned():
    plan = plan_memory(ir("g (float[n] x) => (float[n] y) { y = Relu(x) }"))

    assert plan.unplanned == ["x", "y"] and plan.arena_bytes == 0


def test_bodies_are_planned_by_themselves():
    text = """g (bool c, float[256] x) => (float[256] y) {
        y = If (c) <then_branch = t () => (float[256] a) { p = Relu(x) a = Exp(p) },
                    else_branch = e () => (float[256] b) { b = Relu(x) }> }"""
    plan = plan_memory(ir(text))

    assert plan.subgraph_reserved_bytes == 2 * 1024
    assert {key: inner.arena_bytes for key, inner in plan.subgraph_plans.items()} == {
        "y.then_branch": 2048, "y.else_branch": 1024}
    assert plan.arena_bytes == 64 + 4 * 1024  # the condition takes a whole line
