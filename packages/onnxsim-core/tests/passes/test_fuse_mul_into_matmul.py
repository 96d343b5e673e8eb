"""fuse_mul_into_matmul: constant factors right and left, of any rank."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_mul_into_matmul import one_scale_of_two, scaled_matmul, scaled_sum

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W, C = drawn(5, 3), drawn(3, seed=6, low=0.5, high=2)
BEFORE = "g (float[b,s,5] x) => (float[b,s,3] z) { y = MatMul(x, w) z = Mul(y, c) }"
AFTER = "g (float[b,s,5] x) => (float[b,s,3] z) { z = MatMul(x, w) }"


@pytest.mark.parametrize("dims", [(3,), (1, 3), (1, 1, 3)])
def test_a_factor_per_column(dims):
    assert_rewrites(scaled_matmul, given(BEFORE, w=W, c=C.reshape(dims)), given(AFTER, w=W * C), **BOUND)


@pytest.mark.parametrize("tail", ["Mul(y, c)", "Mul(c, y)", "Div(y, d)"])
def test_one_factor(tail):
    assert_rewrites(
        scaled_matmul,
        given(BEFORE.replace("Mul(y, c)", tail), w=W, c=np.float32(0.125), d=np.float32(8)),
        given(AFTER, w=W / 8),
        **BOUND,
    )


def test_neg_of_a_batch_of_matrices():
    w = drawn(2, 5, 3)
    assert_rewrites(
        scaled_matmul,
        given("g (float[2,4,5] x) => (float[2,4,3] z) { y = MatMul(x, w) z = Neg(y) }", w=w),
        given("g (float[2,4,5] x) => (float[2,4,3] z) { z = MatMul(x, w) }", w=-w),
        **BOUND,
    )


def test_one_factor_of_a_constant_on_the_left():
    w = drawn(3, 5)
    assert_rewrites(
        scaled_matmul,
        given("g (float[5,n] x) => (float[3,n] z) { y = MatMul(w, x) z = Mul(y, c) }", w=w, c=np.float32(2)),
        given("g (float[5,n] x) => (float[3,n] z) { z = MatMul(w, x) }", w=2 * w),
        **BOUND,
    )


def test_skips_one_factor_per_column_of_a_constant_on_the_left():
    text = "g (float[5,3] x) => (float[4,3] z) { y = MatMul(w, x) z = Mul(y, c) }"
    assert_skips(scaled_matmul, given(text, w=drawn(4, 5), c=C), "the weight is not a constant")


@pytest.mark.parametrize("dims", [(3, 1), (2, 1, 1), (1, 1, 1, 3)])
def test_skips_what_runs_along_other_axes(dims):
    text = "g (float[2,3,5] x) => (float[] z) { y = MatMul(x, w) z = Mul(y, c) }"
    assert_skips(scaled_matmul, given(text, w=W, c=drawn(*dims)), "the constant does not run along the output channels")


def test_skips_a_constant_of_two_axes_when_the_rank_is_unknown():
    """With a vector x the product has one axis and the result two."""
    assert_skips(
        scaled_matmul,
        given("g (float[] x) => (float[] z) { y = MatMul(x, w) z = Mul(y, c) }", w=W, c=C.reshape(1, 3)),
        "the constant does not run along the output channels",
    )


def test_skips_a_vector_as_weight():
    assert_skips(
        scaled_matmul,
        given("g (float[4,5] x) => (float[4] z) { y = MatMul(x, w) z = Mul(y, c) }", w=drawn(5), c=np.float32(2)),
        "the number of output channels is not known",
    )


def test_skips_a_product_of_inputs():
    assert_skips(
        scaled_matmul,
        given("g (float[4,5] x, float[5,3] w) => (float[4,3] z) { y = MatMul(x, w) z = Mul(y, c) }", c=np.float32(2)),
        "the weight is not a constant",
    )


def test_skips_integers():
    assert_skips(
        scaled_matmul,
        given(
            "g (int32[4,5] x) => (int32[4,3] z) { y = MatMul(x, w) z = Mul(y, c) }",
            w=np.ones((5, 3), np.int32),
            c=np.int32(2),
        ),
        "the weight is not of a float type",
    )


def test_skips_a_dequantized_weight():
    text = """g (float[4,5] x, uint8[5,3] q, float scale, uint8 zero) => (float[4,3] z) {
        w = DequantizeLinear(q, scale, zero) y = MatMul(x, w) z = Mul(y, c) }"""
    assert_skips(scaled_matmul, given(text, c=np.float32(2)), "the layer's weight or bias is quantized")


SUM = "g (float[b,s,5] x) => (float[b,s,3] z) {{ y = MatMul(x, w) a = {sum} z = {product} }}"
SUM_AFTER = "g (float[b,s,5] x) => (float[b,s,3] z) {{ y = MatMul(x, w) z = {sum} }}"
B = drawn(3, seed=7)


@pytest.mark.parametrize("order", ["Add(y, b)", "Add(b, y)"])
@pytest.mark.parametrize("c", [np.float32(0.125), C, C.reshape(1, 1, 3)])
def test_a_scaled_sum(order, c):
    flat = np.asarray(c).reshape(-1) if np.size(c) > 1 else c
    assert_rewrites(
        scaled_sum,
        given(SUM.format(sum=order, product="Mul(a, c)"), w=W, b=B, c=c),
        given(SUM_AFTER.format(sum="Add(y, b)"), w=W * flat, b=B * flat),
        **BOUND,
    )


def test_a_divided_sum_whose_bias_is_one_number():
    assert_rewrites(
        scaled_sum,
        given(SUM.format(sum="Add(y, b)", product="Div(a, c)"), w=W, b=B[:1], c=C),
        given(SUM_AFTER.format(sum="Add(y, b)"), w=W / C, b=B[:1] / C),
        **BOUND,
    )


@pytest.mark.parametrize(
    ("reason", "total", "product"),
    [
        ("it is no scaled sum of a product and a constant", "Sub(y, b)", "Mul(a, c)"),
        ("it is no scaled sum of a product and a constant", "Add(y, y)", "Mul(a, c)"),
        ("it is no scaled sum of a product and a constant", "Add(y, b)", "Mul(a, a)"),
        ("the layer's result has other readers", "Add(y, b)", "Mul(a, c) u = Abs(y)"),
        ("the constant does not run along the output channels", "Add(y, b)", "Div(c, a)"),
        ("the constant does not run along the output channels", "Add(y, b)", "Div(a, zero)"),
        ("the constant does not run along the output channels", "Add(y, b)", "Mul(a, rows)"),
        ("no operand is made by such a layer", "Add(n, b)", "Mul(a, c)"),
        ("the new bias would be larger than bias and constant", "Add(y, column)", "Mul(a, c)"),
        ("the scaled weight leaves the range of its type", "Add(y, b)", "Mul(a, tiny)"),
        ("the new bias leaves the range of its type", "Add(y, huge)", "Mul(a, big)"),
    ],
)
def test_skips_other_sums(reason, total, product):
    text = f"g (float[2,9,5] x, float[2,9,3] n) => (float[2,9,3] z) {{ y = MatMul(x, w) a = {total} z = {product} }}"
    if "u =" in product:
        text = text.replace("float[2,9,3] z)", "float[2,9,3] z, float[2,9,3] u)")
    constants = {
        "zero": np.float32(0),
        "rows": drawn(9, 1),
        "column": drawn(9, 1),
        "tiny": np.float32(1e-40),
        "huge": np.full(3, 3e38, np.float32),
        "big": np.float32(30),
    }
    # Apart from the text: not every parser reads a denormal number.
    assert_skips(scaled_sum, given(text, w=W, b=B, c=C), reason, initializers=constants)


def test_skips_a_sum_with_other_readers():
    text = SUM.format(sum="Add(y, b)", product="Mul(a, c)").replace("z) {", "z, float[b,s,3] a) {")
    assert_skips(scaled_sum, given(text, w=W, b=B, c=C), "the sum has other readers")


ATTENTION = "g (float[b,4,5] x, float[b,5,4] y) => (float[b,4,4] z) {{ p = {left} q = {right} z = MatMul(p, q) }}"
HALF, QUARTER = np.float32(0.5), np.float32(0.25)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Mul(x, h)", "Mul(y, q4)"),
        ("Mul(q4, x)", "Mul(h, y)"),
        ("Div(x, two)", "Mul(y, q4)"),
        ("Div(x, two)", "Div(y, four)"),
    ],
)
def test_one_scale_of_two_factors(left, right):
    constants = {"h": HALF, "q4": QUARTER, "two": np.float32(2), "four": np.full(1, 4, np.float32)}
    text = given(ATTENTION.format(left=left, right=right), **constants)
    after = ATTENTION.replace("q = {right} ", "").format(left="Mul(x, h)").replace("MatMul(p, q)", "MatMul(p, y)")
    assert_rewrites(one_scale_of_two, text, given(after, h=np.float32(0.125)), **BOUND)


@pytest.mark.parametrize(
    ("reason", "left", "right"),
    [
        ("its factors are not both scaled by a number", "Mul(x, h)", "Neg(y)"),
        ("its factors are not both scaled by a number", "Mul(x, h)", "Mul(y, vector)"),
        ("its factors are not both scaled by a number", "Div(h, x)", "Mul(y, h)"),
        ("its factors are not both scaled by a number", "Div(x, zero)", "Mul(y, h)"),
        ("a scale is above 1 or close to 0", "Mul(x, h)", "Mul(y, two)"),
        ("a scale is above 1 or close to 0", "Mul(x, small)", "Mul(y, small)"),
    ],
)
def test_skips_other_scales(reason, left, right):
    constants = {
        "h": HALF,
        "vector": drawn(4),
        "zero": np.float32(0),
        "two": np.float32(2),
        "small": np.float32(2**-12),
    }
    assert_skips(one_scale_of_two, given(ATTENTION.format(left=left, right=right), **constants), reason)


def test_skips_scales_that_are_read_elsewhere_or_widen():
    text = ATTENTION.format(left="Mul(x, h)", right="Mul(y, h)").replace("z) {", "z, float[b,4,5] p) {")
    assert_skips(one_scale_of_two, given(text, h=HALF), "its factors are not both scaled by a number")
    wide = "g (float[4,5] x, float[5,4] y) => (float[1,4,4] z) { p = Mul(x, h) q = Mul(y, w) z = MatMul(p, q) }"
    assert_skips(
        one_scale_of_two,
        given(wide, h=HALF, w=np.full((1, 1, 1), 0.5, np.float32)),
        "its factors are not both scaled by a number",
    )


def test_skips_float16():
    text = ATTENTION.format(left="Mul(x, h)", right="Mul(y, h)").replace("float", "float16")
    assert_skips(one_scale_of_two, given(text, h=np.float16(0.5)), "the type has too few digits")


def test_skips_a_large_bias_that_others_read():
    text = """g (float[99,5] x) => (float[99,99] z, float[99,99] u) {
        y = MatMul(x, w) s = Add(y, b) z = Mul(s, c) u = Neg(b) }"""
    arrays = {"w": drawn(5, 99), "b": drawn(99, 99), "c": np.float32(0.5)}
    assert_skips(scaled_sum, text, "the new bias would make the model grow", initializers=arrays)


def test_skips_factors_that_attributes_broadcast():
    text = """g (float[3,3] x, float[3,3] y) => (float[3,3] z) {
        a = Mul<broadcast=1>(x, c) b = Mul<broadcast=1>(y, c) z = MatMul(a, b) }"""
    reason = "operands broadcast by attributes before opset 7"
    assert_skips(one_scale_of_two, given(text, c=np.float32(0.5)), reason, opset=6)
