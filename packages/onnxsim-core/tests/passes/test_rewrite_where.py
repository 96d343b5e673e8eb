"""rewrite_where: Where on Not, and settled ones."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_where import swap_branches, take_settled_branch


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            swap_branches,
            "g (bool[n,1] c, float[n,4] x, float[4] y) => (float[n,4] z) { d = Not(c) z = Where(d, x, y) }",
            "g (bool[n,1] c, float[n,4] x, float[4] y) => (float[n,4] z) { z = Where(c, y, x) }",
            {},
        ),
        (
            take_settled_branch,
            "g (float[n,4] x, float[4] y) => (float[n,4] z) <bool c={1}> { w = Where(c, x, y) z = Neg(w) }",
            "g (float[n,4] x, float[4] y) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            take_settled_branch,
            "g (float[n,4] x, float[4] y) => (float[n,4] z) <bool[4] c={0,0,0,0}> { w = Where(c, y, x) z = Neg(w) }",
            "g (float[n,4] x, float[4] y) => (float[n,4] z) { z = Neg(x) }",
            {},
        ),
        (
            take_settled_branch,
            "g (bool[4] c, float[n,4] x) => (float[n,4] z) { w = Where(c, x, x) z = Neg(w) }",
            "g (bool[4] c, float[n,4] x) => (float[n,4] z) { z = Neg(x) }",
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
            swap_branches,
            "g (bool[4] c, float[4] x, float[4] y) => (float[4] z) { z = Where(c, x, y) }",
            "the condition is not made by Not",
            {},
        ),
        (
            take_settled_branch,
            "g (float[4] x, float[4] y) => (float[4] z) <bool[4] c={1,1,0,1}> { z = Where(c, x, y) }",
            "the choice is not settled",
            {},
        ),
        (
            take_settled_branch,
            "g (float[1,4] x, float[2,4] y) => (float[2,4] z) <bool c={1}> { z = Where(c, x, y) }",
            "the branch is widened",
            {},
        ),
        (
            take_settled_branch,
            "g (bool[n,4] c, float[4] x) => (float[n,4] z) { z = Where(c, x, x) }",
            "the branch is widened",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
