"""eliminate_nop_dropout: Dropout at inference."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_dropout import drop_dropout


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z) { a = Dropout(x) z = Neg(a) }",
            "g (float[2] x) => (float[2] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z) <float r = {0.5}, bool t = {0}> { a = Dropout(x, r, t) z = Neg(a) }",
            "g (float[2] x) => (float[2] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z) { a = Dropout<ratio=0.5>(x) z = Neg(a) }",
            "g (float[2] x) => (float[2] z) { z = Neg(x) }",
            {"opset": 10},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z, bool[2] m) { z, m = Dropout(x) }",
            "the mask is read",
            {},
        ),
        (
            drop_dropout,
            "g (float[2] x, bool t) => (float[2] z) <float r = {0.5}> { z = Dropout(x, r, t) }",
            "it may run in training mode",
            {},
        ),
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z) <float r = {0.5}, bool t = {1}> { z = Dropout(x, r, t) }",
            "it may run in training mode",
            {},
        ),
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z) { z = Dropout(x) }",
            "it may run in training mode",
            {"opset": 6},
        ),
        (
            drop_dropout,
            "g (float[2] x) => (float[2] z) { z = Dropout() }",
            "the input is missing",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
