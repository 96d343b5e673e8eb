"""eliminate_loop_with_const_trip_count: Loops that run at most once."""

import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_loop_with_const_trip_count import unroll_one_trip

LOOP = (
    "g (float[2] x{extra}) => (float[2] z) <int64 m={{{trips}}}> {{ a = Loop<body = b (int64 i, bool c, float[2] v) => "
    "(bool d, float[2] w) {{ d = Identity(c) w = Exp(v) }}>(m, {condition}, x) z = Neg(a) }}"
)


def loop(trips: int, condition: str = "", extra: str = "") -> str:
    return LOOP.format(trips=trips, condition=condition, extra=extra)


def test_a_loop_that_runs_once_is_its_body():
    assert_rewrites(
        unroll_one_trip, loop(1), "g (float[2] x) => (float[2] z) { a = Exp(x) z = Neg(a) }", hazards=False
    )


@pytest.mark.parametrize("trips", [0, -3])
def test_a_loop_that_never_runs_is_what_it_starts_with(trips):
    assert_rewrites(unroll_one_trip, loop(trips), "g (float[2] x) => (float[2] z) { z = Neg(x) }", hazards=False)


def test_the_counter_has_the_rank_that_the_body_declares():
    assert_rewrites(
        unroll_one_trip,
        "g (float[2] x) => (float[2] z, int64[1,1] s) <int64 m={1}> { a, s = Loop<body = b (int64[1] i, bool[1] c, "
        "float[2] v) => (bool[1] d, float[2] w, int64[1] n) { d = Identity(c) w = Exp(v) n = Neg(i) }>(m, , x) z = "
        "Neg(a) }",
        "g (float[2] x) => (float[2] z, int64[1,1] s) <int64[1] i={0}, int64[1] o={0}> { a = Exp(x) z = Neg(a) n = "
        "Neg(i) s = Unsqueeze(n, o) }",
        hazards=False,
    )


@pytest.mark.parametrize("text", [loop(2), loop(3), loop(1, "c", ", bool c")])
def test_skips_a_loop_that_may_run_another_number_of_times(text):
    assert_skips(unroll_one_trip, text, "the number of trips is not known to be 0 or 1")


def test_skips_rows_of_a_narrow_type():
    before = (
        "g (float[2] x) => (uint4[1,2] s) <int64 m={1}> { s = Loop<body = b (int64 i, bool c) => (bool d, uint4[2] r) "
        "{ d = Identity(c) r = Cast<to = 21>(x) }>(m, ) }"
    )
    assert_skips(unroll_one_trip, before, "the rows are of a narrow type that nothing unsqueezes", opset=21)


def test_skips_rows_of_a_loop_that_never_runs():
    before = (
        "g (float[2] x) => (float[2] z, float[t,2] s) <int64 m={0}> { a, s = Loop<body = b (int64 i, bool c, "
        "float[2] v) => (bool d, float[2] w, float[2] r) { d = Identity(c) w = Exp(v) r = Neg(v) }>(m, , x) "
        "z = Neg(a) }"
    )
    assert_skips(unroll_one_trip, before, "a Loop that never runs gives empty scan outputs of unknown shape")
