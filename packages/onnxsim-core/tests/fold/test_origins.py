"""Where constants come from, when initializers are not to count as constants."""

import numpy as np
import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs, model, random_feeds

I64 = np.int64


def ops(text, initializers, **options):
    """Operators left (Constant nodes apart), and the names of the initializers left."""
    proto = model(text, initializers=initializers)
    result = simplify(proto, initializers_as_constants=False, **options).model
    onnx.checker.check_model(result, full_check=True)
    feeds = random_feeds(proto, seed=0)
    assert_same_outputs(proto, result, feeds, rtol=1e-6, atol=1e-6)
    return [n.op_type for n in result.graph.node if n.op_type != "Constant"], {t.name for t in result.graph.initializer}


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        (
            "g (float[3,2] x) => (float[3,2] z) { d = Transpose(w) z = MatMul(x, d) }",
            {"w": np.ones((2, 2), np.float32)},
        ),
        (
            "g (float[3] x) => (float[3] z) { d = Add(w, v) z = Mul(x, d) }",
            {"w": np.ones(3, np.float32), "v": np.full(3, 2, np.float32)},
        ),
        (
            "g (float[6] x) => (int64[2] y, float[6] z) { y = Shape(w) z = Relu(x) }",
            {"w": np.zeros((2, 3), np.float32)},
        ),
        (
            "g (float[6] x) => (float[2,3] y) { t = Add(a, b) y = Reshape(x, t) }",
            {"a": np.array([1, 1], I64), "b": np.array([1, 2], I64)},
        ),
    ],
)
def test_nothing_that_is_rooted_in_initializers_alone_folds(text, weights):
    proto = model(text, initializers=weights)
    left, names = ops(text, weights)

    assert left == [node.op_type for node in proto.graph.node] and names == set(weights)


def test_initializers_and_constant_nodes_together_do_not_fold_either():
    text = """g (float[3] x) => (float[3] z) {
        c = Constant<value_floats=[1.0, 2.0, 3.0]>() d = Mul(c, w) z = Add(x, d) }"""

    assert ops(text, {"w": np.ones(3, np.float32)}) == (["Mul", "Add"], {"w"})


def test_constant_nodes_fold_and_stay_constant_nodes():
    """A second run must know them from the initializers."""
    text = """g (float[3] x) => (float[3] z) {
        c = Constant<value_floats=[1.0, 2.0, 3.0]>() d = Mul(c, c) e = Mul(x, w) z = Add(e, d) }"""
    proto = model(text, initializers={"w": np.full(3, 2, np.float32)})
    once = simplify(proto, initializers_as_constants=False)

    assert [n.op_type for n in once.model.graph.node] == ["Constant", "Mul", "Add"]
    assert once.report.nodes_after == 2, "Constant nodes are no nodes in the report, before or after"
    assert simplify(once.model, initializers_as_constants=False).model == once.model


def test_shape_arithmetic_folds_through_indices_that_are_initializers():
    text = """g (float[2,3,4] x) => (float[2,12] y) {
        s = Shape(x) a = Gather(s, i) b = Unsqueeze(a, z) t = Concat<axis=0>(b, m) y = Reshape(x, t) }"""

    assert ops(text, {"i": np.array(0, I64), "z": np.array([0], I64), "m": np.array([-1], I64)}) == (["Reshape"], set())


def test_fusions_that_bake_weights_are_off():
    text = """g (float[1,2,4,4] x) => (float[1,2,4,4] z) {
        y = Conv(x, w) z = BatchNormalization(y, s, s, s, s) }"""
    weights = {"w": np.ones((2, 2, 1, 1), np.float32), "s": np.ones(2, np.float32)}

    assert ops(text, weights) == (["Conv", "BatchNormalization"], {"w", "s"})


def test_weights_stay_when_they_do_nothing_yet_or_are_the_same():
    text = "g (float[3] x) => (float[3] z) { d = Mul(x, w) z = Mul(d, v) }"
    ones = {"w": np.ones(3, np.float32), "v": np.ones(3, np.float32)}

    assert ops(text, ones) == (["Mul", "Mul"], {"w", "v"})


def test_weights_of_a_branch_that_is_taken_stay_weights():
    text = """g (float[3] x) => (float[3] z) {
        c = Constant<value = bool {1}>()
        z = If(c) <then_branch = t () => (float[3] a) <float[3] w = {1, 2, 3}> { n = Exp(w) a = Add(x, n) },
                   else_branch = e () => (float[3] b) { b = Neg(x) }> }"""
    left, names = ops(text, {})

    assert left == ["Exp", "Add"] and len(names) == 1


def test_overridable_initializers_stay_inputs():
    proto = model(
        "g (float[3] x, float[3] w) => (float[3] z) { z = Mul(x, w) }", initializers={"w": np.ones(3, np.float32)}
    )
    result = simplify(proto, initializers_as_constants=False, mutable_initializer=True).model

    assert [v.name for v in result.graph.input] == ["x", "w"] and [t.name for t in result.graph.initializer] == ["w"]
