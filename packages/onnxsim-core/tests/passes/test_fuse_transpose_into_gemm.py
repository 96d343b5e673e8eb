"""fuse_transpose_into_gemm: transA and transB in all four states."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_transpose_into_gemm import gemm_of_transposed

BOUND = {"rtol": 1e-5, "atol": 1e-6}


@pytest.mark.parametrize("before", [0, 1])
def test_first_factor(before):
    shape = "float[3,4] a" if before else "float[4,3] a"
    assert_rewrites(
        gemm_of_transposed,
        f"""g ({shape}, float[4,5] b) => (float[3,5] z) {{
            t = Transpose<perm=[1,0]>(a) z = Gemm<transA={before}, alpha=0.5>(t, b) }}""",
        f"g ({shape}, float[4,5] b) => (float[3,5] z) {{ z = Gemm<transA={1 - before}, alpha=0.5>(a, b) }}",
        **BOUND,
    )


@pytest.mark.parametrize("before", [0, 1])
def test_second_factor(before):
    shape = "float[4,5] b" if before else "float[5,4] b"
    assert_rewrites(
        gemm_of_transposed,
        f"""g (float[3,4] a, {shape}, float[5] c) => (float[3,5] z) {{
            t = Transpose(b) z = Gemm<transB={before}>(a, t, c) }}""",
        f"g (float[3,4] a, {shape}, float[5] c) => (float[3,5] z) {{ z = Gemm<transB={1 - before}>(a, b, c) }}",
        **BOUND,
    )


def test_both_factors():
    assert_rewrites(
        gemm_of_transposed,
        "g (float[4,3] a, float[5,4] b) => (float[3,5] z) { s = Transpose(a) t = Transpose(b) z = Gemm(s, t) }",
        "g (float[4,3] a, float[5,4] b) => (float[3,5] z) { z = Gemm<transA=1, transB=1>(a, b) }",
        **BOUND,
    )


def test_one_transpose_of_two_gemms():
    assert_rewrites(
        gemm_of_transposed,
        """g (float[4,3] a, float[4,5] b, float[4,5] d) => (float[3,5] z, float[3,5] y) {
            t = Transpose(a) z = Gemm(t, b) y = Gemm(t, d) }""",
        """g (float[4,3] a, float[4,5] b, float[4,5] d) => (float[3,5] z, float[3,5] y) {
            z = Gemm<transA=1>(a, b) y = Gemm<transA=1>(a, d) }""",
        **BOUND,
    )


def test_skips_other_producers():
    assert_skips(
        gemm_of_transposed,
        "g (float[3,4] a, float[4,5] b) => (float[3,5] z) { t = Abs(a) z = Gemm(t, b) }",
        "no factor is made by a Transpose",
    )


def test_skips_an_identity_transpose():
    assert_skips(
        gemm_of_transposed,
        "g (float[3,4] a, float[4,5] b) => (float[3,5] z) { t = Transpose<perm=[0,1]>(a) z = Gemm(t, b) }",
        "the Transpose does not swap two axes",
    )


def test_skips_a_transpose_that_stays():
    assert_skips(
        gemm_of_transposed,
        "g (float[4,3] a, float[4,5] b) => (float[3,5] z, float[3,4] t) { t = Transpose(a) z = Gemm(t, b) }",
        "the transposed matrix has readers other than Gemm",
    )
