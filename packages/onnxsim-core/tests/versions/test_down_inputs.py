"""Downwards, inputs that were attributes before."""

import numpy as np
import pytest
from opsets import assert_converts, assert_refused


@pytest.mark.parametrize(("source", "target", "before", "after"), [
    (13, 11, "g (float[2,1,3] x) => (float[2,3] y) { a = Constant<value_ints=[-2]>() y = Squeeze(x, a) }",
     "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze<axes=[-2]>(x) }"),
    (13, 9, "g (float[2,1,3] x) => (float[2,3] y) { a = Constant<value_ints=[-2]>() y = Squeeze(x, a) }",
     "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze<axes=[1]>(x) }"),
    (21, 11, "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze(x) }",
     "g (float[2,1,3] x) => (float[2,3] y) { y = Squeeze(x) }"),
    (21, 9, "g (float[2,3] x) => (float[2,3,1] y) { a = Constant<value_ints=[-1]>() y = Unsqueeze(x, a) }",
     "g (float[2,3] x) => (float[2,3,1] y) { y = Unsqueeze<axes=[2]>(x) }"),
    (13, 11, "g (float[2,3] x) => (float[2,1] y) { a = Constant<value_ints=[1]>() y = ReduceSum(x, a) }",
     "g (float[2,3] x) => (float[2,1] y) { y = ReduceSum<axes=[1]>(x) }"),
    (18, 9, "g (float[2,3] x) => (float[2] y) { a = Constant<value_ints=[-1]>() y = ReduceMean<keepdims=0>(x, a) }",
     "g (float[2,3] x) => (float[2] y) { y = ReduceMean<axes=[1], keepdims=0>(x) }"),
    (18, 13, "g (float[2,3] x) => (float[1,1] y) { y = ReduceMax<noop_with_empty_axes=0>(x) }",
     "g (float[2,3] x) => (float[1,1] y) { y = ReduceMax(x) }"),
    (18, 13, "g (float[2,3] x) => (float[2,3] y) { y = ReduceMin<noop_with_empty_axes=1>(x) }",
     "g (float[2,3] x) => (float[2,3] y) { y = Identity(x) }"),
    (18, 11, "g (float[2,3] x) => (float[2,3] y) { y = ReduceL1<noop_with_empty_axes=1>(x) }",
     "g (float[2,3] x) => (float[2,3] y) { a = Abs(x) y = Identity(a) }"),
    (13, 11, "g (float[5] x) => (float[2] y, float[3] z) { a = Constant<value_ints=[2,3]>() y, z = Split(x, a) }",
     "g (float[5] x) => (float[2] y, float[3] z) { y, z = Split<split=[2,3]>(x) }"),
    (18, 13, "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split<num_outputs=2>(x) }",
     "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split(x) }"),
    (18, 11, "g (float[5] x) => (float[3] y, float[2] z) { y, z = Split<num_outputs=2>(x) }",
     "g (float[5] x) => (float[3] y, float[2] z) { y, z = Split<split=[3,2]>(x) }"),
    (13, 11, "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split(x) }",
     "g (float[4] x) => (float[2] y, float[2] z) { y, z = Split(x) }"),
    (13, 9, """g (float[4,5] x) => (float[4,2] y) { s = Constant<value_ints=[1]>() e = Constant<value_ints=[3]>()
               a = Constant<value_ints=[-1]>() y = Slice(x, s, e, a) }""",
     "g (float[4,5] x) => (float[4,2] y) { y = Slice<starts=[1], ends=[3], axes=[1]>(x) }"),
    (11, 9, """g (float[4] x) => (float[2] y) { s = Constant<value_ints=[1]>() e = Constant<value_ints=[3]>()
               a = Constant<value_ints=[0]>() y = Slice(x, s, e, a, s) }""",
     "g (float[4] x) => (float[2] y) { y = Slice<starts=[1], ends=[3], axes=[0]>(x) }"),
    (11, 9, """g (float[4] x) => (float[2] y) { s = Constant<value_ints=[1]>() e = Constant<value_ints=[3]>()
               y = Slice(x, s, e) }""",
     "g (float[4] x) => (float[2] y) { y = Slice<starts=[1], ends=[3]>(x) }"),
    (18, 13, """g (float[2,3] x) => (float[2,6] y) { p = Constant<value_ints=[1,2]>() a = Constant<value_ints=[-1]>()
                y = Pad(x, p, , a) }""",
     "g (float[2,3] x) => (float[2,6] y) { p = Constant<value_ints=[0,1,0,2]>() y = Pad(x, p) }"),
    (13, 10, "g (float[2] x) => (float[5] y) { p = Constant<value_ints=[1,2]>() v = Constant<value_float=0.5>() "
             "y = Pad(x, p, v) }", "g (float[2] x) => (float[5] y) { y = Pad<pads=[1,2], value=0.5>(x) }"),
    (13, 10, "g (float[4] x) => (float[7] y) { p = Constant<value_ints=[1,2]>() y = Pad<mode=\"edge\">(x, p) }",
     "g (float[4] x) => (float[7] y) { y = Pad<mode=\"edge\", pads=[1,2]>(x) }"),
    (13, 10, "g (float[4] x) => (float[4] y) { a = Constant<value_float=-0.5>() b = Constant<value_float=0.5>() "
             "y = Clip(x, a, b) }", "g (float[4] x) => (float[4] y) { y = Clip<max=0.5, min=-0.5>(x) }"),
    (13, 10, "g (float[4] x) => (float[4] y) { b = Constant<value_float=0.5>() y = Clip(x, , b) }",
     "g (float[4] x) => (float[4] y) { y = Clip<max=0.5>(x) }"),
    (13, 10, "g (float[4] x, float m) => (float[4] y) { y = Clip(x, m) }",
     "g (float[4] x, float m) => (float[4] y) { y = Max(x, m) }"),
    (13, 10, "g (float[4] x) => (float[4] y) { y = Clip(x) }", "g (float[4] x) => (float[4] y) { y = Clip(x) }"),
    (11, 9, "g (float[4] x) => (float[2] y, int64[2] i) { k = Constant<value_ints=[2]>() "
            "y, i = TopK<largest=1, sorted=1>(x, k) }",
     "g (float[4] x) => (float[2] y, int64[2] i) { y, i = TopK<k=2>(x) }"),
    (13, 10, "g (float[4] x) => (float[4] y) { r = Constant<value_float=0.25>() y = Dropout<seed=1>(x, r) }",
     "g (float[4] x) => (float[4] y) { y = Dropout<ratio=0.25>(x) }"),
    (20, 17, "g (float[1,4,3,1] x) => (float[1,4,3,2] y) { y = DFT(x) }",
     "g (float[1,4,3,1] x) => (float[1,4,3,2] y) { y = DFT<axis=2>(x) }"),
    (13, 9, "g (float[2,3] x) => (float[2,6] y) { y = Concat<axis=-1>(x, x) }",
     "g (float[2,3] x) => (float[2,6] y) { y = Concat<axis=1>(x, x) }"),
    (13, 9, "g (float[2,3] x) => (int64[2,1] y) { y = ArgMax<axis=-1, select_last_index=0>(x) }",
     "g (float[2,3] x) => (int64[2,1] y) { y = ArgMax<axis=1>(x) }"),
])
def test_inputs_become_attributes(source, target, before, after):
    assert_converts(before, after, source=source, target=target)


