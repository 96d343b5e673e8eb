"""fuse_slice_squeeze: one element cut out."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_slice_squeeze import MOST_PIECES, gather_instead_of_slice, gather_instead_of_split


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            gather_instead_of_slice,
            "g (float[3,n] x) => (float[n] z) <int64[1] s1={1}, int64[1] e1={2}, int64[1] a1={0}> { y = "
            "Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "g (float[3,n] x) => (float[n] z) <int64 i={1}> { z = Gather<axis=0>(x, i) }",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[n,m] x) => (float[n] z) <int64[1] s1={-1}, int64[1] e1={9223372036854775807}, int64[1] "
            "a1={-1}> { y = Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "g (float[n,m] x) => (float[n] z) <int64 i={-1}> { z = Gather<axis=1>(x, i) }",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[3,n] x) => (float[n] z) <int64[1] s1={-5}, int64[1] e1={1}, int64[1] a1={0}> { y = "
            "Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "g (float[3,n] x) => (float[n] z) <int64 i={0}> { z = Gather<axis=0>(x, i) }",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[3,n] x) => (float[n] z) <int64[1] s1={-5}, int64[1] e1={-9}, int64[1] a1={0}, int64[1] t={-1}> "
            "{ y = Slice(x, s1, e1, a1, t) z = Squeeze(y, a1) }",
            "g (float[3,n] x) => (float[n] z) <int64 i={0}> { z = Gather<axis=0>(x, i) }",
            {},
        ),
        (
            gather_instead_of_split,
            "g (float[3,n] x) => (float[n] z) <int64[1] o={0}> { a, b, c = Split(x) d = Squeeze(a, o) e = "
            "Squeeze(b, o) f = Squeeze(c, o) g = Add(d, e) z = Sub(g, f) }",
            "g (float[3,n] x) => (float[n] z) <int64 i={0}, int64 j={1}, int64 k={2}> { d = Gather<axis=0>(x,"
            " i) e = Gather<axis=0>(x, j) f = Gather<axis=0>(x, k) g = Add(d, e) z = Sub(g, f) }",
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
            gather_instead_of_slice,
            "g (float[n,m] x) => (float[m] z) <int64[1] s1={-2}, int64[1] e1={9}, int64[1] a1={0}> { y = "
            "Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "the Slice may keep another number of elements than one",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[n,m] x) => (float[m] z) <int64[1] s1={-1}, int64[1] e1={0}, int64[1] a1={0}> { y = "
            "Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "the Slice may keep another number of elements than one",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[n,m] x) => (float[m] z) <int64[1] s1={0}, int64[1] e1={1}, int64[1] a1={0}, int64[1] "
            "t1={2}> { y = Slice(x, s1, e1, a1, t1) z = Squeeze(y, a1) }",
            "the Slice may keep another number of elements than one",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[3,1] x) => (float[1] z) <int64[1] s1={0}, int64[1] e1={1}, int64[1] a1={0}, int64[1] "
            "b={1}> { y = Slice(x, s1, e1, a1) z = Squeeze(y, b) }",
            "another axis is dropped",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[3,3] x) => (float z) <int64[2] s1={0,0}, int64[2] e1={1,1}, int64[2] a1={0,1}> { y = "
            "Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "the Slice is not along one axis with known bounds",
            {},
        ),
        (
            gather_instead_of_slice,
            "g (float[3,n] x) => (float[n] z, float[1,n] y) <int64[1] s1={1}, int64[1] e1={2}, int64[1] "
            "a1={0}> { y = Slice(x, s1, e1, a1) z = Squeeze(y, a1) }",
            "input is not made by a Slice that is read here only",
            {},
        ),
        (
            gather_instead_of_split,
            "g (float[4,n] x) => (float[n] z, float[3,n] y) <int64[1] o={0}, int64[2] s={1,3}> { a, y = "
            "Split(x, s) z = Squeeze(a, o) }",
            "a piece may be larger than one",
            {},
        ),
        (
            gather_instead_of_split,
            "g (float[2,n] x) => (float[n] z, float[1,n] y) <int64[1] o={0}> { a, y = Split(x) z = Squeeze(a, o) }",
            "a piece is read otherwise than by Squeeze of that axis",
            {},
        ),
        (
            gather_instead_of_split,
            "g (float[1,n] x) => (float[n] z) <int64[1] o={0}> { z = Squeeze(x, o) }",
            "input is not made by a Split",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_many_pieces_stay_a_split():
    names = [f"p{i}" for i in range(MOST_PIECES + 1)]
    body = f"{', '.join(names)} = Split(x) " + " ".join(f"s{i} = Squeeze({name}, o)" for i, name in enumerate(names))
    body += " z = Sum(" + ", ".join(f"s{i}" for i in range(len(names))) + ")"
    text = f"g (float[{len(names)},n] x) => (float[n] z) <int64[1] o = {{0}}> {{ {body} }}"
    assert_skips(gather_instead_of_split, text, "there are too many pieces")


def test_skips_what_is_computed_once_around_a_loop():
    text = """g (float[2,3,4] x, int64 n, float[] s) => (float[] z) <int64[1] a = {1}, int64[1] e = {2}> {
        t = Slice(x, a, e, a)
        z = Loop(n, "", s) <body = b (int64 i, bool c, float[] p) => (bool d, float[] q)
            { d = Identity(c) y = Squeeze(t, a) q = Add(p, y) }> }"""
    assert_skips(gather_instead_of_slice, text, "input is not made by a Slice that is read here only")
