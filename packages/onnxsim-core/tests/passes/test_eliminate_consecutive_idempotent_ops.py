"""eliminate_consecutive_idempotent_ops: doing it twice is doing it once."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_consecutive_idempotent_ops import drop_second


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Relu(x) z = Relu(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Relu(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Abs(x) z = Abs(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Abs(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Sign(x) z = Sign(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Sign(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Ceil(x) z = Floor(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Ceil(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Floor(x) z = Round(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Floor(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Round(x) z = Ceil(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Round(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Sign(x) z = Round(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Sign(x) }",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Ceil(x) z = Ceil(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Ceil(x) }",
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
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Neg(x) z = Relu(a) }",
            "the input can still be changed by it",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = Abs(x) z = Floor(a) }",
            "the input can still be changed by it",
            {},
        ),
        (
            drop_second,
            "g (float[n,4] x) => (float[n,4] z) { a = acme.Relu(x) z = Relu(a) }",
            "the input can still be changed by it",
            {"domains": {"acme": 1}},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