def test_one_hot_has_an_axis_more():
    feeds = {"i": np.array([0, 2])}
    text = """g (int64[2] i) => (float[2,3] y) {{ d = Constant<value_ints=[3]>() v = Constant<value_floats=[0.0,1.0]>()
              y = OneHot<axis={}>(i, d, v) }}"""
    assert_converts(text.format(-1), text.format(1), source=11, target=9, feeds=feeds)


@pytest.mark.parametrize(("source", "target", "reason", "before"), [
    (13, 11, "the axes are not constant", "g (float[2,1] x, int64[1] a) => (float[n] y) { y = Squeeze(x, a) }"),
    (18, 13, "the axes are not constant", "g (float[2,3] x, int64[1] a) => (float[n,m] y) { y = ReduceMax(x, a) }"),
    (13, 11, "the sizes are not constant",
     "g (float[5] x, int64[2] s) => (float[n] y, float[m] z) { y, z = Split(x, s) }"),
    (18, 13, "the size of the axis is unknown, and the parts may differ",
     "g (float[n] x) => (float[a] y, float[b] z) { y, z = Split<num_outputs=2>(x) }"),
    (10, 9, "starts, ends or axes are not constant",
     "g (float[5] x, int64[1] s) => (float[n] y) { e = Constant<value_ints=[3]>() y = Slice(x, s, e) }"),
    (10, 9, "its steps are not 1", """g (float[5] x) => (float[2] y) { s = Constant<value_ints=[0]>()
     e = Constant<value_ints=[4]>() t = Constant<value_ints=[2]>() y = Slice(x, s, e, s, t) }"""),
    (11, 10, "an axis may count from the end and the rank or the axes are unknown",
     "g (float[5] x, int64[1] s, int64[1] a) => (float[n] y) { y = Slice(x, s, s, a) }"),
    (18, 13, "axes, pads or the rank are unknown",
     "g (float[5] x, int64[2] p) => (float[n] y) { a = Constant<value_ints=[0]>() y = Pad(x, p, , a) }"),
    (11, 10, "pads or value are not constant", "g (float[5] x, int64[2] p) => (float[n] y) { y = Pad(x, p) }"),
    (10, 9, "k is not constant", "g (float[5] x, int64[1] k) => (float[n] y, int64[n] i) { y, i = TopK(x, k) }"),
    (11, 10, "it takes the smallest elements",
     "g (float[5] x, int64[1] k) => (float[n] y, int64[n] i) { y, i = TopK<largest=0>(x, k) }"),
    (12, 11, "it may run in training mode", "g (float[5] x, bool t) => (float[5] y) { y = Dropout(x, , t) }"),
    (12, 11, "the ratio is not constant", "g (float[5] x, float r) => (float[5] y) { y = Dropout(x, r) }"),
    (12, 11, "its mask is read", "g (float[5] x) => (float[5] y, bool[5] m) { y, m = Dropout(x) }"),
    (20, 17, "the axis or the rank is unknown",
     "g (float[1,4,1] x, int64 a) => (float[1,4,2] y) { y = DFT(x, , a) }"),
    (11, 9, "the axis counts from the end and the rank is unknown",
     "g (float[5] x) => (float[5] y) { t = Foo(x) y = Softmax<axis=-1>(t) }"),
    (11, 9, "an axis counts from the end and the rank is unknown",
     "g (float[5] x) => (float[5,1] y) { t = Foo(x) y = Unsqueeze<axes=[-1]>(t) }"),
])
def test_refuses(source, target, reason, before):
    assert_refused(before, reason, source=source, target=target)
