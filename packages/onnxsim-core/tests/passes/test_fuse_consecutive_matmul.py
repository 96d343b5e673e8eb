"""fuse_consecutive_matmul: products that shrink, and those that do not."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_consecutive_matmul import one_product

HEAD = "g (float[b,s,5] x) => (float[b,s,3] z)"
BODY = "{ y = MatMul(x, a) z = MatMul(y, b) }"
A, B = drawn(5, 7), drawn(7, 3)


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return (a.astype(np.float64) @ b.astype(np.float64)).astype(a.dtype)


def test_one_matrix():
    assert_rewrites(
        one_product,
        given(HEAD + BODY, a=A, b=B),
        given(HEAD + "{ z = MatMul(x, c) }", c=product(A, B)),
        rtol=1e-5,
        atol=2e-6,
    )


def test_double():
    a, b = A.astype(np.float64), B.astype(np.float64)
    head = HEAD.replace("float", "double")
    assert_rewrites(
        one_product, given(head + BODY, a=a, b=b), given(head + "{ z = MatMul(x, c) }", c=a @ b), rtol=1e-12, atol=1e-13
    )


@pytest.mark.parametrize(
    ("reason", "a", "b"),
    [
        ("the product would be larger than the factors", drawn(5, 1), drawn(1, 3)),
        ("a factor has very large or very small numbers", A * np.float32(1e30), B * np.float32(1e-30)),
        ("a factor has very large or very small numbers", A, B * np.float32(1e-30)),
        ("the constants are no matrices of floats that fit", A, drawn(2, 7, 3)),
    ],
)
def test_skips(reason, a, b):
    assert_skips(one_product, given("g (float[2,4,5] x) => (float[2,4,3] z)" + BODY, a=a, b=b), reason)


def test_skips_a_weight_that_both_layers_share():
    tied = drawn(5, 5)
    head = "g (float[b,s,5] x) => (float[b,s,5] z)"
    reason = "both products share one weight, which stays tied"
    assert_skips(one_product, given(head + BODY, a=tied, b=tied.copy()), reason)
    assert_skips(one_product, given(head + "{ y = MatMul(x, a) z = MatMul(y, a) }", a=tied), reason)


def test_skips_integers():
    text = given(HEAD.replace("float", "int32") + BODY, a=np.ones((5, 7), np.int32), b=np.ones((7, 3), np.int32))
    assert_skips(one_product, text, "the constants are no matrices of floats that fit")


def test_skips_other_factors():
    assert_skips(
        one_product,
        given(HEAD + "{ y = Abs(x) z = MatMul(y, c) }", c=drawn(5, 3)),
        "the first factor is not made by a MatMul",
    )
    text = "g (float[b,s,5] x, float[5,7] a) => (float[b,s,3] z)" + BODY
    assert_skips(one_product, given(text, b=B), "the second factors are not both constants")


def test_skips_other_readers():
    text = "g (float[b,s,5] x) => (float[b,s,3] z, float[b,s,7] y)" + BODY
    assert_skips(one_product, given(text, a=A, b=B), "the first product has other readers")


def test_skips_weights_that_live_on():
    text = """g (float[2,300] x) => (float[2,300] z, float[2,300] u) {
        y = MatMul(x, a) z = MatMul(y, b) t = Add(a, b) u = MatMul(x, t) }"""
    assert_skips(
        one_product,
        text,
        "the new weight would make the model grow",
        initializers={"a": drawn(300, 300), "b": drawn(300, 300, seed=1)},
    )
