"""eliminate_nop_tile: Tile by one."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_tile import drop_tile


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_tile,
            "g (float[n,4] x) => (float[n,4] z) <int64[2] r={1,1}> { b = Tile(x, r) z = Neg(b) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
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
            drop_tile,
            "g (float[n,4] x) => (float[n,8] z) <int64[2] r={1,2}> { z = Tile(x, r) }",
            "it repeats something",
            {},
        ),
        (
            drop_tile,
            "g (float[n,4] x) => (float[k,4] z) <int64[2] r={0,1}> { z = Tile(x, r) }",
            "it repeats something",
            {},
        ),
        (
            drop_tile,
            "g (float[n,4] x, int64[2] r) => (float[k,m] z) { z = Tile(x, r) }",
            "the repeats are not known",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
