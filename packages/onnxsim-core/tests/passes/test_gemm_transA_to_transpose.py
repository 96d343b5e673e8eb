"""gemm_transA_to_transpose: the Transpose is not taken back."""

import numpy as np
from rewriting import assert_rewrites, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.gemm_transA_to_transpose import transpose_before
from onnxsim_testkit import model

BEFORE = "g (float[3,n] x, float[3,4] b) => (float[n,4] z) { z = Gemm<transA=1, alpha=2.0>(x, b) }"


def test_the_factor_is_transposed_before():
    assert_rewrites(
        transpose_before,
        BEFORE,
        "g (float[3,n] x, float[3,4] b) => (float[n,4] z) { a = Transpose<perm=[1,0]>(x) z = Gemm<alpha=2.0>(a, b) }",
        rtol=1e-6,
    )


def test_the_transpose_stays_when_everything_runs():
    result = simplify(model(BEFORE), extra_optimizers=["gemm_transA_to_transpose"]).model

    assert [node.op_type for node in result.graph.node] == ["Transpose", "Gemm"]


def test_declines():
    assert_skips(
        transpose_before,
        "g (float[n,3] x) => (float[n,4] z) { z = Gemm(x, b) }",
        "the first factor is not transposed",
        initializers={"b": np.ones((3, 4), np.float32)},
    )
