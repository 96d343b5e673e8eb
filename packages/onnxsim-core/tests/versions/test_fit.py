"""Downwards without a step: what a node must not use."""

import numpy as np
import pytest
from onnx import helper
from opsets import assert_converts, assert_refused

from onnxsim_core.ir.formal import newest
from onnxsim_core.versions.fit import is_neutral, means_the_same


@pytest.mark.parametrize(("source", "target", "before", "after"), [
    (14, 7, "g (float[2] x) => (float[2] y) { y = Relu(x) }", "g (float[2] x) => (float[2] y) { y = Relu(x) }"),
    (19, 13, "g (float[2] x) => (int32[2] y) { y = Cast<to=6, saturate=1>(x) }",
     "g (float[2] x) => (int32[2] y) { y = Cast<to=6>(x) }"),
    (11, 8, "g (float[1,1,4,4] x) => (float[1,1,3,3] y) "
            "{ y = MaxPool<kernel_shape=[2,2], dilations=[1,1], ceil_mode=0>(x) }",
     "g (float[1,1,4,4] x) => (float[1,1,3,3] y) { y = MaxPool<kernel_shape=[2,2]>(x) }"),
])
def test_additions_that_are_not_used(source, target, before, after):
    assert_converts(before, after, source=source, target=target)


@pytest.mark.parametrize(("source", "target", "reason", "before"), [
    (14, 13, "version 13 does not take tensor(int8) as input 0", "g (int8[2] x) => (int8[2] y) { y = Add(x, x) }"),
    (10, 8, "the attribute dilations is new in version 10",
     "g (float[1,1,5,5] x) => (float[1,1,3,3] y) { y = MaxPool<kernel_shape=[2,2], dilations=[2,2]>(x) }"),
    (12, 11, "the attribute select_last_index is new in version 12",
     "g (float[2] x) => (int64[1] y) { y = ArgMax<select_last_index=1>(x) }"),
    (19, 18, "mode=wrap is new in version 19",
     "g (float[2] x, int64[2] p) => (float[n] y) { y = Pad<mode=\"wrap\">(x, p) }"),
     (18, 16, "reduction=max is new in version 18",
     "g (float[2] x, int64[1,1] i, float[1] u) => (float[2] y) { y = ScatterND<reduction=\"max\">(x, i, u) }"),
    (8, 7, "version 1 has other inputs or outputs",
     "g (float[1,1,4,4] x) => (float[1,1,3,3] y, int64[1,1,3,3] i) { y, i = MaxPool<kernel_shape=[2,2]>(x) }"),
    (11, 10, "version 10 does not take tensor(int64) as input 0",
     "g (int64[4] x, int64[1] k) => (int64[n] y, int64[n] i) { y, i = TopK(x, k) }"),
    (9, 8, "the operator is new in opset 9, and nothing defines it by older ones",
     "g (float[2] x) => (float[2] y) { y = Erf(x) }"),
])
def test_additions_that_are_used(source, target, reason, before):
    assert_refused(before, reason, source=source, target=target)


def test_neutral_values():
    assert is_neutral("dilations", (1, 1), None) and not is_neutral("dilations", (1, 2), None)
    assert is_neutral("saturate", 0, 1) and is_neutral("ceil_mode", 0, 0)
    assert not is_neutral("ceil_mode", 1, 0) and not is_neutral("end", 1, None)


@pytest.mark.parametrize(("node", "opset", "other", "same"), [
    (helper.make_node("Relu", ["x"], ["y"]), 18, 11, True),
    (helper.make_node("Softmax", ["x"], ["y"]), 18, 11, False),
    (helper.make_node("Softmax", ["x"], ["y"]), 13, 21, True),
    (helper.make_node("Gelu", ["x"], ["y"]), 20, 18, False),
    (helper.make_node("Cast", ["x"], ["y"], to=1), 21, 9, True),
    (helper.make_node("Cast", ["x"], ["y"], to=1, saturate=0), 21, 9, False),
    (helper.make_node("Squeeze", ["x", "a"], ["y"]), 13, 11, False),
])
def test_nodes_that_mean_the_same_in_two_operator_sets(node, opset, other, same):
    assert means_the_same(node, opset, other) is same


def test_nothing_is_known_of_operator_sets_after_the_newest():
    relu = helper.make_node("Relu", ["x"], ["y"])
    assert means_the_same(relu, newest() - 1, newest())
    assert not means_the_same(relu, newest(), newest() + 1) and not means_the_same(relu, newest() + 1, newest())
    assert means_the_same(relu, newest() + 1, newest() + 1)


def test_types_at_the_edge_of_a_step():
    arrays = {"i": np.array([[1, 0]]), "u": np.array([[5, 6]], np.int8)}
    assert_converts("g (int8[2,2] x) => (int8[2,2] y) { y = ScatterElements(x, i, u) }",
                    """g (int8[2,2] x) => (int8[2,2] y) <int64[1,2] i = {1,0}, int8[1,2] u = {5,6}>
                       { y = Scatter(x, i, u) }""", source=13, target=10, initializers=arrays)
