"""fuse_affine_into_gemm: scales and shifts of columns, alpha and beta of matrices that are not constant."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_affine_into_gemm import affine_gemm

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W, B, C = drawn(5, 3), drawn(3, seed=5), drawn(3, seed=6, low=0.5, high=2)


def before(tail: str, layer: str = "Gemm(x, w, b)", inputs: str = "float[m,5] x") -> str:
    return f"g ({inputs}) => (float[m,3] z) {{ y = {layer} {tail} }}"


def after(layer: str = "Gemm(x, w, b)", inputs: str = "float[m,5] x") -> str:
    return f"g ({inputs}) => (float[m,3] z) {{ z = {layer} }}"


@pytest.mark.parametrize("dims", [(3,), (1, 3)])
def test_a_factor_per_column(dims):
    assert_rewrites(
        affine_gemm,
        given(before("z = Mul(y, c)"), w=W, b=B, c=C.reshape(dims)),
        given(after(), w=W * C, b=B * C),
        **BOUND,
    )


def test_a_transposed_matrix():
    assert_rewrites(
        affine_gemm,
        given(before("z = Div(y, c)", "Gemm<transB=1>(x, w, b)"), w=W.T, b=B, c=C),
        given(after("Gemm<transB=1>(x, w, b)"), w=W.T / C.reshape(3, 1), b=B / C),
        **BOUND,
    )


def test_a_shift_per_column_meets_beta():
    assert_rewrites(
        affine_gemm,
        given(before("z = Sub(y, c)", "Gemm<alpha=2.0, beta=0.5>(x, w, b)"), w=W, b=B, c=C),
        given(after("Gemm<alpha=2.0>(x, w, b)"), w=W, b=B / 2 - C),
        **BOUND,
    )


def test_a_shift_makes_a_bias():
    assert_rewrites(
        affine_gemm,
        given(before("z = Add(y, c)", "Gemm(x, w)"), w=W, c=np.full((1, 1), 0.5, np.float32)),
        given(after(), w=W, b=np.full(3, 0.5, np.float32)),
        **BOUND,
    )


def test_what_is_subtracted_from_turns_the_sign():
    assert_rewrites(affine_gemm, given(before("z = Sub(c, y)"), w=W, b=B, c=C), given(after(), w=-W, b=C - B), **BOUND)


def test_one_factor_of_matrices_that_are_inputs_goes_into_alpha_and_beta():
    inputs = "float[m,5] x, float[5,3] w, float[m,3] b"
    assert_rewrites(
        affine_gemm,
        given(before("z = Mul(y, c)", "Gemm<alpha=2.0>(x, w, b)", inputs), c=np.float32(0.125)),
        after("Gemm<alpha=0.25, beta=0.125>(x, w, b)", inputs),
        **BOUND,
    )


def test_a_constant_matrix_and_a_bias_that_is_an_input():
    inputs = "float[m,5] x, float[m,3] b"
    assert_rewrites(
        affine_gemm,
        given(before("z = Neg(y)", inputs=inputs), w=W),
        given(after("Gemm<beta=-1.0>(x, w, b)", inputs), w=-W),
        **BOUND,
    )


@pytest.mark.parametrize(
    ("dims", "shape"), [((4, 1), "[4,3]"), ((3, 1), "[3,3]"), ((1, 1, 3), "[]"), ((4, 3), "[4,3]")]
)
def test_skips_rows_and_higher_ranks(dims, shape):
    """[3, 1] scales rows though there are 3 columns."""
    rows = shape[1] if len(shape) > 2 else "4"
    text = f"g (float[{rows},5] x) => (float{shape} z) {{ y = Gemm(x, w, b) z = Mul(y, c) }}"
    assert_skips(
        affine_gemm, given(text, w=W, b=B, c=drawn(*dims)), "the constant does not run along the output channels"
    )


def test_skips_a_constant_that_widens_one_column():
    text = "g (float[4,5] x) => (float[4,3] z) { y = Gemm(x, w) z = Mul(y, c) }"
    assert_skips(affine_gemm, given(text, w=drawn(5, 1), c=C), "the constant does not run along the output channels")


@pytest.mark.parametrize("tail", ["z = Add(y, c)", "z = Mul(y, c)"])
def test_skips_a_bias_that_is_an_input(tail):
    assert_skips(
        affine_gemm, given(before(tail, inputs="float[m,5] x, float[3] b"), w=W, c=C), "the bias is not a constant"
    )


def test_skips_a_matrix_that_is_an_input():
    assert_skips(
        affine_gemm,
        given(before("z = Mul(y, c)", inputs="float[m,5] x, float[5,3] w"), b=B, c=C),
        "the weight is not a constant",
    )


@pytest.mark.parametrize("factor", [1e30, 1e-30])
def test_skips_scales_alpha_should_not_hold(factor):
    assert_skips(
        affine_gemm,
        given(before("z = Mul(y, c)", inputs="float[m,5] x, float[5,3] w"), b=B, c=np.float32(factor)),
        "the scale is too large or too small",
    )


def test_skips_opsets_whose_gemm_does_not_broadcast():
    assert_skips(
        affine_gemm,
        given(
            "g (float[4,5] x) => (float[4,3] z) { y = Gemm(x, w, b) z = Mul(y, c) }",
            w=W,
            b=drawn(4, 3),
            c=np.full((4, 3), 2, np.float32),
        ),
        "Gemm broadcasts its bias from opset 7 on",
        opset=6,
    )


@pytest.mark.parametrize(("a", "b"), [("w", "b"), ("v", "b"), ("w", "c")])
def test_skips_a_double_that_alpha_and_beta_cannot_hold(a, b):
    """They are float32, in which 0.1 is off by 1e-8."""
    inputs = "double[m,5] x, double[5,3] w, double[m,3] b"
    arrays = {"v": drawn(5, 3, dtype="float64"), "c": drawn(3, dtype="float64"), "k": np.float64(0.1)}
    text = f"g ({inputs}) => (double[m,3] z) {{ y = Gemm(x, {a}, {b}) z = Mul(y, k) }}"
    assert_skips(affine_gemm, given(text, **arrays), "alpha or beta has too few digits")


def test_a_double_that_alpha_holds():
    inputs = "double[m,5] x, double[5,3] w"
    assert_rewrites(
        affine_gemm,
        given(f"g ({inputs}) => (double[m,3] z) {{ y = Gemm(x, w) z = Mul(y, k) }}", k=np.float64(0.375)),
        f"g ({inputs}) => (double[m,3] z) {{ z = Gemm<alpha=0.375>(x, w) }}",
        rtol=1e-14,
        atol=1e-14,
    )


def test_skips_integers():
    text = "g (int32[m,5] x, int32[5,3] w) => (int32[m,3] z) { y = Gemm(x, w) z = Div(y, k) }"
    assert_skips(affine_gemm, given(text, k=np.int32(2)), "the weight is not of a float type")
