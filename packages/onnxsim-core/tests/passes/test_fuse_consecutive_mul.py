"""fuse_consecutive_mul: what may be multiplied beforehand, and the products in between that may not."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_consecutive_mul import one_scaling
from onnxsim_testkit import model

BOUND = {"rtol": 5e-7, "atol": 1e-30}
HEAD = "g (float[n,3] x) => (float[n,3] z)"
BIG, SMALL = drawn(3, low=1.5, high=9), drawn(3, low=0.1, high=0.9)


def single(array: np.ndarray) -> np.ndarray:
    return np.asarray(array).astype(np.float32)


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("y = Mul(x, a) z = Mul(y, b)", "Mul"),
        ("y = Mul(a, x) z = Mul(b, y)", "Mul"),
        ("y = Div(x, a) z = Div(y, b)", "Div"),
    ],
)
@pytest.mark.parametrize(("a", "b"), [(BIG, BIG), (BIG, np.float32(2.5)), (np.float32(2.5), BIG), (SMALL, SMALL)])
def test_products_of_constants(body, wanted, a, b):
    product = single(np.float64(a) * np.float64(b))
    assert_rewrites(
        one_scaling,
        given(f"{HEAD} {{ {body} }}", a=a, b=b),
        given(f"{HEAD} {{ z = {wanted}(x, c) }}", c=product),
        **BOUND,
    )


def test_a_product_divided():
    assert_rewrites(
        one_scaling,
        given(HEAD + "{ y = Mul(x, a) z = Div(y, b) }", a=BIG, b=SMALL),
        given(HEAD + "{ z = Mul(x, c) }", c=single(BIG / np.float64(SMALL))),
        **BOUND,
    )


def test_a_quotient_multiplied_as_pictures_are_normalized():
    assert_rewrites(
        one_scaling,
        given(HEAD + "{ y = Div(x, a) z = Mul(y, b) }", a=np.float32(255), b=BIG),
        given(HEAD + "{ z = Mul(x, c) }", c=single(BIG / np.float64(255))),
        **BOUND,
    )


def test_a_chain():
    assert_rewrites(
        one_scaling,
        given(HEAD + "{ y = Mul(x, a) v = Mul(y, a) w = Div(v, b) z = Mul(w, a) }", a=BIG, b=SMALL),
        given(HEAD + "{ z = Mul(x, c) }", c=single(np.float64(BIG) ** 3 / SMALL)),
        rtol=1e-6,
        atol=1e-30,
    )


def test_integers_wrap():
    head = "g (int32[n,3] x) => (int32[n,3] z)"
    a, b = np.int32(100_000), np.array([3, -70_000, 1 << 30], np.int32)
    with np.errstate(over="ignore"):
        product = np.multiply(a, b)
    text = given(head + "{ y = Mul(x, a) z = Mul(y, b) }", a=a, b=b)
    assert_rewrites(one_scaling, text, given(head + "{ z = Mul(x, c) }", c=product))


def test_large_and_tiny_values_stay_what_they_are():
    original = model(
        given("g (float[8] x) => (float[8] z) { y = Mul(x, a) z = Mul(y, b) }", a=np.float32(0.003), b=np.float32(900)),
        opset=17,
    )
    result, driver = apply(one_scaling, original)
    assert driver.changes == 1
    x = np.array([3e38, -3e38, 1e-37, 1e-44, np.inf, np.nan, -0.0, 1], np.float32)
    assert_same_model(original, result, rtol=5e-7, atol=1e-42, feeds={"x": x})


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (1e30, 1e-30),
        (1e-30, 1e30),
        (300.0, 0.003),
        (1e-30, 1e-30),
        (1e30, 1e30),
        (0.0, 1e30),
    ],
)
def test_skips_products_that_could_overflow_or_vanish(a, b):
    """1e30 * x may be infinite where 1 * x is not."""
    text = given(HEAD + "{ y = Mul(x, a) z = Mul(y, b) }", a=np.float32(a), b=np.float32(b))
    assert_skips(one_scaling, text, "a product in between could overflow or vanish")


def test_skips_division_by_zero():
    text = given(HEAD + "{ y = Mul(x, a) z = Div(y, b) }", a=np.float32(2), b=np.float32(0))
    assert_skips(one_scaling, text, "a product in between could overflow or vanish")


def test_skips_float16_that_is_scaled_down_and_up():
    text = given(
        (HEAD + "{ y = Mul(x, a) z = Mul(y, b) }").replace("float", "float16"), a=np.float16(0.01), b=np.float16(50)
    )
    assert_skips(one_scaling, text, "a product in between could overflow or vanish")


@pytest.mark.parametrize(
    "body", ["y = Mul(x, a) z = Div(y, b)", "y = Div(x, a) z = Div(y, b)", "y = Div(x, a) z = Mul(y, b)"]
)
def test_skips_division_of_integers(body):
    text = given(f"g (int32[n,3] x) => (int32[n,3] z) {{ {body} }}", a=np.int32(6), b=np.int32(4))
    assert_skips(one_scaling, text, "division of integers drops a remainder")


@pytest.mark.parametrize(
    "body",
    [
        "z = Mul(x, a)",
        "y = Add(x, a) z = Mul(y, a)",
        "y = Div(a, x) z = Mul(y, a)",
        "y = Mul(x, a) z = Div(a, y)",
        "y = Mul(x, x) z = Mul(y, a)",
        "y = Mul(x, a) z = Mul(y, x)",
    ],
)
def test_skips_what_is_no_chain_of_scalings(body):
    assert_skips(one_scaling, given(f"{HEAD} {{ {body} }}", a=BIG), "it is no second step by a constant")


def test_skips_other_readers():
    text = given("g (float[n,3] x) => (float[n,3] z, float[n,3] y) { y = Mul(x, a) z = Mul(y, a) }", a=BIG)
    assert_skips(one_scaling, text, "the first result has other readers")


def test_skips_constants_whose_product_is_larger():
    text = given(
        "g (float[2,3] x) => (float[2,3] z) { y = Mul(x, a) z = Mul(y, b) }", a=BIG, b=drawn(2, 1, low=2, high=3)
    )
    assert_skips(one_scaling, text, "the constants together would be larger than they are")


def test_skips_operands_that_attributes_broadcast():
    text = "g (float[3,3] x) => (float[3,3] z) { y = Mul<broadcast=1, axis=0>(x, a) z = Mul<broadcast=1>(y, a) }"
    assert_skips(one_scaling, given(text, a=BIG), "operands broadcast by attributes before opset 7", opset=6)


def test_skips_a_large_shared_constant():
    text = """g (float[99,99] x) => (float[99,99] z, float[99,99] u) {
        y = Mul(x, a) z = Div(y, two) u = Add(x, a) }"""
    arrays = {"a": drawn(99, 99, low=0.25, high=1), "two": np.float32(2)}
    assert_skips(one_scaling, text, "the joined constant would make the model grow", initializers=arrays)
