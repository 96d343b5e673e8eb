"""eliminate_shape_op: the Shape of what is computed for its shape alone."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_shape_op import shape_of_input


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            shape_of_input,
            "g (float[n,3] x) => (int64[2] z) { a = Exp(x) b = Relu(a) z = Shape(b) }",
            "g (float[n,3] x) => (int64[2] z) { z = Shape(x) }",
            {},
        ),
        (
            shape_of_input,
            "g (float[n,3] x, float[3] y) => (int64 z) { a = Add(y, x) z = Size(a) }",
            "g (float[n,3] x, float[3] y) => (int64 z) { z = Size(x) }",
            {},
        ),
        (
            shape_of_input,
            "g (float[n,3] x) => (int64[1] z) { a = Exp(x) z = Shape<start=1>(a) }",
            "g (float[n,3] x) => (int64[1] z) { z = Shape<start=1>(x) }",
            {},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            shape_of_input,
            "g (float[n,3] x) => (int64[2] z, float[n,3] a) { a = Exp(x) z = Shape(a) }",
            "the value is read by others",
            {},
        ),
        (
            shape_of_input,
            "g (float8e5m2[n,3] x) => (int64 z) { a = Cast<to = 1>(x) z = Size(a) }",
            "onnxruntime may have no Size of that type",
            {"opset": 21},
        ),
        (
            shape_of_input,
            "g (float[n,3] x) => (int64[2] z) { z = Shape(x) }",
            "the value is read by others",
            {},
        ),
        (
            shape_of_input,
            "g (float[n,3] x) => (int64[2] z) { a = Transpose(x) z = Shape(a) }",
            "no input of its producer has the same shape",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
