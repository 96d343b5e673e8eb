"""Sequences and optionals against onnxruntime: facts of the tensors in them, by way of the tensors that come out."""

from typing import Any

import numpy as np
import pytest
from ops.judging import Judged, facts, judge

from onnxsim_core import ops
from onnxsim_core.ops.containers import element
from onnxsim_testkit import model, random_feeds

ops.load()
SIZES = {"n": 3, "m": 5}
X = "float[n,4] x, float[m,4] w, int64 k"
PLACES = "i = Constant<value = int64 {0}>() j = Constant<value = int64 {-1}>()"


def check(nodes: str, signature: str = X, **feeds: Any) -> Judged:
    text = f"g ({signature}) => () {{ {PLACES} {nodes} }}"
    drawn = random_feeds(model(text), dims=SIZES, integers=(0, 2))
    return judge(text, {**drawn, **{name: np.array(value) for name, value in feeds.items()}}, kernels=False)


def held(found: Judged, name: str) -> str:
    """What is known of the tensors of a sequence, as text."""
    dtype, sizes = element(found.values[name], found.ctx)
    return f"{dtype} {'?' if sizes is None else '[' + ', '.join('_' if s is None else str(s) for s in sizes) + ']'}"


# --- made and read ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("nodes", "common", "first", "count"),
    [
        ("s = SequenceConstruct(x, x)", "1 [n, 4]", "[n, 4]", "[2]"),
        ("s = SequenceConstruct(x, w)", "1 [_, 4]", "[n, 4]", "[2]"),
        ("r = ReduceSum<keepdims = 0>(x) s = SequenceConstruct(x, r)", "1 ?", "[n, 4]", "[2]"),
        ("e = SequenceEmpty<dtype = 1>() s = SequenceInsert(e, x)", "1 [n, 4]", "[n, 4]", "?"),
        ("e = SequenceConstruct(x, x) s = SequenceInsert(e, w)", "1 [_, 4]", "[_, 4]", "?"),
        ("e = SequenceConstruct(x, w) s = SequenceErase(e, j)", "1 [_, 4]", "[_, 4]", "?"),
        ("e = SequenceConstruct(x, w) s = Identity(e)", "1 [_, 4]", "[_, 4]", "?"),
    ],
)
def test_sequences(nodes, common, first, count):
    found = check(f"{nodes} y = SequenceAt(s, i) c = SequenceLength(s)")
    if "s = Identity" not in nodes:
        assert held(found, "s") == common
        assert found.shape("y") == first
    assert (found.shape("c"), found.data("c")) == ("[]", count)


def test_an_element_at_an_unknown_place_has_what_all_have():
    assert check("s = SequenceConstruct(x, w) y = SequenceAt(s, k)").shape("y") == "[_, 4]"


def test_a_place_from_the_end():
    assert check("s = SequenceConstruct(x, w) y = SequenceAt(s, j)").shape("y") == "[m, 4]"


def test_integers_in_a_sequence_are_followed():
    found = check("a = Shape(x) b = Shape(w) s = SequenceConstruct(a, b) y = SequenceAt(s, j)")
    assert found.data("y") == "[m, 4]"


def test_an_empty_sequence_is_of_floats_unless_told():
    found = facts("g (float[2] x) => () { a = SequenceEmpty() b = SequenceEmpty<dtype = 7>() c = SequenceLength(b) }")
    assert (held(found, "a"), held(found, "b"), found.data("c")) == ("1 ?", "7 ?", "[0]")


def test_shapes_declared_for_a_sequence_that_is_an_input_are_not_believed():
    """onnxruntime does not check them."""
    text = "g (seq(float[2,2]) s) => () { i = Constant<value = int64 {0}>() y = SequenceAt(s, i) }"
    found = judge(text, {"s": [np.ones((3, 5), np.float32)]}, kernels=False)
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)


# --- split and joined ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("split", "common", "first", "last", "count"),
    [
        ("SplitToSequence<axis = 1>(x)", "1 [n, 1]", "[n, 1]", "[n, 1]", "[4]"),
        ("SplitToSequence<axis = -1, keepdims = 0>(x)", "1 [n]", "[n]", "[n]", "[4]"),
        ("SplitToSequence<axis = 1>(x, two)", "1 [n, 2]", "[n, 2]", "[n, 2]", "[2]"),
        ("SplitToSequence<axis = 1>(x, three)", "1 [n, _]", "[n, 3]", "[n, 1]", "[2]"),
        ("SplitToSequence<axis = 1, keepdims = 0>(x, parts)", "1 [n, _]", "[n, 1]", "[n, 3]", "[2]"),
        ("SplitToSequence<axis = 1, keepdims = 0>(x, one)", "1 ?", "?", "?", "[4]"),
        ("SplitToSequence<axis = 1>(x, parts)", "1 [n, _]", "[n, 1]", "[n, 3]", "[2]"),
        ("SplitToSequence<axis = 0>(x)", "1 [1, 4]", "[1, 4]", "[1, 4]", "?"),
        ("SplitToSequence<axis = 0, keepdims = 0>(x)", "1 [4]", "[4]", "[4]", "?"),
        ("SplitToSequence<axis = 0>(x, two)", "1 [_, 4]", "[_, 4]", "[_, 4]", "?"),
    ],
)
def test_pieces(split, common, first, last, count):
    constants = " ".join(f"{name} = Constant<value = int64 {{{number}}}>()"
                         for name, number in (("one", 1), ("two", 2), ("three", 3)))  # fmt: skip
    constants += " parts = Constant<value = int64[2] {1, 3}>()"
    found = check(f"{constants} s = {split} y = SequenceAt(s, i) z = SequenceAt(s, j) c = SequenceLength(s)")
    assert (held(found, "s"), found.shape("y"), found.shape("z"), found.data("c")) == (common, first, last, count)


