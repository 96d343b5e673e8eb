"""eliminate_identity: a value under another name."""

import numpy as np
import pytest
from onnx import helper, numpy_helper
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_identity import drop_identity
from onnxsim_testkit import assert_same_outputs, model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_identity,
            "g (float[2] x) => (float[2] z) { a = Relu(x) b = Identity(a) z = Neg(b) }",
            "g (float[2] x) => (float[2] z) { a = Relu(x) z = Neg(a) }",
            {},
        ),
        (
            drop_identity,
            "g (float[2] x) => (float[2] z) { a = Relu(x) z = Identity(a) }",
            "g (float[2] x) => (float[2] z) { z = Relu(x) }",
            {},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            drop_identity,
            "g (float[2] x) => (float[2] z) { z = Identity() }",
            "the input is missing",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_an_output_that_is_an_input_keeps_its_identity():
    text = "g (float[2] x) => (float[2] z) { z = Identity(x) }"
    result, driver = apply(drop_identity, text)
    assert driver.changes == 0
    assert [node.op_type for node in result.graph.node] == ["Identity"]


def test_two_outputs_of_one_value_keep_one_identity():
    text = "g (float[2] x) => (float[2] y, float[2] z) { y = Relu(x) z = Identity(y) }"
    result, driver = apply(drop_identity, text)
    assert driver.changes == 0
    assert [node.op_type for node in result.graph.node] == ["Relu", "Identity"]


@pytest.mark.runtime
def test_a_sparse_initializer_becomes_no_output():
    """onnxruntime says of one that it does not exist; onnx's checker takes it for no input of an operator either."""
    original = model("g (float[2,3] x) => (float[2,3] y, float[2,3] z) { a = Identity(s) y = Identity(a) z = Add(x, a) }")
    values = numpy_helper.from_array(np.float32([4, -5]), "s")
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([1, 5])), [2, 3])
    original.graph.sparse_initializer.append(sparse)
    result, driver = apply(drop_identity, original)
    assert driver.changes == 1
    assert [list(node.output) for node in result.graph.node] == [["y"], ["z"]]
    assert_same_outputs(original, result, {"x": np.ones((2, 3), np.float32)}, rtol=0, atol=0)
