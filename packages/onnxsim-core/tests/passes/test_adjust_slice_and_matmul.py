"""adjust_slice_and_matmul: rows and stacks move, columns do not."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes import catalog
from onnxsim_core.passes.adjust_slice_and_matmul import product_of_slice

W = drawn(4, 5)
BODY = "{ y = MatMul(x, w) z = Slice(y, s, e, a) }"


def parameters(axis: int) -> dict[str, np.ndarray]:
    return {"s": np.array([1]), "e": np.array([3]), "a": np.array([axis])}


@pytest.mark.parametrize(("axis", "result"), [(1, "n,2,5"), (-2, "n,2,5"), (-3, "k,8,5")])
def test_rows(axis, result):
    head = f"g (float[n,8,4] x) => (float[{result}] z)"
    assert_rewrites(
        product_of_slice,
        given(head + BODY, w=W, **parameters(axis)),
        given(head + "{ y = Slice(x, s, e, a) z = MatMul(y, w) }", w=W, **parameters(axis)),
        rtol=1e-6,
        atol=1e-6,
    )


def test_axes_as_attribute():
    head = "g (float[3,8,4] x, float[4,5] w) => (float[3,2,5] z)"
    assert_rewrites(
        product_of_slice,
        head + "{ y = MatMul(x, w) z = Slice<starts=[1], ends=[3], axes=[1]>(y) }",
        head + "{ y = Slice<starts=[1], ends=[3], axes=[1]>(x) z = MatMul(y, w) }",
        opset=9,
        rtol=1e-6,
        atol=1e-6,
    )


def test_it_is_off_by_default():
    assert not catalog.CATALOG["adjust_slice_and_matmul"].default


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("the input is not made by a MatMul", "g (float[3,8,4] x) => (float[] z) { y = Abs(x) z = Slice(y, s, e, a) }"),
        ("the product has other readers", "g (float[3,8,4] x) => (float[] z, float[3,8,5] y)" + BODY),
        (
            "the second factor is no matrix",
            "g (float[3,8,4] x, float[3,4,5] v) => (float[] z) { y = MatMul(x, v) z = Slice(y, s, e, a) }",
        ),
        ("the second factor is no matrix", "g (float[4] x) => (float[] z)" + BODY),
        (
            "it cuts columns, or axes that are not known",
            "g (float[3,8,4] x, int64[1] b) => (float[] z) { y = MatMul(x, w) z = Slice(y, s, e, b) }",
        ),
    ],
)
def test_skips(reason, text):
    assert_skips(product_of_slice, given(text, w=W, **parameters(0)), reason)


@pytest.mark.parametrize("axis", [2, -1])
def test_skips_columns(axis):
    assert_skips(
        product_of_slice,
        given("g (float[3,8,4] x) => (float[] z)" + BODY, w=W, **parameters(axis)),
        "it cuts columns, or axes that are not known",
    )
