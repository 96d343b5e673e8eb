"""Upwards, attributes that became inputs."""

import pytest
from opsets import assert_converts, assert_refused


@pytest.mark.parametrize(("source", "target", "before", "after"), [
    (11, 13, "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze<axes=[1]>(x) }",
     "g (float[2,1,3] x) => (float[2,3] y) { a = Constant<value_ints=[1]>() y = Squeeze(x, a) }"),
    (11, 13, "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze(x) }",
     "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze(x) }"),
    (11, 13, "g (float[2,3] x) => (float[2,1,3,1] y) { y = Unsqueeze<axes=[1,-1]>(x) }",
     "g (float[2,3] x) => (float[2,1,3,1] y) { a = Constant<value_ints=[1,-1]>() y = Unsqueeze(x, a) }"),
    (11, 13, "g (float[2,3] x) => (float[2,1] y) { y = ReduceSum<axes=[1]>(x) }",
     "g (float[2,3] x) => (float[2,1] y) { a = Constant<value_ints=[1]>() y = ReduceSum(x, a) }"),
    (13, 18, "g (float[2,3] x) => (float[2] y) { y = ReduceMean<axes=[1], keepdims=0>(x) }",
     "g (float[2,3] x) => (float[2] y) { a = Constant<value_ints=[1]>() y = ReduceMean<keepdims=0>(x, a) }"),
    (13, 18, "g (float[2,3] x) => (float[1,1] y) { y = ReduceMax(x) }",
     "g (float[2,3] x) => (float[1,1] y) { y = ReduceMax(x) }"),
    (11, 13, "g (float[5] x) => (float[2] y, float[3] z) { y, z = Split<split=[2,3]>(x) }",
     "g (float[5] x) => (float[2] y, float[3] z) { a = Constant<value_ints=[2,3]>() y, z = Split(x, a) }"),
    (13, 18, "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split(x) }",
     "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split<num_outputs=2>(x) }"),
    (11, 18, "g (float[5] x) => (float[2] y, float[3] z) { y, z = Split<split=[2,3]>(x) }",
     "g (float[5] x) => (float[2] y, float[3] z) { a = Constant<value_ints=[2,3]>() y, z = Split(x, a) }"),
    (9, 10, "g (float[4,5] x) => (float[4,2] y) { y = Slice<starts=[1], ends=[3], axes=[1]>(x) }",
     """g (float[4,5] x) => (float[4,2] y) {
        s = Constant<value_ints=[1]>() e = Constant<value_ints=[3]>() a = Constant<value_ints=[1]>()
        y = Slice(x, s, e, a) }"""),
    (9, 10, "g (float[4,5] x) => (float[2,4] y) { y = Slice<starts=[1,0], ends=[3,4]>(x) }",
     """g (float[4,5] x) => (float[2,4] y) {
        s = Constant<value_ints=[1,0]>() e = Constant<value_ints=[3,4]>() y = Slice(x, s, e) }"""),
    (10, 11, "g (float[2] x) => (float[5] y) { y = Pad<pads=[1,2], value=0.5>(x) }",
     """g (float[2] x) => (float[5] y) {
        p = Constant<value_ints=[1,2]>() v = Constant<value_float=0.5>() y = Pad(x, p, v) }"""),
    (10, 11, "g (float[4] x) => (float[7] y) { y = Pad<mode=\"reflect\", pads=[1,2]>(x) }",
     "g (float[4] x) => (float[7] y) { p = Constant<value_ints=[1,2]>() y = Pad<mode=\"reflect\">(x, p) }"),
    (10, 11, "g (float[4] x) => (float[4] y) { y = Clip<min=-0.5, max=0.5>(x) }",
     """g (float[4] x) => (float[4] y) {
        a = Constant<value_float=-0.5>() b = Constant<value_float=0.5>() y = Clip(x, a, b) }"""),
    (10, 11, "g (float[4] x) => (float[4] y) { y = Clip<max=0.5>(x) }",
     "g (float[4] x) => (float[4] y) { b = Constant<value_float=0.5>() y = Clip(x, , b) }"),
    (9, 10, "g (float[4] x) => (float[2] y, int64[2] i) { y, i = TopK<k=2>(x) }",
     "g (float[4] x) => (float[2] y, int64[2] i) { k = Constant<value_ints=[2]>() y, i = TopK(x, k) }"),
    (11, 12, "g (float[4] x) => (float[4] y) { y = Dropout<ratio=0.25>(x) }",
     "g (float[4] x) => (float[4] y) { r = Constant<value_float=0.25>() y = Dropout(x, r) }"),
    (11, 12, "g (float[4] x) => (float[4] y) { y = Dropout(x) }", "g (float[4] x) => (float[4] y) { y = Dropout(x) }"),
    (8, 9, "g (float[1,1,2,2] x) => (float[1,1,4,4] y) { y = Upsample<scales=[1.0,1.0,2.0,2.0]>(x) }",
     """g (float[1,1,2,2] x) => (float[1,1,4,4] y) {
        s = Constant<value_floats=[1.0,1.0,2.0,2.0]>() y = Upsample(x, s) }"""),
    (17, 20, "g (float[1,4,1] x) => (float[1,4,2] y) { y = DFT(x) }",
     "g (float[1,4,1] x) => (float[1,4,2] y) { a = Constant<value_int=1>() y = DFT(x, , a) }"),
    (17, 20, "g (float[1,4,3,1] x) => (float[1,4,3,2] y) { y = DFT<axis=2>(x) }",
     "g (float[1,4,3,1] x) => (float[1,4,3,2] y) { a = Constant<value_int=2>() y = DFT(x, , a) }"),
])
def test_attributes_become_inputs(source, target, before, after):
    assert_converts(before, after, source=source, target=target)


def test_a_double_gets_bounds_of_its_type():
    assert_converts("g (double[4] x) => (double[4] y) { y = Clip<min=0.5>(x) }",
                    "g (double[4] x) => (double[4] y) { a = Constant<value=double {0.5}>() y = Clip(x, a) }",
                    source=10, target=11, runs=False)  # onnxruntime has no Clip-6 of doubles


def test_a_mask_that_is_read_stays_where_it_is():
    assert_refused("g (float[4] x) => (float[4] y, bool[4] m) { y, m = Dropout(x) }", "its mask is read",
                   source=11, target=12)


@pytest.mark.parametrize(("source", "target", "before"), [
    (9, 10, "g (float[4] x) => (float[4] y) { y = Slice<starts=[0]>(x) }"),
    (9, 10, "g (float[4] x) => (float[2] y, int64[2] i) { y, i = TopK(x) }"),
    (10, 11, "g (float[4] x) => (float[6] y) { y = Pad(x) }"),
    (8, 9, "g (float[1,1,2,2] x) => (float[1,1,4,4] y) { y = Upsample(x) }"),
])
def test_malformed_nodes_are_no_operators(source, target, before):
    assert_refused(before, "it has not the form that its operator asks for", source=source, target=target)


def test_refuses_a_bound_whose_type_is_unknown():
    assert_refused("g (float[4] x) => (float[4] y) { t = Foo(x) y = Clip<min=0.5>(t) }",
                   "the type of input 0 is unknown", source=10, target=11)
    assert_refused("g (float[4] x) => (float[6] y) { t = Foo(x) y = Pad<pads=[1,1], value=1.0>(t) }",
                   "the type of input 0 is unknown", source=10, target=11)
