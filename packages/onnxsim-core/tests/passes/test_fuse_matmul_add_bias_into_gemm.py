"""fuse_matmul_add_bias_into_gemm: every bias a Gemm takes, and every one it does not."""

import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_matmul_add_bias_into_gemm import gemm

BOUND = {"rtol": 1e-5, "atol": 1e-6}
BEFORE = "g (float[m,5] x) => (float[m,3] z) { y = MatMul(x, w) z = Add(y, c) }"
AFTER = "g (float[m,5] x) => (float[m,3] z) { z = Gemm(x, w, c) }"
W = drawn(5, 3)


@pytest.mark.parametrize("dims", [(), (1,), (3,), (1, 1), (1, 3)])
def test_a_constant_bias(dims):
    assert_rewrites(gemm, given(BEFORE, w=W, c=drawn(*dims)), given(AFTER, w=W, c=drawn(*dims)), **BOUND)


@pytest.mark.parametrize("dims", [(4, 1), (4, 3)])
def test_a_bias_per_row(dims):
    assert_rewrites(
        gemm,
        given(BEFORE.replace("m,", "4,"), w=W, c=drawn(*dims)),
        given(AFTER.replace("m,", "4,"), w=W, c=drawn(*dims)),
        **BOUND,
    )


def test_the_bias_may_come_first_and_be_computed():
    assert_rewrites(
        gemm,
        "g (float[m,k] x, float[k,n] w, float[m,n] c) => (float[m,n] z) { y = MatMul(x, w) z = Add(c, y) }",
        "g (float[m,k] x, float[k,n] w, float[m,n] c) => (float[m,n] z) { z = Gemm(x, w, c) }",
        **BOUND,
    )


@pytest.mark.parametrize("opset", [7, 9, 11, 13, 21])
def test_every_version(opset):
    assert_rewrites(
        gemm,
        given("g (float[4,5] x, float[5,3] w, float[3] c) => (float[4,3] z) { y = MatMul(x, w) z = Add(y, c) }"),
        "g (float[4,5] x, float[5,3] w, float[3] c) => (float[4,3] z) { z = Gemm(x, w, c) }",
        opset=opset,
        **BOUND,
    )


def test_double():
    w, c = drawn(5, 3, dtype="float64"), drawn(3, dtype="float64")
    assert_rewrites(
        gemm,
        given(BEFORE.replace("float", "double"), w=w, c=c),
        given(AFTER.replace("float", "double"), w=w, c=c),
        rtol=1e-13,
        atol=1e-14,
    )


def test_float16():
    w, c = drawn(5, 3, dtype="float16"), drawn(3, dtype="float16")
    assert_rewrites(
        gemm,
        given(BEFORE.replace("float", "float16"), w=w, c=c),
        given(AFTER.replace("float", "float16"), w=w, c=c),
        rtol=2e-3,
        atol=2e-3,
    )


def test_of_two_products_one_is_the_bias_of_the_other():
    assert_rewrites(
        gemm,
        """g (float[4,5] x, float[5,3] w, float[4,5] u, float[5,3] v) => (float[4,3] z) {
            y = MatMul(x, w) t = MatMul(u, v) z = Add(y, t) }""",
        """g (float[4,5] x, float[5,3] w, float[4,5] u, float[5,3] v) => (float[4,3] z) {
            t = MatMul(u, v) z = Gemm(x, w, t) }""",
        **BOUND,
    )


def test_skips_other_producers():
    assert_skips(
        gemm,
        "g (float[4,3] x, float[3] c) => (float[4,3] z) { y = Relu(x) z = Add(y, c) }",
        "no operand is made by a MatMul",
    )


def test_skips_other_readers():
    assert_skips(
        gemm,
        given(
            "g (float[4,5] x) => (float[4,3] z, float[4,3] u) { y = MatMul(x, w) u = Abs(y) z = Add(y, c) }",
            w=W,
            c=drawn(3),
        ),
        "the product has other readers",
    )


def test_skips_a_product_outside_the_body():
    assert_skips(
        gemm,
        given(
            """g (bool p, float[4,5] x, float[4,3] e) => (float[4,3] z) { y = MatMul(x, w)
        z = If(p) <then_branch = a () => (float[4,3] s) { s = Add(y, c) },
                   else_branch = b () => (float[4,3] t) { t = Neg(e) }> }""",
            w=W,
            c=drawn(3),
        ),
        "the product has other readers",
    )


@pytest.mark.parametrize("x", ["float[2,m,5]", "float[5]", "float[]"])
def test_skips_what_is_no_matrix(x):
    assert_skips(
        gemm,
        given(f"g ({x} x) => (float[] z) {{ y = MatMul(x, w) z = Add(y, c) }}", w=W, c=drawn(3)),
        "the factors are no matrices",
    )


def test_skips_integers():
    assert_skips(
        gemm,
        "g (int32[4,5] x, int32[5,3] w, int32[3] c) => (int32[4,3] z) { y = MatMul(x, w) z = Add(y, c) }",
        "the runtime's Gemm does not take this type",
    )


def test_skips_a_bias_that_widens_a_column():
    assert_skips(
        gemm,
        given("g (float[m,5] x) => (float[m,3] z) { y = MatMul(x, w) z = Add(y, c) }", w=drawn(5, 1), c=drawn(3)),
        "the bias does not broadcast to the product",
    )


def test_skips_a_bias_that_widens_a_row():
    assert_skips(
        gemm,
        given("g (float[1,5] x) => (float[4,3] z) { y = MatMul(x, w) z = Add(y, c) }", w=W, c=drawn(4, 3)),
        "the bias does not broadcast to the product",
    )


def test_skips_a_bias_of_higher_rank():
    assert_skips(
        gemm,
        given("g (float[m,5] x) => (float[1,m,3] z) { y = MatMul(x, w) z = Add(y, c) }", w=W, c=drawn(1, 1, 3)),
        "the bias does not broadcast to the product",
    )


def test_skips_a_bias_whose_rows_may_not_be_those_of_the_product():
    """With m = 1 the sum has k rows, which a Gemm refuses."""
    assert_skips(
        gemm,
        given("g (float[m,5] x, float[k,3] c) => (float[] z) { y = MatMul(x, w) z = Add(y, c) }", w=W),
        "the bias does not broadcast to the product",
    )


@pytest.mark.parametrize("factors", ["d, w", "w, d"])
def test_skips_dequantized_factors(factors):
    assert_skips(
        gemm,
        given(f"""g (uint8[5,5] q, float scale, uint8 zero, float[5,5] w, float[5] c) => (float[5,5] z) {{
        d = DequantizeLinear(q, scale, zero) y = MatMul({factors}) z = Add(y, c) }}"""),
        "a factor is dequantized: quantizers look for the MatMul",
    )


def test_skips_opsets_whose_gemm_does_not_broadcast():
    assert_skips(
        gemm,
        "g (float[4,5] x, float[5,3] w, float[4,3] c) => (float[4,3] z) { y = MatMul(x, w) z = Add(y, c) }",
        "Gemm broadcasts its bias from opset 7 on",
        opset=6,
    )
