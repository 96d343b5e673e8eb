"""merge_equal_sizes: size vectors from as few nodes as it takes."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_same_model, assert_simplifies, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.merge_equal_sizes import assemble_sizes, single_size
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            assemble_sizes,
            "g (float[n,4] x, float[1,3] p) => (float[n,3] z) <bool[2] c={0,1}, int64[2] one={1,1}, int64[1] "
            "m={-1}> { s = Shape<end=1>(x) u = Concat<axis=0>(s, m) w = Where(c, one, u) z = Expand(p, w) }",
            "g (float[n,4] x, float[1,3] p) => (float[n,3] z) <int64[1] o={1}> { s = Shape<end=1>(x) w = "
            "Concat<axis=0>(s, o) z = Expand(p, w) }",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,m,4] x, float p) => (float[n,m] z) <int64[1] a={0}, int64[1] b={1}> { s = Shape(x) t "
            "= Gather(s, a) u = Gather(s, b) w = Concat<axis=0>(t, u) z = Expand(p, w) }",
            "g (float[n,m,4] x, float p) => (float[n,m] z) { w = Shape<start=0,end=2>(x) z = Expand(p, w) }",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x, float p) => (float[n] z) <int64 i={0}, int64[1] o={0}> { s = Shape(x) g = "
            "Gather(s, i) w = Unsqueeze(g, o) z = Expand(p, w) }",
            "g (float[n,4] x, float p) => (float[n] z) { w = Shape<start=0,end=1>(x) z = Expand(p, w) }",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x, float p) => (float[n] z) <int64 i={0}, int64[1] o={0}> { s = Shape(x) g = "
            "Gather(s, i) w = Unsqueeze(g, o) z = Expand(p, w) }",
            "g (float[n,4] x, float p) => (float[n] z) <int64[1] i={0}> { s = Shape(x) w = Gather<axis=0>(s, "
            "i) z = Expand(p, w) }",
            {"numbering": True, "opset": 14},
        ),
        (
            assemble_sizes,
            "g (float[n,1] x, float[1,m] y, float p) => (float[n,m] z) { a = Add(x, y) b = Exp(a) c = Neg(b) "
            "s = Shape(c) z = Expand(p, s) }",
            "g (float[n,1] x, float[1,m] y, float p) => (float[n,m] z) { t = Shape<start=0,end=1>(x) u = "
            "Shape<start=1,end=2>(y) s = Concat<axis=0>(t, u) z = Expand(p, s) }",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x) => (int32[1] z) <int64[1] i={0}> { s = Shape(x) c = Cast<to=6>(s) w = Gather(c,"
            " i) u = Neg(w) v = Neg(u) z = Identity(v) }",
            "g (float[n,4] x) => (int32[1] z) { s = Shape<start=0,end=1>(x) z = Cast<to=6>(s) }",
            {"numbering": True},
        ),
        (
            single_size,
            "g (float[n,4] x) => (int64[n] z) <int64 i={0}, int64 one={1}> { s = Shape(x) g = Gather(s, i) z "
            "= Range(i, g, one) }",
            "g (float[n,4] x) => (int64[n] z) <int64 i={0}, int64 one={1}, int64[1] o={0}> { s = "
            "Shape<start=0,end=1>(x) g = Squeeze(s, o) z = Range(i, g, one) }",
            {"numbering": True},
        ),
        (
            single_size,
            "g (float[n,4] x) => (int64[n] z, int64[1] w) <int64 i={0}, int64 one={1}, int64[1] t={2}> { v = "
            "Shape<end=1>(x) w = Mul(v, t) s = Shape(x) g = Gather(s, i) z = Range(i, g, one) }",
            "g (float[n,4] x) => (int64[n] z, int64[1] w) <int64 i={0}, int64 one={1}, int64[1] o={0}, "
            "int64[1] t={2}> { v = Shape<end=1>(x) w = Mul(v, t) g = Squeeze(v, o) z = Range(i, g, one) }",
            {"numbering": True},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            assemble_sizes,
            "g (float[n,4] x) => (float[4,n] z) { z = Transpose(x) }",
            "it computes no vector of sizes",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x) => (int64 z) <int64 i={0}> { s = Shape(x) z = Gather(s, i) }",
            "it computes no vector of sizes",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x) => (int64[1] z) <int64[1] i={0}> { s = Shape(x) z = Gather(s, i) }",
            "no earlier values have the sizes, or it is as short as it can be",
            {"numbering": True, "opset": 14},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x, int64[1] y) => (int64[2] z) { s = Shape<end=1>(x) z = Concat<axis=0>(s, y) }",
            "no earlier values have the sizes, or it is as short as it can be",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x) => (int64[2] z) <int64[1] y={7}> { s = Shape<end=1>(x) z = Concat<axis=0>(s, y) }",
            "no earlier values have the sizes, or it is as short as it can be",
            {"numbering": True},
        ),
        (
            assemble_sizes,
            "g (float[n,4] x) => (int64[1] z) <int64[1] y={7}> { s = Shape<end=1>(x) z = Mul(s, y) }",
            "no earlier values have the sizes, or it is as short as it can be",
            {"numbering": True},
        ),
        (
            single_size,
            "g (float[n,4] x) => (int64[2] z) { s = Shape(x) z = Neg(s) }",
            "it computes no single size",
            {"numbering": True},
        ),
        (
            single_size,
            "g (float[n,4] x) => (int64 z) <int64 i={0}> { s = Shape(x) z = Gather(s, i) }",
            "it computes no single size",
            {"numbering": True, "opset": 14},
        ),
        (
            single_size,
            "g (float[n,4] x) => (int64 z) <int64[1] o={0}> { s = Shape<end=1>(x) z = Squeeze(s, o) }",
            "it is as short as it can be",
            {"numbering": True},
        ),
        (
            single_size,
            "g (float[n,m] x) => (int64 z, int64 w) <int64 i={0}, int64 j={1}> { s = Shape(x) z = Gather(s, "
            "i) w = Gather(s, j) }",
            "it is as short as it can be",
            {"numbering": True},
        ),
        (
            single_size,
            "g (float[n,4] x) => (int64 z) <int64 j={2}> { s = Size(x) z = Mul(s, j) }",
            "no earlier value has this size",
            {"numbering": True},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_a_vector_made_later_lets_the_scalar_before_it_be_squeezed():
    """Shape(x) has two readers, so the scalar alone would not be worth a Shape of its own."""
    assert_simplifies(
        """g (float[n,m] x, float p) => (int64[n] r, int64 w, float[n] e)
            <int64 i = {0}, int64 j = {1}, int64[1] o = {0}> {
            s = Shape(x) g = Gather(s, i) h = Gather(s, j) r = Range(i, g, j) w = Mul(h, h)
            t = Shape(x) k = Gather(t, o) e = Expand(p, k) }""",
        """g (float[n,m] x, float p) => (int64[n] r, int64 w, float[n] e)
            <int64 i = {0}, int64 j = {1}, int64[1] o = {0}> {
            k = Shape<start=0,end=1>(x) g = Squeeze(k, o) r = Range(i, g, j)
            l = Shape<start=1,end=2>(x) h = Squeeze(l, o) w = Mul(h, h) e = Expand(p, k) }""",
    )


@pytest.mark.parametrize(("n", "m"), [(2, 3), (1, 1), (0, 4)])
def test_sizes_of_two_inputs_are_not_mixed_up(n, m):
    text = """g (float[n,4] a, float[m,4] b, float p) => (float[m,n] z) <int64 i = {0}, int64[1] o = {0}> {
        s = Shape(a) t = Shape(b) u = Gather(s, i) v = Gather(t, i) x = Unsqueeze(u, o) y = Unsqueeze(v, o)
        w = Concat<axis=0>(y, x) z = Expand(p, w) }"""
    original = model(text, opset=17)
    result = simplify(original).model
    feeds = {"a": np.zeros((n, 4), np.float32), "b": np.zeros((m, 4), np.float32), "p": np.array(3, np.float32)}
    assert len(result.graph.node) == 4
    assert_same_model(original, result, rtol=0, atol=0, feeds=feeds)


def test_numbers_are_left_to_folding():
    """They would be stored even where nothing is to fold."""
    assert_skips(assemble_sizes, "g (float[2,3,4] x, float y) => (float[2,3,4] z) { s = Shape(x) z = Expand(y, s) }",
                 "all elements are numbers: that is for folding")


def test_a_vector_is_tried_again_when_a_reader_far_before_it_goes():
    """Of the Add, which is read by a Loop too until that is unrolled; the function between has two results."""
    text = """<ir_version: 10, opset_import: ["": 17, "local": 1]>
        g (float[n,3] x, float[2,m] w) => (int64[2] y, int64[1] z, int64[1] u)
            <int64[1] two = {2}, int64 once = {1}, bool go = {1}> {
            size = Shape<start=0, end=1>(x)
            more = Add(size, two)
            size_again, u = local.Sizes(more, two, w)
            y = Concat<axis=0>(size_again, u)
            z = Loop(once, go, more) <body = b (int64 i, bool c, int64[1] s) => (bool d, int64[1] t) {
                d = Identity(c) t = Identity(size) }> }
        <opset_import: ["": 17], domain: "local"> Sizes (a, b, w) => (p, q) { p = Sub(a, b) q = Shape<start=1, end=2>(w) }"""
    original = model(text)
    feeds = {"x": np.ones((5, 3), np.float32), "w": np.ones((2, 7), np.float32)}
    once = simplify(original).model
    again = simplify(once).model
    assert [node.op_type for node in once.graph.node] == [node.op_type for node in again.graph.node]
    assert_same_model(original, once, rtol=0, atol=0, feeds=feeds)
