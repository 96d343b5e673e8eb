"""rank0_to_rank1: the result keeps its rank."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rank0_to_rank1 import constant_with_an_axis


@pytest.mark.parametrize("op", ["Add", "Mul", "Pow", "Max"])
def test_a_scalar_constant_gets_an_axis(op):
    assert_rewrites(
        constant_with_an_axis,
        f"g (float[n,3] x) => (float[n,3] z) <float c={{2}}> {{ z = {op}(x, c) }}",
        f"g (float[n,3] x) => (float[n,3] z) <float[1] c={{2}}> {{ z = {op}(x, c) }}",
    )


def test_both_branches_of_a_where():
    assert_rewrites(
        constant_with_an_axis,
        "g (bool[3] c) => (float[3] z) <float a={2}, float b={1}> { z = Where(c, a, b) }",
        "g (bool[3] c) => (float[3] z) <float[1] a={2}, float[1] b={1}> { z = Where(c, a, b) }",
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (float x) => (float z) <float c={2}> { z = Add(x, c) }", "no other operand is known to have an axis"),
        ("g (float[3] x, float y) => (float[3] z) { z = Add(x, y) }", "no operand is a scalar constant"),
    ],
)
def test_declines(before, reason):
    assert_skips(constant_with_an_axis, before, reason)
