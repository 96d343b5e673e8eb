"""pow2_to_mul: only exponents of 2 that do not widen."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.pow2_to_mul import square_as_product


@pytest.mark.parametrize(
    ("name", "exponent"), [("float", "float p"), ("double", "int64[1] p"), ("float", "float[1,1] p")]
)
def test_a_square_is_a_product(name, exponent):
    kind = {"float": np.float32, "double": np.float64}[name]
    x = np.array([[0, -0.0, 3], [-5, 1e-30, np.inf]], kind)
    assert_rewrites(
        square_as_product,
        f"g ({name}[2,3] x) => ({name}[2,3] z) <{exponent}={{2}}> {{ z = Pow(x, p) }}",
        f"g ({name}[2,3] x) => ({name}[2,3] z) {{ z = Mul(x, x) }}",
        feeds={"x": x},
        rtol=1e-7,
        hazards=False,
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (int64[3] x) => (int64[3] z) <int64 p={2}> { z = Pow(x, p) }", "the base is no float"),
        ("g (float[3] x) => (float[3] z) <float p={3}> { z = Pow(x, p) }", "the exponent is not 2"),
        ("g (float[3] x, float p) => (float[3] z) { z = Pow(x, p) }", "the exponent is not 2"),
        ("g (float[3] x) => (float[2,3] z) <float[2,1] p={2,2}> { z = Pow(x, p) }", "the exponent widens the result"),
    ],
)
def test_declines(before, reason):
    assert_skips(square_as_product, before, reason)
