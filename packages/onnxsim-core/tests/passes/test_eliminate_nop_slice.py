"""eliminate_nop_slice: Slice that keeps everything."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_slice import drop_slice


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_slice,
            "g (float[n,4] x) => (float[n,4] z) <int64[1] s={0}, int64[1] e={4}, int64[1] a={1}> { b = "
            "Slice(x, s, e, a) z = Neg(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_slice,
            "g (float[n,4] x) => (float[n,4] z) <int64[2] s={0,-9}, int64[2] e={2147483647,9}> { b = Slice(x,"
            " s, e) z = Neg(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_slice,
            "g (float[n,4] x) => (float[n,4] z) <int64[1] s={0}, int64[1] a={0}> { e = Shape<end=1>(x) b = "
            "Slice(x, s, e, a, o) z = Neg(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {"initializers": {"o": np.array([1])}},
        ),
        (
            drop_slice,
            "g (float[n,4] x) => (float[n,4] z) { b = Slice<starts=[0],ends=[4],axes=[1]>(x) z = Neg(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
            {"opset": 9},
        ),
        (
            drop_slice,
            "g (float[1,4] x) => (float[1,4] z) <int64[1] s={0}, int64[1] e={9}, int64[1] a={0}, int64[1] "
            "t={3}> { b = Slice(x, s, e, a, t) z = Neg(b) }",
            "g (float[1,4] x) => (float[1,4] z) { z = Neg(x) }",
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
            drop_slice,
            "g (float[n,4] x) => (float[n,4] z) <int64[1] s={-1}, int64[1] e={-9}, int64[1] a={1}, int64[1] "
            "t={-1}> { z = Slice(x, s, e, a, t) }",
            "it may go backwards",
            {},
        ),
        (
            drop_slice,
            "g (float[n,4] x, int64[1] t) => (float[n,k] z) <int64[1] s={0}, int64[1] e={9}, int64[1] a={1}> "
            "{ z = Slice(x, s, e, a, t) }",
            "it may go backwards",
            {},
        ),
        (
            drop_slice,
            "g (float[n,4] x) => (float[n,3] z) <int64[1] s={1}, int64[1] e={9}, int64[1] a={1}> { z = "
            "Slice(x, s, e, a) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_slice,
            "g (float[n] x) => (float[k] z) <int64[1] s={0}, int64[1] e={2}> { z = Slice(x, s, e) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_slice,
            "g (float[n] x, int64[1] e) => (float[k] z) <int64[1] s={0}> { z = Slice(x, s, e) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_slice,
            "g (float[n] x) => (float[n] z) <int64[1] s={0}, int64[1] e={2}> { z = Slice(, s, e) }",
            "the input is missing",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_everything_of_a_value_of_unknown_shape():
    text = """g (float[2] x) => (float[k] z) <int64[1] s = {0}, int64[1] e = {9223372036854775807}> {
        a = acme.Make(x) b = Slice(a, s, e) z = Neg(b) }"""
    result, _ = apply(drop_slice, text, domains={"acme": 1})
    assert [node.op_type for node in result.graph.node] == ["Make", "Neg"]
