"""Shapes of operators that draw numbers, against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge

from onnxsim_core.ops.randomness import FLOAT
from onnxsim_core.ops.registry import KERNELS


@pytest.mark.parametrize(
    ("call", "output", "expected"),
    [
        ("RandomNormal<shape=[2,3]>()", "float", "[2, 3]"),
        ("RandomUniform<shape=[4],dtype=11>()", "double", "[4]"),
        ("RandomNormalLike(x)", "float", "[N, 4]"),
        ("RandomUniformLike<dtype=11>(x)", "double", "[N, 4]"),
        ("Bernoulli(x)", "float", "[N, 4]"),
        ("Bernoulli<dtype=7>(x)", "int64", "[N, 4]"),
        ("Multinomial<sample_size=3>(x)", "int32", "[N, 3]"),
        ("Multinomial<dtype=7>(x)", "int64", "[N, 1]"),
    ],
)
def test_shapes(call: str, output: str, expected: str) -> None:
    text = f"g (float[N,4] x) => ({output}[] y) {{ y = {call} }}"
    assert judge(text, {"x": np.full((2, 4), 0.25, np.float32)}, kernels=False).shape("y") == expected


def test_multinomial_needs_a_matrix() -> None:
    assert facts("g (float[4] x) => (int32[] y) { y = Multinomial(x) }").shape("y") == "?"
    assert facts("g (float[] x) => (int32[] y) { y = Multinomial(x) }").shape("y") == "[_, 1]"


def test_no_draw_has_a_kernel() -> None:
    known = {op_type for _, op_type, _ in KERNELS.registered()}
    assert not known & {
        "RandomNormal",
        "RandomUniform",
        "RandomNormalLike",
        "RandomUniformLike",
        "Bernoulli",
        "Multinomial",
    }
    assert FLOAT == 1
