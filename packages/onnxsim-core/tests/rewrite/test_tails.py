"""What follows a layer, read as scale and shift."""

import numpy as np
import pytest
from inferred import Inferred
from weights import drawn

from onnxsim_core.ir.tensors import from_array
from onnxsim_core.rewrite import tails
from onnxsim_core.rewrite.layers import CONVOLUTIONS
from onnxsim_core.rewrite.rule import Skip

W, C = drawn(4, 3, 2), np.array([1, 2, 4, -8], np.float32)


def graph(body: str, **arrays: np.ndarray) -> Inferred:
    return Inferred(f"g (float[2,3,5] x) => (float[] z) {{ y = Conv(x, w) {body} }}", w=W, **arrays)


@pytest.mark.parametrize(
    ("body", "scale", "shift"),
    [
        ("z = Mul(y, c)", C, None),
        ("z = Div(y, c)", 1 / C, None),
        ("z = Neg(y)", [-1], None),
        ("z = Add(c, y)", None, C),
        ("z = Sub(y, c)", None, -C),
        ("z = Sub(c, y)", [-1], C),
    ],
)
def test_tail(body, scale, shift):
    found = graph(body, c=C.reshape(4, 1)) if "c" in body.replace("Mul", "") else graph(body)
    layer, found_scale, found_shift = tails.tail(found.nodes["z"], CONVOLUTIONS)
    assert layer is found.nodes["y"]
    for got, wanted in ((found_scale, scale), (found_shift, shift)):
        assert (got is None) == (wanted is None)
        if wanted is not None:
            assert got.dtype == np.float64
            np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize(
    ("body", "first"), [("z = Sub(c, y)", True), ("z = Sub(y, c)", False), ("z = Sub(y, y)", None)]
)
def test_operand_and_constant(body, first):
    found = graph(body, c=C.reshape(4, 1))
    result = tails.operand_and_constant(found.nodes["z"])
    wanted = None if first is None else (found.values["y"], found.values["c"], first)
    assert result == wanted


@pytest.mark.parametrize(
    ("a", "b", "is_no_larger"),
    [
        ((), (3,), True),
        ((3,), (3,), True),
        ((3, 1), (4,), False),
        ((3,), (4,), False),
        ((1, 3), (3,), True),
        ((1 << 19,), (), False),
    ],
)
def test_is_no_larger(a, b, is_no_larger):
    assert tails.is_no_larger(from_array(np.zeros(a)), from_array(np.zeros(b))) == is_no_larger


def test_a_constant_whose_axis_an_attribute_tells_is_not_looked_at():
    found = Inferred("g (float[4,4] x) => (float[] z) { z = Mul<broadcast=1, axis=0>(x, c) }", opset=6, c=C)
    assert tails.operand_and_constant(found.nodes["z"]) is None


def test_batchnorm_tail():
    parameters = {
        "s": drawn(4, seed=1),
        "t": drawn(4, seed=2),
        "m": drawn(4, seed=3),
        "v": drawn(4, seed=4, low=0.5, high=2),
    }
    found = graph("z = BatchNormalization<epsilon=0.25>(y, s, t, m, v)", **parameters)
    scale, shift = tails.batchnorm_tail(found.nodes["z"], 17)
    s, t, m, v = (array.astype(np.float64) for array in parameters.values())
    np.testing.assert_allclose(scale, s / np.sqrt(v + 0.25), rtol=1e-15)
    np.testing.assert_allclose(shift, t - m * s / np.sqrt(v + 0.25), rtol=1e-13)
    assert isinstance(tails.batchnorm_tail(found.nodes["z"], 6), Skip)
