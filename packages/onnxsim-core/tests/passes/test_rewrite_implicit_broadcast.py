"""rewrite_implicit_broadcast: operands have the shape of the result."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.rewrite_implicit_broadcast import operands_of_one_shape
from onnxsim_testkit import model

BEFORE = "g (float[2,1] x, float[3] y) => (float[2,3] z) { z = Add(x, y) }"


def test_operands_are_spread():
    assert_rewrites(
        operands_of_one_shape,
        BEFORE,
        "g (float[2,1] x, float[3] y) => (float[2,3] z) <int64[2] s={2,3}, int64[2] t={2,3}> "
        "{ a = Expand(x, s) b = Expand(y, t) z = Add(a, b) }",
    )


def test_they_stay_spread_when_everything_runs():
    result = simplify(model(BEFORE), extra_optimizers=["rewrite_implicit_broadcast"]).model

    assert [node.op_type for node in result.graph.node] == ["Expand", "Expand", "Add"]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (float[n,1] x, float[3] y) => (float[n,3] z) { z = Add(x, y) }", "the sizes of the result are not known"),
        ("g (float[] x, float[3] y) => (float[2,3] z) { z = Add(x, y) }", "an operand's shape is not known"),
        ("g (float[3] x, float[3] y) => (float[3] z) { z = Add(x, y) }", "all operands have the shape of the result"),
    ],
)
def test_declines(before, reason):
    assert_skips(operands_of_one_shape, before, reason)
