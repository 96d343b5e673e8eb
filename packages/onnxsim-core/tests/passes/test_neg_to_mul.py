"""neg_to_mul: signs of zeros, wrapping integers."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.neg_to_mul import product_with_minus_one

NAMES = {"float": np.float32, "double": np.float64, "int32": np.int32, "int64": np.int64, "int8": np.int8}


@pytest.mark.parametrize("name", NAMES)
def test_a_sign_is_a_factor(name):
    x = np.array([0, -0.0, 3, -5, 127, -128], np.float64).astype(NAMES[name])
    assert_rewrites(
        product_with_minus_one,
        f"g ({name}[6] x) => ({name}[6] z) {{ z = Neg(x) }}",
        f"g ({name}[6] x) => ({name}[6] z) <{name} m={{-1}}> {{ z = Mul(x, m) }}",
        feeds={"x": x},
        hazards=False,
    )


def test_skips_what_has_no_type():
    assert_skips(
        product_with_minus_one,
        "g (float[n] x) => (float[n] z) { a = my.Op(x) b = Neg(a) z = my.Op(b) }",
        "the type is not known, or has no Mul",
        domains={"my": 1},
    )


def test_it_is_off_by_default(neg="g (float[2] x) => (float[2] z) { z = Neg(x) }"):
    from onnxsim_testkit import model

    assert simplify(model(neg)).model.graph.node[0].op_type == "Neg"
    assert simplify(model(neg), extra_optimizers=["neg_to_mul"]).model.graph.node[0].op_type == "Mul"
