"""fuse_consecutive_slices: a Slice of a Slice."""

import numpy as np
import onnxruntime
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.ir import dims
from onnxsim_core.passes.fuse_consecutive_slices import compose, compose_slices
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_slices,
            "g (float[n,9] x) => (float[k,5] z) <int64[1] s1={2}, int64[1] e1={8}, int64[1] a1={1}, int64[1] "
            "s2={1}, int64[1] e2={9}, int64[1] a2={0}, int64[1] s3={0}, int64[1] e3={5}, int64[1] a3={1}> { a"
            " = Slice(x, s1, e1, a1) b = Slice(a, s2, e2, a2) z = Slice(b, s3, e3, a3) }",
            "g (float[n,9] x) => (float[k,5] z) <int64[2] s1={1,2}, int64[2] e1={9,7}, int64[2] a1={0,1}> { z"
            " = Slice(x, s1, e1, a1) }",
            {},
        ),
        (
            compose_slices,
            "g (float[9] x) => (float[2] z) <int64[1] s1={8}, int64[1] e1={-10}, int64[1] a1={0}, int64[1] "
            "t1={-2}, int64[1] s2={1}, int64[1] e2={4}, int64[1] a2={0}, int64[1] t2={2}> { a = Slice(x, s1, "
            "e1, a1, t1) z = Slice(a, s2, e2, a2, t2) }",
            "g (float[9] x) => (float[2] z) <int64[1] s1={6}, int64[1] e1={1}, int64[1] a1={0}, int64[1] "
            "t1={-4}> { z = Slice(x, s1, e1, a1, t1) }",
            {},
        ),
        (
            compose_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={2}, int64[1] e1={9223372036854775807}, int64[1] "
            "a1={0}, int64[1] s2={1}, int64[1] e2={-1}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) z = "
            "Slice(a, s2, e2, a2) }",
            "g (float[n] x) => (float[k] z) <int64[1] s1={3}, int64[1] e1={-1}, int64[1] a1={0}> { z = "
            "Slice(x, s1, e1, a1) }",
            {},
        ),
        (
            compose_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={2}, int64[1] e1={-1}, int64[1] a1={0}, int64[1] "
            "s2={1}, int64[1] e2={2147483647}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) z = Slice(a, s2, "
            "e2, a2) }",
            "g (float[n] x) => (float[k] z) <int64[1] s1={3}, int64[1] e1={-1}, int64[1] a1={0}> { z = "
            "Slice(x, s1, e1, a1) }",
            {},
        ),
        (
            compose_slices,
            "g (float[4] x) => (float[0] z) <int64[1] s1={2}, int64[1] e1={4}, int64[1] a1={0}, int64[1] "
            "s2={5}, int64[1] e2={9}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) z = Slice(a, s2, e2, a2) }",
            "g (float[4] x) => (float[0] z) <int64[1] s1={0}, int64[1] e1={0}, int64[1] a1={0}> { z = "
            "Slice(x, s1, e1, a1) }",
            {},
        ),
        (
            compose_slices,
            "g (float[n,9] x) => (float[k,5] z) { a = Slice<starts=[1],ends=[6],axes=[1]>(x) z = "
            "Slice<starts=[1],ends=[3],axes=[0]>(a) }",
            "g (float[n,9] x) => (float[k,5] z) { z = Slice<starts=[1,1],ends=[3,6],axes=[0,1]>(x) }",
            {"opset": 9},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            compose_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={-2}, int64[1] e1={9}, int64[1] a1={0}, int64[1] "
            "s2={1}, int64[1] e2={9}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) z = Slice(a, s2, e2, a2) }",
            "what an axis keeps depends on its size",
            {},
        ),
        (
            compose_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={2}, int64[1] e1={9}, int64[1] a1={0}, int64[1] "
            "s2={0}, int64[1] e2={-2}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) z = Slice(a, s2, e2, a2) }",
            "what an axis keeps depends on its size",
            {},
        ),
        (
            compose_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={2}, int64[1] e1={-1}, int64[1] a1={0}, int64[1] "
            "s2={0}, int64[1] e2={3}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1) z = Slice(a, s2, e2, a2) }",
            "what an axis keeps depends on its size",
            {},
        ),
        (
            compose_slices,
            "g (float[n] x) => (float[k] z) <int64[1] s1={0}, int64[1] e1={9}, int64[1] a1={0}, int64[1] "
            "t1={2}, int64[1] s2={1}, int64[1] e2={3}, int64[1] a2={0}> { a = Slice(x, s1, e1, a1, t1) z = "
            "Slice(a, s2, e2, a2) }",
            "what an axis keeps depends on its size",
            {},
        ),
        (
            compose_slices,
            "g (float[9] x) => (float[k] z, int64[1] s) <int64[1] e={9}> { s = acme.Make(x) a = Slice(x, s, "
            "e) z = Slice(a, e, e) }",
            "the parameters are not known",
            {"domains": {"acme": 1}},
        ),
        (
            compose_slices,
            "g (float[9] x) => (float[3] z) <int64[1] s1={2}, int64[1] e1={5}, int64[1] a1={0}> { a = Neg(x) "
            "z = Slice(a, s1, e1, a1) }",
            "input is not made by a Slice of a value of known rank",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


PLACES = st.integers(-12, 12)
CUT = st.tuples(PLACES, PLACES | st.sampled_from([2**31 - 1, 2**63 - 1, -(2**31)]), st.sampled_from([1, 1, 2, 3, -1, -2]))
SLICING = "g (int64[n] x, int64[1] s, int64[1] e, int64[1] t) => (int64[k] y) <int64[1] o={0}> { y = Slice(x, s, e, o, t) }"
SLICE = onnxruntime.InferenceSession(model(SLICING).SerializeToString())


def cut_by_runtime(values, *cuts):
    """What onnxruntime keeps of a vector. Unlike Python it goes on backwards from a start before the first element."""
    for start, end, step in cuts:
        feeds = {name: np.array([number], np.int64) for name, number in zip("set", (start, end, step))}
        values = SLICE.run(None, {"x": values, **feeds})[0]
    return values.tolist()


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 9), CUT, CUT)
@example(5, (-10, -100, -1), (0, 9, 1))
@example(5, (3, 2**31 - 1, -1), (2, 2**63 - 1, -1))
def test_composed_cuts_keep_what_the_two_keep(size, a, b):
    values = np.arange(size)
    assert cut_by_runtime(values, compose(a, b, size)) == cut_by_runtime(values, a, b)


@settings(max_examples=300, deadline=None)
@given(CUT, CUT)
def test_cuts_composed_without_the_size_hold_for_every_size(a, b):
    found = compose(a, b, dims.symbol("n"))
    if found is None:
        return
    for size in (0, 1, 2, 3, 5, 8, 13, 21):
        values = np.arange(size)
        assert cut_by_runtime(values, found) == cut_by_runtime(values, a, b), size
