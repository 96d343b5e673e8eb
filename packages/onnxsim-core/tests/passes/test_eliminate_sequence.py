"""eliminate_sequence: tensors go straight that went through a sequence or an optional."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import given

from onnxsim_core.passes.eliminate_sequence import (
    concat_constructed,
    concat_what_was_split,
    take_from_construct,
    take_from_optional,
    take_piece,
)

HEAD = "g (float[n,4] x, float[n,4] w, int64 p) => (float[n,4] z)"
FREE = "g (float[n,4] x, int64 p) => (float[a,b] z)"


def at(number: int) -> dict[str, np.ndarray]:
    return {"i": np.array(number)}


@pytest.mark.parametrize(("number", "left"), [(0, "x"), (1, "w"), (-1, "w"), (-2, "x")])
def test_an_element_of_a_constructed_sequence(number, left):
    before = f"{HEAD} {{ s = SequenceConstruct(x, w) y = SequenceAt(s, i) z = Relu(y) }}"
    assert_rewrites(take_from_construct, given(before, **at(number)), f"{HEAD} {{ z = Relu({left}) }}", hazards=False)


def test_skips_rows_of_strings():
    before = "g (string[3,2] x) => (string[1,2] z) { s = SplitToSequence(x) y = SequenceAt(s, i) z = Identity(y) }"
    assert_skips(take_piece, given(before, **at(1)), "of a row of strings, onnxruntime gathers the first only")


@pytest.mark.parametrize("position", ["i", "p"])
def test_skips_a_position_that_is_not_in_the_sequence_or_not_known(position):
    before = f"{HEAD} {{ s = SequenceConstruct(x, w) y = SequenceAt(s, {position}) z = Relu(y) }}"
    assert_skips(take_from_construct, given(before, **at(2)), "the position is not known or out of range")


def test_skips_a_sequence_made_elsewhere():
    before = "g (seq(float) s) => (float[a] z) { y = SequenceAt(s, i) z = Relu(y) }"
    assert_skips(take_from_construct, given(before, **at(0)), "the sequence is not constructed here")
    assert_skips(take_piece, given(before, **at(0)), "the sequence is not made by a split")


def test_pieces_of_given_sizes():
    before = ("g (float[n,5] x) => (float[a,b] z) { s = SplitToSequence<axis = 1>(x, k) y = SequenceAt(s, i) "
              "v = SequenceAt(s, j) z = Concat<axis = 1>(y, v) }")  # fmt: skip
    after = ("g (float[n,5] x) => (float[a,b] z) { y, o = Split<axis = 1>(x, k) q, v = Split<axis = 1>(x, k) "
             "z = Concat<axis = 1>(y, v) }")  # fmt: skip
    constants = {"k": np.array([2, 3]), "i": np.array(0), "j": np.array(-1)}
    assert_rewrites(take_piece, given(before, **constants), given(after, k=np.array([2, 3])), hazards=False)


def test_pieces_of_one_size_given_as_a_number():
    before = (
        "g (float[n,5] x) => (float[a,b] z) { s = SplitToSequence<axis = -1>(x, k) y = SequenceAt(s, i) z = Relu(y) }"
    )
    after = "g (float[n,5] x) => (float[a,b] z) { o, q, y = Split<axis = 1>(x, k) z = Relu(y) }"
    constants = {"k": np.array(2), "i": np.array(2)}
    assert_rewrites(take_piece, given(before, **constants), given(after, k=np.array([2, 2, 1])), hazards=False)


def test_opset_11_has_the_sizes_in_an_attribute():
    before = (
        "g (float[n,5] x) => (float[a,b] z) { s = SplitToSequence<axis = 1>(x, k) y = SequenceAt(s, i) z = Relu(y) }"
    )
    after = "g (float[n,5] x) => (float[a,b] z) { y, o = Split<axis = 1, split = [2, 3]>(x) z = Relu(y) }"
    constants = {"k": np.array([2, 3]), "i": np.array(0)}
    assert_rewrites(take_piece, given(before, **constants), after, opset=11, hazards=False)


@pytest.mark.parametrize(("keepdims", "index"), [(1, np.array([-1])), (0, np.array(-1))])
def test_pieces_of_size_one(keepdims, index):
    before = (f"{FREE} {{ s = SplitToSequence<axis = 0, keepdims = {keepdims}>(x) y = SequenceAt(s, i) "
              "z = Concat<axis = -1>(y, y) }")  # fmt: skip
    before = before.replace("float[a,b] z", "float[a,b] z" if keepdims else "float[a] z")
    after = f"{before.split('{')[0]} {{ y = Gather<axis = 0>(x, i) z = Concat<axis = -1>(y, y) }}"
    assert_rewrites(take_piece, given(before, i=np.array(-1)), given(after, i=index), hazards=False)


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ("s = SplitToSequence<axis = 1>(x) y = SequenceAt(s, p)", "the axis or the position is not known"),
        (
            "s = SplitToSequence<axis = 1, keepdims = 0>(x, one) y = SequenceAt(s, i)",
            "the axis or the position is not known",
        ),
        (
            "s = SplitToSequence<axis = 1>(x) y = SequenceAt(s, i) c = SequenceAt(s, p)",
            "the sequence has readers that need it",
        ),
        ("s = SplitToSequence<axis = 0>(x, one) y = SequenceAt(s, i)", "the sizes of the pieces are not known"),
    ],
)
def test_skips_pieces_that_are_not_known(nodes, reason):
    tail = "z = Add(y, c)" if "c =" in nodes else "z = Relu(y)"
    text = "g (float[n,4] x, int64 p) => (float[a,b] z)".replace("[a,b]", "[a]" if "keepdims" in nodes else "[a,b]")
    assert_skips(take_piece, given(f"{text} {{ {nodes} {tail} }}", one=np.array(1), i=np.array(0)), reason)


@pytest.mark.parametrize("axis", [0, -1])
def test_a_constructed_sequence_that_is_joined(axis):
    head = "g (float[n,4] x, float[n,4] w) => (float[a,b] z)"
    before = f"{head} {{ s = SequenceConstruct(x, w) z = ConcatFromSequence<axis = {axis}>(s) }}"
    assert_rewrites(concat_constructed, before, f"{head} {{ z = Concat<axis = {axis}>(x, w) }}", hazards=False)


@pytest.mark.parametrize("opset", [11, 17])
def test_a_constructed_sequence_that_is_stacked(opset):
    before = ("g (float[n,4] x, float[n,4] w) => (float[a,b,c] z) "
              "{ s = SequenceConstruct(x, w) z = ConcatFromSequence<axis = -1, new_axis = 1>(s) }")  # fmt: skip
    one, unsqueeze = ("", "Unsqueeze<axes = [-1]>({})") if opset < 13 else ("k", "Unsqueeze({}, k)")
    nodes = f"y = {unsqueeze.format('x')} v = {unsqueeze.format('w')} z = Concat<axis = -1>(y, v)"
    after = f"g (float[n,4] x, float[n,4] w) => (float[a,b,c] z) {{ {nodes} }}"
    constants = {"k": np.array([-1])} if one else {}
    assert_rewrites(concat_constructed, before, given(after, **constants), opset=opset, hazards=False)


@pytest.mark.parametrize("split", ["SplitToSequence<axis = 1>(x)", "SplitToSequence<axis = -1>(x, k)"])
def test_what_is_split_and_joined_again(split):
    before = f"{FREE} {{ s = {split} y = ConcatFromSequence<axis = 1>(s) z = Relu(y) }}"
    assert_rewrites(concat_what_was_split, given(before, k=np.array(3)), f"{FREE} {{ z = Relu(x) }}", hazards=False)


@pytest.mark.parametrize(
    ("nodes", "reason"),
    [
        ("s = SplitToSequence<axis = 1>(x) y = ConcatFromSequence<axis = 0>(s)",
         "split and joined along different axes"),
        ("s = SplitToSequence<axis = 0, keepdims = 0>(x) y = ConcatFromSequence<axis = 0>(s)",
         "the rank is not known or the pieces lose their axis"),
        ("s = SplitToSequence<axis = 0, keepdims = 0>(x) y = ConcatFromSequence<axis = 0, new_axis = 1>(s)",
         "the sequence is not made by a split, or is stacked"),
    ],
)  # fmt: skip
def test_skips_what_is_joined_otherwise(nodes, reason):
    shape = "float[a]" if "axis = 0>(s)" in nodes and "keepdims" in nodes else "float[a,b]"
    assert_skips(concat_what_was_split, f"g (float[n,4] x) => ({shape} z) {{ {nodes} z = Relu(y) }}", reason)


def test_skips_a_sequence_that_comes_from_outside():
    before = "g (seq(float) s) => (float[a] z) { z = ConcatFromSequence<axis = 0>(s) }"
    assert_skips(concat_constructed, before, "the sequence is not constructed here")


@pytest.mark.parametrize("nodes", ["o = Optional(x) y = OptionalGetElement(o)", "y = OptionalGetElement(x)"])
def test_what_an_optional_surely_holds(nodes):
    after = "g (float[n,4] x) => (float[n,4] z) { z = Relu(x) }"
    assert_rewrites(take_from_optional, f"g (float[n,4] x) => (float[n,4] z) {{ {nodes} z = Relu(y) }}", after,
                    opset=18, hazards=False)  # fmt: skip


def test_skips_an_optional_from_outside():
    before = "g (optional(float[n,4]) o) => (float[n,4] z) { y = OptionalGetElement(o) z = Relu(y) }"
    assert_skips(take_from_optional, before, "what the optional holds is not known", opset=18)
