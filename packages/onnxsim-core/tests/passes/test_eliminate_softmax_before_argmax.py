"""eliminate_softmax_before_argmax: off by default."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes import catalog
from onnxsim_core.passes.eliminate_softmax_before_argmax import drop_softmax_before_argmax


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_softmax_before_argmax,
            "g (float[n,4] x) => (int64[n,1] z) { a = Softmax(x) z = ArgMax<axis=1>(a) }",
            "g (float[n,4] x) => (int64[n,1] z) { z = ArgMax<axis=1>(x) }",
            {},
        ),
        (
            drop_softmax_before_argmax,
            "g (float[n,4] x) => (int64[1,4] z) { a = LogSoftmax<axis=0>(x) z = ArgMax(a) }",
            "g (float[n,4] x) => (int64[1,4] z) { z = ArgMax(x) }",
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
            drop_softmax_before_argmax,
            "g (float[2,7,9] x) => (int64[2,7] z) { a = Softmax<axis=1>(x) z = ArgMax<axis=2,keepdims=0>(a) }",
            "the axes differ or the rank is unknown",
            {},
        ),
        (
            drop_softmax_before_argmax,
            "g (float[n,4] x) => (int64[n,1] z) { a = Softmax<axis=1>(x) z = ArgMax<axis=1>(a) }",
            "the axes differ or the rank is unknown",
            {"opset": 11},
        ),
        (
            drop_softmax_before_argmax,
            "g (float[n,4] x) => (int64[n,1] z) { a = Tanh(x) z = ArgMax<axis=1>(a) }",
            "input is not made by a Softmax",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_it_is_off_by_default():
    catalog.load()
    assert not catalog.CATALOG["eliminate_softmax_before_argmax"].default
