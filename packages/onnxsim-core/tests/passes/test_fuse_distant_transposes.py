"""fuse_distant_transposes: Transposes that cancel across others."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_distant_transposes import pull_transpose, reduce_before_transpose


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) { a = Transpose<perm=[0,2,3,1]>(x) b = Relu(a) c = "
            "Exp(b) z = Transpose<perm=[0,3,1,2]>(c) }",
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) { b = Relu(x) z = Exp(b) }",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) <float[3] k={1,2,3}, float one={1}> { a = "
            "Transpose<perm=[0,2,3,1]>(x) b = Add(a, k) c = Sigmoid(b) d = Mul(b, c) e = Sub(one, d) z = "
            "Transpose<perm=[0,3,1,2]>(e) }",
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) <float[1,3,1,1] k={1,2,3}, float one={1}> { b = "
            "Add(x, k) c = Sigmoid(b) d = Mul(b, c) z = Sub(one, d) }",
            {},
        ),
        (
            pull_transpose,
            "g (float[2,3,4,5] x, float[2,4,5,3] y) => (float[2,3,4,5] z) { a = Transpose<perm=[0,2,3,1]>(x) "
            "b = Add(a, y) z = Transpose<perm=[0,3,1,2]>(b) }",
            "g (float[2,3,4,5] x, float[2,4,5,3] y) => (float[2,3,4,5] z) { t = Transpose<perm=[0,3,1,2]>(y) "
            "z = Add(x, t) }",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x, float[n,2,4,5] y) => (float[n,5,4,5] z) { a = Transpose<perm=[0,2,3,1]>(x) "
            "b = Transpose<perm=[0,2,3,1]>(y) c = Concat<axis=-1>(a, b) z = Transpose<perm=[0,3,1,2]>(c) }",
            "g (float[n,3,4,5] x, float[n,2,4,5] y) => (float[n,5,4,5] z) { z = Concat<axis=1>(x, y) }",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) { a = Transpose<perm=[0,2,3,1]>(x) b = Softmax(a) z ="
            " Transpose<perm=[0,3,1,2]>(b) }",
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) { z = Softmax<axis=1>(x) }",
            {"rtol": 1e-06, "atol": 1e-07},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,1,1] z) <int64[2] k={1,2}> { a = Transpose<perm=[0,2,3,1]>(x)"
            " b = ReduceSum(a, k) z = Transpose<perm=[0,3,1,2]>(b) }",
            "g (float[n,3,4,5] x) => (float[n,3,1,1] z) <int64[2] k={2,3}> { z = ReduceSum(x, k) }",
            {"rtol": 1e-06, "atol": 1e-06},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,1,1] z) { a = Transpose<perm=[0,2,3,1]>(x) b = "
            "ReduceMax<axes=[1,-2]>(a) z = Transpose<perm=[0,3,1,2]>(b) }",
            "g (float[n,3,4,5] x) => (float[n,3,1,1] z) { z = ReduceMax<axes=[2,3]>(x) }",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,2,7] z) <int64[1] s1={1}, int64[1] e1={3}, int64[1] a1={-3}, "
            "int64[8] p={0,0,1,0,0,0,1,0}> { a = Transpose<perm=[0,2,3,1]>(x) b = Slice(a, s1, e1, a1) c = "
            "Pad(b, p) z = Transpose<perm=[0,3,1,2]>(c) }",
            "g (float[n,3,4,5] x) => (float[n,3,2,7] z) <int64[1] s1={1}, int64[1] e1={3}, int64[1] a1={2}, "
            "int64[8] p={0,0,0,1,0,0,0,1}> { b = Slice(x, s1, e1, a1) z = Pad(b, p) }",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) <float[3,1,1] k={1,2,3}> { a = "
            "Transpose<perm=[0,2,3,1]>(x) b = PRelu(a, m) c = Clip(b, lo) z = Transpose<perm=[0,3,1,2]>(c) }",
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) <float[1,3,1,1] m={0.5,0.25,2}, float lo={-1}> { b = "
            "PRelu(x, m) z = Clip(b, lo) }",
            {"initializers": {"m": np.array([0.5, 0.25, 2], np.float32), "lo": np.array(-1, np.float32)}},
        ),
        (
            reduce_before_transpose,
            "g (float[n,3,4,5] x) => (float[n,3] z) { a = Transpose<perm=[0,2,3,1]>(x) z = "
            "ReduceMean<axes=[1,2],keepdims=0>(a) }",
            "g (float[n,3,4,5] x) => (float[n,3] z) { z = ReduceMean<axes=[2,3],keepdims=0>(x) }",
            {"rtol": 1e-06, "atol": 1e-06},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,4,5,3] z) { z = Transpose<perm=[0,2,3,1]>(x) }",
            "input is not made by an operator that takes any order",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z) { a = Transpose<perm=[0,2,3,1]>(x) b = "
            "LpNormalization<axis=1>(a) z = Transpose<perm=[0,3,1,2]>(b) }",
            "input is not made by an operator that takes any order",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z, float[n,4,5,3] b) { a = Transpose<perm=[0,2,3,1]>(x) "
            "b = Relu(a) z = Transpose<perm=[0,3,1,2]>(b) }",
            "what it would be pulled through is read elsewhere or of another rank",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x, float[5,3] y) => (float[n,3,4,5] z) { a = Transpose<perm=[0,2,3,1]>(x) b = "
            "Add(a, y) z = Transpose<perm=[0,3,1,2]>(b) }",
            "an operand does not have all the axes",
            {},
        ),
        (
            pull_transpose,
            "g (float[2,4,5,3] x, float[2,4,5,3] y) => (float[2,3,4,5] z) { b = Add(x, y) z = "
            "Transpose<perm=[0,3,1,2]>(b) }",
            "it would take as many Transposes as before",
            {},
        ),
        (
            pull_transpose,
            "g (float[n,3,4,5] x) => (float[n,3,4,5] z, float[n,4,5,3] a) { a = Transpose<perm=[0,2,3,1]>(x) "
            "b = Relu(c) c = Add(a, d) d = Neg(e) e = LpNormalization(a) z = Transpose<perm=[0,3,1,2]>(b) }",
            "it would take as many Transposes as before",
            {},
        ),
        (
            pull_transpose,
            "g (float[2,3] x) => (float[2,3] z) { a = Transpose(x) b = Softmax(a) z = Transpose(b) }",
            "a parameter is not known",
            {"opset": 12},
        ),
        (
            reduce_before_transpose,
            "g (float[n,3,4,5] x) => (float[5,4,n] z) { a = Transpose(x) z = ReduceMean<axes=[2],keepdims=0>(a) }",
            "the axes that are left change places",
            {},
        ),
        (
            reduce_before_transpose,
            "g (float[n,3,4,5] x) => (float[n,1,1,3] z) { a = Transpose<perm=[0,2,3,1]>(x) z = "
            "ReduceMean<axes=[1,2]>(a) }",
            "the axes are not known, or they are kept",
            {},
        ),
        (
            reduce_before_transpose,
            "g (float[n,3] x) => (float[n] z) { z = ReduceMean<axes=[1],keepdims=0>(x) }",
            "input is not made by a Transpose that is read here only",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_a_large_constant_with_other_readers_is_not_stored_twice():
    weights = np.ones((600, 1000), np.float32)
    text = """g (float[1000,600] x) => (float[1000,600] z, float[600,1000] y) {
        a = Transpose(x) b = Add(a, w) z = Transpose(b) y = Neg(w) }"""
    reason = "a constant in the other order would make the model larger"
    assert_skips(pull_transpose, text, reason, initializers={"w": weights})
