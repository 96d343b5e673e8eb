"""eliminate_nop_reshape: a view of the same shape."""

import pytest
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.eliminate_nop_reshape import drop_reshape
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_reshape,
            "g (float[n,3] x) => (float[n,3] z) <int64[2] s = {0,3}> { a = Reshape(x, s) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_reshape,
            "g (float[n,3] x) => (float[n,3] z) <int64[2] s = {-1,3}> { a = Reshape(x, s) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_reshape,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) a = Reshape(x, s) z = Neg(a) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_reshape,
            "g (float[2,3] x) => (float[2,3] z) { a = Squeeze(x) z = Neg(a) }",
            "g (float[2,3] x) => (float[2,3] z) { z = Neg(x) }",
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
            drop_reshape,
            "g (float[n,3] x) => (float[k] z) <int64[1] s = {-1}> { z = Reshape(x, s) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_reshape,
            "g (float[n,3] x) => (float[3,n] z) <int64[2] s = {3,-1}> { z = Reshape(x, s) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_reshape,
            "g (float[n,m] x) => (float[n,m] z) { z = Squeeze(x) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_reshape,
            "g (float[n,m] x) => (float[n,m] z) <int64[2] s = {0,0}> { z = Reshape(, s) }",
            "the input is missing",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_a_value_of_unknown_rank_under_its_own_shape():
    text = "g (float[2] x) => (float[k] z) { a = acme.Make(x) s = Shape(a) b = Reshape(a, s) z = Neg(b) }"
    result, _ = apply(drop_reshape, text, domains={"acme": 1})
    assert [node.op_type for node in result.graph.node] == ["Make", "Neg"]


def test_part_of_its_own_shape_is_another():
    text = "g (float[2,3] x) => (float[k] z) { a = acme.Make(x) s = Shape<start=1>(a) z = Reshape(a, s) }"
    assert_skips(drop_reshape, text, "the shape changes or is not known", domains={"acme": 1})


def test_a_size_that_came_to_have_another_name():
    """The target says that the open size of x is that of w, so what is known of the result has the name of that one."""
    text = """g (float[?,2] x, float[k,5] w) => (float[?,?] z) <int64[1] two = {2}> {
        s = Shape<end = 1>(w) t = Concat<axis = 0>(s, two) r = Reshape(x, t) z = Neg(r) }"""
    assert [node.op_type for node in simplify(model(text)).model.graph.node] == ["Neg"]
