"""eliminate_identity: a value under another name."""

import pytest
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_identity import drop_identity


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
