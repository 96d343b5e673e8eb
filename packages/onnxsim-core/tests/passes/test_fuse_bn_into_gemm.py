"""fuse_bn_into_gemm: the matrix, alpha and beta, and a MatMul that becomes a Gemm."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_bn_into_gemm import gemm_with_batchnorm

BOUND = {"rtol": 1e-5, "atol": 2e-6}
STATS = {"s": drawn(3, seed=1), "t": drawn(3, seed=2), "m": drawn(3, seed=3), "v": drawn(3, seed=4, low=0.5, high=2)}
SCALE = STATS["s"] / np.sqrt(STATS["v"].astype(np.float64) + float(np.float32(1e-5)))
SHIFT = STATS["t"] - STATS["m"] * SCALE
W, B = drawn(5, 3), drawn(3, seed=5)


def before(layer: str, x: str = "float[n,5] x") -> str:
    return f"g ({x}) => (float[n,3] z) {{ y = {layer} z = BatchNormalization(y, s, t, m, v) }}"


def after(layer: str, x: str = "float[n,5] x") -> str:
    return f"g ({x}) => (float[n,3] z) {{ z = {layer} }}"


def single(array: np.ndarray) -> np.ndarray:
    return array.astype(np.float32)


def test_gemm_with_bias():
    assert_rewrites(
        gemm_with_batchnorm,
        given(before("Gemm(x, w, b)"), w=W, b=B, **STATS),
        given(after("Gemm(x, w, b)"), w=single(W * SCALE), b=single(B * SCALE + SHIFT)),
        **BOUND,
    )


def test_alpha_stays_and_beta_goes_into_the_bias():
    assert_rewrites(
        gemm_with_batchnorm,
        given(before("Gemm<alpha=0.5, beta=2.0>(x, w, b)"), w=W, b=B, **STATS),
        given(after("Gemm<alpha=0.5>(x, w, b)"), w=single(W * SCALE), b=single(2 * B * SCALE + SHIFT)),
        **BOUND,
    )


def test_transposed_factors_without_bias():
    assert_rewrites(
        gemm_with_batchnorm,
        given(before("Gemm<transA=1, transB=1>(x, w)", "float[5,n] x"), w=W.T, **STATS),
        given(
            after("Gemm<transA=1, transB=1>(x, w, b)", "float[5,n] x"),
            w=single(W.T * SCALE.reshape(3, 1)),
            b=single(SHIFT),
        ),
        **BOUND,
    )


@pytest.mark.parametrize("dims", [(), (1,), (1, 1), (1, 3)])
def test_every_bias_a_gemm_takes(dims):
    b = drawn(*dims, seed=6)
    assert_rewrites(
        gemm_with_batchnorm,
        given(before("Gemm(x, w, b)"), w=W, b=b, **STATS),
        given(after("Gemm(x, w, b)"), w=single(W * SCALE), b=single(b * SCALE + SHIFT)),
        **BOUND,
    )


def test_a_matmul_of_matrices_becomes_a_gemm():
    assert_rewrites(
        gemm_with_batchnorm,
        given(before("MatMul(x, w)"), w=W, **STATS),
        given(after("Gemm(x, w, b)"), w=single(W * SCALE), b=single(SHIFT)),
        **BOUND,
    )


def test_skips_a_matmul_whose_columns_are_no_channels():
    """BatchNormalization counts channels along axis 1; the last axis is another one."""
    assert_skips(
        gemm_with_batchnorm,
        given(
            """g (float[2,3,5] x) => (float[2,3,3] z) {
        y = MatMul(x, w) z = BatchNormalization(y, s, t, m, v) }""",
            w=W,
            **STATS,
        ),
        "the result is no matrix with as many columns",
    )


def test_skips_a_bias_that_is_an_input():
    assert_skips(
        gemm_with_batchnorm,
        given(before("Gemm(x, w, b)", "float[n,5] x, float[3] b"), w=W, **STATS),
        "the bias is not a constant",
    )


def test_skips_a_matrix_that_is_an_input():
    assert_skips(
        gemm_with_batchnorm,
        given(before("Gemm(x, w)", "float[n,5] x, float[5,3] w"), **STATS),
        "the weight is not a constant",
    )


def test_skips_other_producers():
    assert_skips(
        gemm_with_batchnorm, given(before("Relu(x)", "float[n,3] x"), **STATS), "no operand is made by such a layer"
    )


def test_skips_training_mode():
    assert_skips(
        gemm_with_batchnorm,
        given(
            """g (float[n,5] x) => (float[n,3] z) {
                y = Gemm(x, w) z, a, b = BatchNormalization<training_mode=1>(y, s, t, m, v) }""",
            w=W,
            **STATS,
        ),
        "it is in training mode",
    )


def test_skips_a_large_bias_per_row():
    """[M, 1] times one scale per column is [M, N]."""
    columns, rows = 1 << 9, 1 << 12
    stats = {name: np.ones(columns, np.float32) * (1 + place) for place, name in enumerate(STATS)}
    text = f"""g (float[{rows},2] x) => (float[{rows},{columns}] z) {{
        y = Gemm(x, w, b) z = BatchNormalization(y, s, t, m, v) }}"""
    assert_skips(
        gemm_with_batchnorm,
        text,
        "the new bias would make the model grow",
        initializers={"w": drawn(2, columns), "b": drawn(rows, 1), **stats},
    )


def test_skips_a_vector_times_a_stack_of_matrices():
    """The result is a matrix, but Gemm takes no vector and no stack."""
    text = "g (float[5] x) => (float[2,3] z) { y = MatMul(x, w) z = BatchNormalization(y, s, t, m, v) }"
    assert_skips(gemm_with_batchnorm, given(text, w=drawn(2, 5, 3), **STATS), "the factors are no matrices")
