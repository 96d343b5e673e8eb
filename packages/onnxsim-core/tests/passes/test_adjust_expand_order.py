"""adjust_expand_order: elementwise work before Expand."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_simplifies, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.adjust_expand_order import READERS, expand_last
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            expand_last,
            "g (int64[b,1,1,s] x) => (float[b,1,s,s] z) <float one={1}, int64 i={3}, int64[1] k={1}, int64[1]"
            " o={0}> { p = Shape<end=1>(x) q = Shape<start=3>(x) t = Concat<axis=0>(p, k, q, q) e = Expand(x,"
            " t) c = Cast<to=1>(e) z = Sub(one, c) }",
            "g (int64[b,1,1,s] x) => (float[b,1,s,s] z) <float one={1}, int64[1] k={1}> { p = Shape<end=1>(x)"
            " q = Shape<start=3>(x) t = Concat<axis=0>(p, k, q, q) c = Cast<to=1>(x) d = Sub(one, c) z = "
            "Expand(d, t) }",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x, float[4] y) => (float[3,4] z) <int64[2] s={3,1}> { e = Expand(x, s) f = Add(e, "
            "y) z = Relu(f) }",
            "g (float[1,4] x, float[4] y) => (float[3,4] z) <int64[2] s={3,1}> { f = Add(x, y) g = Relu(f) z "
            "= Expand(g, s) }",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x, bool[1,4] y) => (float[3,4] z) <int64[2] s={3,4}, float k={2}> { e = Expand(x, "
            "s) c = Expand(y, s) n = Not(c) z = Where(n, e, k) }",
            "g (float[1,4] x, bool[1,4] y) => (float[3,4] z) <int64[2] s={3,4}, float k={2}> { n = Not(y) w ="
            " Where(n, x, k) z = Expand(w, s) }",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x) => (float[3,4] z) <int64[2] s={3,4}> { e = Expand(x, s) f = Sigmoid(e) z = "
            "Mul(e, f) }",
            "g (float[1,4] x) => (float[3,4] z) <int64[2] s={3,4}> { f = Sigmoid(x) w = Mul(x, f) z = "
            "Expand(w, s) }",
            {"rtol": 1e-06, "atol": 1e-06},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            expand_last,
            "g (float[1,4] x, float[3,4] y) => (float[3,4] z) <int64[2] s={3,4}> { e = Expand(x, s) z = Add(e, y) }",
            "an operand is larger than what is expanded",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x, float[3,1] y) => (float[3,4] z) <int64[2] s={3,4}> { e = Expand(x, s) z = Add(e, y) }",
            "an operand is larger than what is expanded",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x) => (float[3,4] z, float[3,4] e) <int64[2] s={3,4}> { e = Expand(x, s) z = Neg(e) }",
            "no operand is an Expand that could wait",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x) => (float[3,4] z, float[4,3] t) <int64[2] s={3,4}> { e = Expand(x, s) z = "
            "Neg(e) t = Transpose(e) }",
            "no operand is an Expand that could wait",
            {},
        ),
        (
            expand_last,
            "g (float[1,4] x, float[2,3,1] y) => (float[2,3,4] z) <int64[2] s={3,4}> { e = Expand(x, s) z = "
            "Add(e, y) }",
            "no operand is an Expand that could wait",
            {},
        ),
        (
            expand_last,
            "g (float[3,4] x) => (float[3,4] z) { z = Neg(x) }",
            "no operand is an Expand that could wait",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def test_a_mask_ends_as_a_small_one_that_broadcasts():
    """As exported for attention: the mask is spread, cast, subtracted and chosen by, and then added to the scores."""
    assert_simplifies(
        """g (int64[b,s] m, float[b,2,s,s] x) => (float[b,2,s,s] z)
            <float one = {1}, float low = {-10000}, int64[1] k = {1}, int64[2] ax = {1, 2}> {
            u = Unsqueeze(m, ax) p = Shape<end=1>(m) q = Shape<start=1>(m) t = Concat<axis=0>(p, k, q, q)
            e = Expand(u, t) c = Cast<to=1>(e) d = Sub(one, c) f = Cast<to=9>(d) w = Where(f, low, d)
            z = Add(x, w) }""",
        """g (int64[b,s] m, float[b,2,s,s] x) => (float[b,2,s,s] z) <float one = {1}, float low = {-10000},
            int64[2] ax = {1, 2}> {
            u = Unsqueeze(m, ax) c = Cast<to=1>(u) d = Sub(one, c) f = Cast<to=9>(d) w = Where(f, low, d)
            z = Add(x, w) }""",
    )


ONE_LEAVES = """g (float[b,4] x) => (int64[b,4] y, int64[b,4,1] u)
    <int64 two = {2}, int64 three = {3}, int64 zero = {0}, int64[1] k = {-1}> {
    s = Shape(x) a = Expand(three, s) m = Mod(a, two) d = Div(a, two) v = Sub(d, m) u = Unsqueeze(v, k)
    i = Cast<to=7>(x) g = Greater(i, zero) y = Where(g, zero, a) }"""


def test_comes_back_when_a_reader_elsewhere_is_gone():
    """That Where broadcasts by itself is found after the operators before it were looked at."""
    assert_simplifies(
        ONE_LEAVES,
        """g (float[b,4] x) => (int64[b,4] y, int64[b,4,1] u)
            <int64 three = {3}, int64 zero = {0}, int64 same = {0}, int64[1] k = {-1}> {
            s = Shape(x) v = Expand(same, s) u = Unsqueeze(v, k)
            i = Cast<to=7>(x) g = Greater(i, zero) y = Where(g, zero, three) }""",
        feeds={"x": np.arange(-4, 4, dtype=np.float32).reshape(2, 4)},
    )


def test_what_follows_a_reader_comes_back_too():
    """A floor division as torch writes it: only its last operator has all readers of the second Expand before it."""
    before = model("""g (float[b,4] x) => (int64[b,4] y, int64[b,4,1] u)
        <int64 one = {1}, int64 two = {2}, int64 zero = {0}, bool yes = {1}, int64[1] k = {-1}> {
        s = Shape(x) e = Expand(two, s) a = Add(e, one)
        l = Less(a, zero) f = Equal(l, yes) m = Mod(a, two) c = Cast<to=9>(m) n = And(f, c) o = Cast<to=7>(n)
        d = Div(a, two) v = Sub(d, o) u = Unsqueeze(v, k)
        i = Cast<to=7>(x) g = Greater(i, zero) q = Where(g, e, i) y = Where(g, q, a) }""", opset=17)
    after = simplify(before).model
    assert sorted(node.op_type for node in after.graph.node) == ["Cast", "Expand", "Greater", "Shape", "Unsqueeze", "Where", "Where"]
    assert_same_model(before, after, feeds={"x": np.arange(-4, 4, dtype=np.float32).reshape(2, 4)}, rtol=0, atol=0)


def test_does_not_wait_for_a_reader_that_stays():
    before = ONE_LEAVES.replace("y = Where(g, zero, a)", "t = Neg(i) y = Mul(a, t) w = Transpose(a)").replace(
        "u)", "u, int64[4,b] w)", 1)
    after = simplify(model(before, opset=17)).model
    assert {"Expand", "Mod", "Div", "Sub", "Transpose"} <= {node.op_type for node in after.graph.node}


@pytest.mark.parametrize(("readers", "awaited"), [(READERS, 1), (READERS + 1, 0)])
def test_waits_for_few_readers(readers, awaited):
    """Of one Expand Neg is one reader, and the others are no elementwise operators."""
    others = " ".join(f"t{n} = Transpose(e)" for n in range(readers - 1))
    outputs = ", ".join(f"float[4,3] t{n}" for n in range(readers - 1))
    _, driver = apply(expand_last, f"g (float[1,4] x) => (float[3,4] z, {outputs}) <int64[2] s = {{3,4}}> "
                                   f"{{ e = Expand(x, s) z = Neg(e) {others} }}")
    assert not driver.changes and len(driver.builder.blockers) == awaited
