"""fuse_consecutive_add: integers always, floats of one sign."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_consecutive_add import one_shift

BOUND = {"rtol": 5e-7, "atol": 5e-7}
HEAD = "g (float[n,3] x) => (float[n,3] z)"
A, B = drawn(3, low=0.5, high=2), drawn(3, seed=1, low=0.5, high=2)


@pytest.mark.parametrize(
    ("body", "sign"),
    [
        ("y = Add(x, a) z = Add(b, y)", 1),
        ("y = Add(a, x) z = Add(y, b)", 1),
        ("y = Sub(x, a) z = Sub(y, b)", -1),
    ],
)
def test_floats_of_one_sign(body, sign):
    assert_rewrites(
        one_shift, given(f"{HEAD} {{ {body} }}", a=A, b=B), given(HEAD + "{ z = Add(x, c) }", c=sign * (A + B)), **BOUND
    )


def test_a_negative_constant_added_is_one_subtracted():
    assert_rewrites(
        one_shift,
        given(HEAD + "{ y = Sub(x, a) z = Add(y, b) }", a=A, b=-B),
        given(HEAD + "{ z = Add(x, c) }", c=-A - B),
        **BOUND,
    )


@pytest.mark.parametrize(
    ("body", "after", "number"),
    [
        ("y = Add(x, a) z = Add(y, b)", "Add", -(2**31) + 4),
        ("y = Add(x, a) z = Sub(y, b)", "Add", 2**31 - 16),
        ("y = Sub(x, a) z = Sub(y, b)", "Sub", -(2**31) + 4),
        ("y = Sub(x, a) z = Add(y, b)", "Sub", 2**31 - 16),
    ],
)
def test_integers_wrap(body, after, number):
    head = "g (int32[n,3] x) => (int32[n,3] z)"
    text = given(f"{head} {{ {body} }}", a=np.int32(2**31 - 6), b=np.int32(10))
    assert_rewrites(one_shift, text, given(f"{head} {{ z = {after}(x, c) }}", c=np.int32(number)))


def test_skips_floats_that_cancel():
    """x + 1e8 has lost the digits of x."""
    text = given(HEAD + "{ y = Add(x, a) z = Sub(y, a) }", a=np.float32(1e8))
    assert_skips(one_shift, text, "the constants may cancel digits of each other")


def test_skips_a_sum_that_overflows():
    text = given(HEAD + "{ y = Add(x, a) z = Add(y, a) }", a=np.float32(3e38))
    assert_skips(one_shift, text, "the constants may cancel digits of each other")


@pytest.mark.parametrize(
    "body",
    [
        "z = Add(x, a)",
        "y = Mul(x, a) z = Add(y, a)",
        "y = Sub(a, x) z = Add(y, a)",
        "y = Add(x, a) z = Sub(a, y)",
        "y = Add(x, x) z = Add(y, a)",
    ],
)
def test_skips_what_is_no_chain_of_shifts(body):
    assert_skips(one_shift, given(f"{HEAD} {{ {body} }}", a=A), "it is no second step by a constant")


def test_skips_other_readers():
    text = given("g (float[n,3] x) => (float[n,3] z, float[n,3] y) { y = Add(x, a) z = Add(y, a) }", a=A)
    assert_skips(one_shift, text, "the first result has other readers")


def test_skips_constants_whose_sum_is_larger():
    text = given("g (float[2,3] x) => (float[2,3] z) { y = Add(x, a) z = Add(y, b) }", a=A, b=drawn(2, 1))
    assert_skips(one_shift, text, "the constants together would be larger than they are")


@pytest.mark.parametrize("where", ["", ", axis=1"])
def test_skips_operands_that_attributes_broadcast(where):
    """Before opset 7 `axis` may lay the constant along the rows, and a new node would have to say `broadcast` too."""
    text = f"g (float[3,3] x) => (float[3,3] z) {{ y = Add<broadcast=1{where}>(x, a) z = Add<broadcast=1>(y, a) }}"
    assert_skips(one_shift, given(text, a=A), "operands broadcast by attributes before opset 7", opset=6)


def test_skips_a_large_shared_constant():
    text = """g (float[99,99] x) => (float[99,99] z, float[99,99] u) {
        y = Add(x, a) z = Add(y, one) u = Mul(x, a) }"""
    arrays = {"a": drawn(99, 99, low=1, high=2), "one": np.float32(1)}
    assert_skips(one_shift, text, "the joined constant would make the model grow", initializers=arrays)
