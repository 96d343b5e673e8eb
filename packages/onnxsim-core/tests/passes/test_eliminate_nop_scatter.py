"""eliminate_nop_scatter: overwriting everything."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_nop_scatter import take_updates


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            take_updates,
            "g (float[n,m] x, float[n,m] y) => (float[n,m] z) <int64 i={0}, int64 j={1}, int64[1] o={0}, "
            "int64[2] c={-1,1}, int64[1] l={-1}> { s = Shape(x) n1 = Shape<end=1>(x) m1 = Shape<start=1>(x) n"
            " = Squeeze(n1) m = Squeeze(m1) a = Range(i, n, j) b = Range(i, m, j) u = Reshape(a, c) g = "
            "Expand(u, s) h = Expand(b, s) v = Unsqueeze(g, l) w = Unsqueeze(h, l) k = Concat<axis=-1>(v, w) "
            "t = ScatterND(x, k, y) z = Neg(t) }",
            "g (float[n,m] x, float[n,m] y) => (float[n,m] z) { z = Neg(y) }",
            {},
        ),
        (
            take_updates,
            "g (float[1,3] x, float[1,3] y) => (float[1,3] z) <int64[1,1] a={0}, int64[3] b={0,1,2}, int64[2]"
            " s={1,3}, int64[1] l={-1}> { g = Expand(a, s) h = Expand(b, s) v = Unsqueeze(g, l) w = "
            "Unsqueeze(h, l) k = Concat<axis=2>(v, w) t = ScatterND(x, k, y) z = Neg(t) }",
            "g (float[1,3] x, float[1,3] y) => (float[1,3] z) { z = Neg(y) }",
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
            take_updates,
            "g (float[n,m] x, float[n,m] y) => (float[n,m] z) <int64 i={0}, int64 j={1}, int64[1] o={0}, "
            "int64[2] c={-1,1}, int64[1] l={-1}> { s = Shape(x) n1 = Shape<end=1>(x) m1 = Shape<start=1>(x) n"
            " = Squeeze(n1) m = Squeeze(m1) q = Add(n, j) a = Range(j, q, j) b = Range(i, m, j) u = "
            "Reshape(a, c) g = Expand(u, s) h = Expand(b, s) v = Unsqueeze(g, l) w = Unsqueeze(h, l) k = "
            "Concat<axis=-1>(v, w) t = ScatterND(x, k, y) z = Neg(t) }",
            "the positions may not be all, in order",
            {},
        ),
        (
            take_updates,
            "g (float[n,n] x, float[n,n] y) => (float[n,n] z) <int64 i={0}, int64 j={1}, int64[1] o={0}, "
            "int64[2] c={-1,1}, int64[1] l={-1}> { s = Shape(x) n1 = Shape<end=1>(x) n = Squeeze(n1) a = "
            "Range(i, n, j) u = Reshape(a, c) g = Expand(u, s) h = Expand(a, s) v = Unsqueeze(g, l) w = "
            "Unsqueeze(h, l) k = Concat<axis=-1>(w, v) z = ScatterND(x, k, y) }",
            "the positions may not be all, in order",
            {},
        ),
        (
            take_updates,
            "g (float[2,2] x, float[2,2] y) => (float[2,2] z) <int64[2] b={1,0}, int64[2,1] a={0,1}, int64[2]"
            " s={2,2}, int64[1] l={-1}> { g = Expand(a, s) h = Expand(b, s) v = Unsqueeze(g, l) w = "
            "Unsqueeze(h, l) k = Concat<axis=2>(v, w) z = ScatterND(x, k, y) }",
            "the positions may not be all, in order",
            {},
        ),
        (
            take_updates,
            "g (float[2,2] x, float[2,2] y, int64[2,2,1] v) => (float[2,2] z) { k = Concat<axis=2>(v, v) z = "
            "ScatterND(x, k, y) }",
            "the positions may not be all, in order",
            {},
        ),
        (
            take_updates,
            "g (float[2,2] x, float[2,2] y, int64[2,2,2] k) => (float[2,2] z) { z = ScatterND(x, k, y) }",
            "the positions are not made axis by axis, or are added up",
            {},
        ),
        (
            take_updates,
            'g (float[n,m] x, float[n,m] y) => (float[n,m] z) <int64 i={0}, int64 j={1}, int64[1] o={0}, '
            'int64[2] c={-1,1}, int64[1] l={-1}> { s = Shape(x) n1 = Shape<end=1>(x) m1 = Shape<start=1>(x) n'
            ' = Squeeze(n1) m = Squeeze(m1) a = Range(i, n, j) b = Range(i, m, j) u = Reshape(a, c) g = '
            'Expand(u, s) h = Expand(b, s) v = Unsqueeze(g, l) w = Unsqueeze(h, l) k = Concat<axis=-1>(v, w) '
            't = ScatterND<reduction="add">(x, k, y) z = Neg(t) }',
            "the positions are not made axis by axis, or are added up",
            {},
        ),
        (
            take_updates,
            "g (float[2,2] x, float[1,2] y, int64[1,1] k) => (float[2,2] z) { z = ScatterND(x, k, y) }",
            "the updates do not have the shape of the whole",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
