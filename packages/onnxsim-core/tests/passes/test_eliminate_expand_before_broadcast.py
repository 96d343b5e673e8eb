"""eliminate_expand_before_broadcast: the reader broadcasts by itself."""

import pytest
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes.eliminate_expand_before_broadcast import READERS, drop_expand_of_operand


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_expand_of_operand,
            "g (float[n,3] x, float[3] b) => (float[n,3] z) { s = Shape(x) e = Expand(b, s) z = Add(x, e) }",
            "g (float[n,3] x, float[3] b) => (float[n,3] z) { z = Add(x, b) }",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) c = ConstantOfShape<value = float[1] {2.5}>(s)"
            " z = Max(x, c) }",
            "g (float[n,3] x) => (float[n,3] z) <float c = {2.5}> { z = Max(x, c) }",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (float[n,3] x) => (float[n,3] z) { s = Shape(x) c = ConstantOfShape(s) z = Sub(x, c) }",
            "g (float[n,3] x) => (float[n,3] z) <float c = {0}> { z = Sub(x, c) }",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (float[n,3] x, float[3] b) => (float[n,3] z) <int64[1] o = {0}> { u = Unsqueeze(b, o) z = "
            "Mul(u, x) }",
            "g (float[n,3] x, float[3] b) => (float[n,3] z) { z = Mul(b, x) }",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (bool[1,3] c, float[n,3] x, float[1] b) => (float[n,3] z) { s = Shape(x) d = Expand(c, s) e = "
            "Expand(b, s) z = Where(d, x, e) }",
            "g (bool[1,3] c, float[n,3] x, float[1] b) => (float[n,3] z) { z = Where(c, x, b) }",
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
            drop_expand_of_operand,
            "g (float[3] x, float[1,3] b) => (float[1,3] z) { u = Unsqueeze<axes=[0]>(x) z = Add(u, b) }",
            "broadcasting follows the rules before opset 7",
            {"opset": 6},
        ),
        (
            drop_expand_of_operand,
            "g (float[1,3] x, float[3] b) => (float[4,3] z) <int64[2] s = {4,3}> { e = Expand(b, s) z = Add(x, e) }",
            "no input is spread in a way the others make needless",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (float[3] x, float[3] b) => (float[1,3] z) <int64[2] s = {1,3}> { e = Expand(b, s) z = Add(x, e) }",
            "no input is spread in a way the others make needless",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (float[3] x, float[3] b) => (float[1,3] z) <int64[1] o = {0}> { u = Unsqueeze(b, o) z = Add(x, u) }",
            "no input is spread in a way the others make needless",
            {},
        ),
        (
            drop_expand_of_operand,
            "g (float[3] x) => (float[1,3] z) { u = Unsqueeze<axes = [0]>(x) z = Min(u, u) }",
            "broadcasting follows the rules before opset 8",
            {"opset": 7},
        ),
        (
            drop_expand_of_operand,
            "g (float[n,3] x, float[n] b) => (float[n,3] z) <int64[1] o = {1}> { u = Unsqueeze(b, o) z = "
            "Add(x, u) }",
            "no input is spread in a way the others make needless",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_one_of_two_expands_gives_the_shape():
    """Each alone would do; dropping both would not."""
    result = assert_rewrites(
        drop_expand_of_operand,
        "g (float[1,3] x, float[1,3] y) => (float[4,3] z) <int64[2] s = {4,3}> "
        "{ d = Expand(x, s) e = Expand(y, s) z = Add(d, e) }",
        "g (float[1,3] x, float[1,3] y) => (float[4,3] z) <int64[2] s = {4,3}> { e = Expand(y, s) z = Add(x, e) }",
    )
    assert len(result.graph.node) == 2


def test_comes_back_when_a_reader_that_does_not_broadcast_is_gone():
    """The Reshape does nothing; what reads it broadcasts."""
    head = "g (float[n,3] x, float[3] b) => (float[n,3] w, float[n,3] y, float[n,3] z)"
    before = head + """ <int64[1] o = {0}, int64[2] s = {1,3}>
        { u = Unsqueeze(b, o) w = Sub(x, u) y = Mul(x, u) r = Reshape(u, s) z = Add(x, r) }"""
    after = head + " { w = Sub(x, b) y = Mul(x, b) z = Add(x, b) }"
    assert_rewrites([drop_expand_of_operand, "eliminate_nop_reshape"], before, after)


@pytest.mark.parametrize(("readers", "awaited"), [(READERS, 1), (READERS + 1, 0)])
def test_waits_for_few_readers(readers, awaited):
    others = " ".join(f"t{n} = Transpose(u)" for n in range(readers - 1))
    outputs = ", ".join(f"float[3,1] t{n}" for n in range(readers - 1))
    _, driver = apply(drop_expand_of_operand, f"g (float[n,3] x, float[3] b) => (float[n,3] z, {outputs}) "
                                              f"<int64[1] o = {{0}}> {{ u = Unsqueeze(b, o) z = Add(x, u) {others} }}")
    assert not driver.changes and len(driver.builder.blockers) == awaited
