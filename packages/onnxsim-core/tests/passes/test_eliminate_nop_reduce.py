"""eliminate_nop_reduce: reductions of single elements."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_reduce import drop_reduction


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_reduction,
            "g (float[n,1,4] x) => (float[n,1,4] z) <int64[1] a={1}> { b = ReduceSum(x, a) z = Neg(b) }",
            "g (float[n,1,4] x) => (float[n,1,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_reduction,
            "g (float[n,1,4] x) => (float[n,1,4] z) { b = ReduceMean<axes=[-2]>(x) z = Neg(b) }",
            "g (float[n,1,4] x) => (float[n,1,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_reduction,
            "g (float[n,1,4] x) => (float[n,4] z) { z = ReduceMax<axes=[1],keepdims=0>(x) }",
            "g (float[n,1,4] x) => (float[n,4] z) <int64[1] a={1}> { z = Squeeze(x, a) }",
            {},
        ),
        (
            drop_reduction,
            "g (int64[1,1] x) => (int64 z) <int64[0] a={}> { z = ReduceProd<keepdims=0>(x, a) }",
            "g (int64[1,1] x) => (int64 z) <int64[2] a={0,1}> { z = Squeeze(x, a) }",
            {"opset": 18},
        ),
        (
            drop_reduction,
            "g (float[n,1,4] x) => (float[n,1,4] z) <int64[0] a={}> { b = "
            "ReduceSum<noop_with_empty_axes=1>(x, a) z = Neg(b) }",
            "g (float[n,1,4] x) => (float[n,1,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_reduction,
            "g (float[n,1,4] x) => (float[n,1,4] z) { b = ReduceMin<noop_with_empty_axes=1>(x) z = Neg(b) }",
            "g (float[n,1,4] x) => (float[n,1,4] z) { z = Neg(x) }",
            {"opset": 18},
        ),
        (
            drop_reduction,
            "g (float x) => (float z) { b = ReduceMean(x) z = Neg(b) }",
            "g (float x) => (float z) { z = Neg(x) }",
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
            drop_reduction,
            "g (float[n,1,4] x) => (float[1,1,4] z) { z = ReduceMean<axes=[0]>(x) }",
            "an axis may hold several elements",
            {},
        ),
        (
            drop_reduction,
            "g (float[n,1] x) => (float[1,1] z) { z = ReduceMean(x) }",
            "an axis may hold several elements",
            {},
        ),
        (
            drop_reduction,
            "g (float[1,1] x, int64[1] a) => (float[1,1] z) { z = ReduceSum(x, a) }",
            "the axes are not known",
            {},
        ),
        (
            drop_reduction,
            "g (float[2] x) => (float[k] z) { a = acme.Make(x) z = ReduceMean(a) }",
            "the rank is unknown",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