def test_a_split_along_an_axis_that_does_not_exist_tells_only_the_type():
    found = facts("g (float[n,4] x) => () { s = SplitToSequence<axis = 7>(x) }")
    assert held(found, "s") == "1 ?"


@pytest.mark.parametrize(
    ("nodes", "shape"),
    [
        ("s = SequenceConstruct(x, w) y = ConcatFromSequence<axis = 0>(s)", "[n + m, 4]"),
        ("s = SequenceConstruct(x, x, x) y = ConcatFromSequence<axis = -1>(s)", "[n, 12]"),
        ("s = SequenceConstruct(x, x) y = ConcatFromSequence<axis = 0, new_axis = 1>(s)", "[2, n, 4]"),
        ("s = SequenceConstruct(x, x) y = ConcatFromSequence<axis = -1, new_axis = 1>(s)", "[n, 4, 2]"),
        ("s = SplitToSequence<axis = 0>(x) y = ConcatFromSequence<axis = 0>(s)", "[n, 4]"),
        ("s = SplitToSequence<axis = 1>(x) y = ConcatFromSequence<axis = 0>(s)", "[_, 1]"),
        ("s = SplitToSequence<axis = 1, keepdims = 0>(x) y = ConcatFromSequence<axis = 0, new_axis = 1>(s)", "[4, n]"),
        ("e = SequenceConstruct(x, x) s = SequenceInsert(e, w) y = ConcatFromSequence<axis = 0>(s)", "[_, 4]"),
    ],
)
def test_joined(nodes, shape):
    assert check(nodes).shape("y") == shape


def test_joining_along_an_axis_that_does_not_exist_tells_nothing():
    found = facts("g (float[n,4] x) => () { s = SequenceConstruct(x, x) y = ConcatFromSequence<axis = 5>(s) }")
    assert found.shape("y") == "?"


# --- SequenceMap -----------------------------------------------------------------------------------------------------
def test_a_mapped_sequence_has_what_the_body_gives():
    body = "b (float[] e, float[] f) => (float[] p, float[] q) { p = Transpose<perm = [1, 0]>(e) q = MatMul(e, f) }"
    nodes = f"f = Transpose<perm = [1, 0]>(x) s = SequenceConstruct(x, x) u, v = SequenceMap<body = {body}>(s, f)"
    found = check(f"{nodes} y = SequenceAt(u, i) z = SequenceAt(v, i)")
    assert (held(found, "u"), held(found, "v")) == ("1 [4, n]", "1 [n, n]")
    assert (found.shape("y"), found.shape("z")) == ("[4, n]", "[n, n]")


def test_sizes_that_differ_from_element_to_element_stay_inside():
    body = "b (float[] e) => (float[] p) { p = Concat<axis = 0>(e, e) }"
    found = check(f"s = SequenceConstruct(x, w) u = SequenceMap<body = {body}>(s) y = SequenceAt(u, j)")
    assert (held(found, "u"), found.shape("y")) == ("1 [_, 4]", "[_, 4]")


# --- optionals -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("nodes", "shape", "known"),
    [
        ("o = Optional(x) y = OptionalGetElement(o) c = OptionalHasElement(o)", "[n, 4]", "[1]"),
        ("y = OptionalGetElement(x) c = OptionalHasElement(x)", "[n, 4]", "[1]"),
        ("s = SequenceConstruct(x, w) o = Optional(s) t = OptionalGetElement(o) y = SequenceAt(t, k) "
         "c = OptionalHasElement(o)", "[_, 4]", "[1]"),
    ],
)  # fmt: skip
def test_optionals(nodes, shape, known):
    found = check(nodes)
    assert (found.shape("y"), found.shape("c"), found.data("c")) == (shape, "[]", known)


def test_an_optional_without_a_value_has_none():
    text = "g (float[2] x) => () { o = Optional<type = float[2]>() c = OptionalHasElement(o) d = OptionalHasElement() }"
    found = facts(text)
    assert (found.data("c"), found.data("d")) == ("[0]", "[0]")


def test_an_optional_that_is_an_input_may_hold_something_or_not():
    text = "g (optional(float[2]) o) => () { c = OptionalHasElement(o) y = OptionalGetElement(o) }"
    found = facts(text)
    assert (found.shape("c"), found.data("c"), found.values["y"].dtype) == ("[]", "?", 1)


# --- in control flow -------------------------------------------------------------------------------------------------
def test_a_sequence_that_a_loop_fills():
    body = ("l (int64 t, bool p, seq(float) v) => (bool q, seq(float) o) "
            "{ q = Identity(p) o = SequenceInsert(v, x) }")  # fmt: skip
    nodes = f"e = SequenceEmpty<dtype = 1>() M = Constant<value = int64 {{3}}>() s = Loop<body = {body}>(M, , e)"
    found = check(f"{nodes} y = SequenceAt(s, i)")
    assert (held(found, "s"), found.values["y"].dtype) == ("1 ?", 1)


def test_a_sequence_that_either_branch_makes():
    then, other = "(seq(float[]) a) { a = SequenceConstruct(x, x) }", "(seq(float[]) b) { b = SequenceConstruct(w, x) }"
    branches = f"then_branch = t () => {then}, else_branch = e () => {other}"
    found = check(f"s = If<{branches}>(z) y = SequenceAt(s, i)", f"{X}, bool z")
    assert (held(found, "s"), found.shape("y")) == ("1 [_, 4]", "[_, 4]")
