"""Comparisons, logic and bit operations against the judge."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.judging import facts, judge
from ops.one_node import assert_folds, floats, fold, integers, pairs_of

COMPARE = ["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"]
TRUTH = [np.array([[False], [True]]), np.array([False, True])]


@pytest.mark.parametrize("op_type", COMPARE)
def test_comparisons_give_the_judges_answers(op_type: str) -> None:
    for dtype in (np.float16, np.float32, np.float64):
        assert_folds(op_type, pairs_of(floats(dtype)))
    for dtype in (np.int8, np.uint8, np.int32, np.int64, np.uint64):
        assert_folds(op_type, pairs_of(integers(dtype)))
    assert_folds(op_type, [np.array(2.0), np.array(3.0)])


def test_equal_of_text_and_truth() -> None:
    text = np.array([[b"a"], [b"b"]], object)
    assert fold("Equal", [text, text.reshape(-1)]).tolist() == [[True, False], [False, True]]
    assert_folds("Equal", list(TRUTH))


def test_comparing_bfloat16() -> None:
    a = np.array([1.0, 2.0, np.nan], ml_dtypes.bfloat16)
    assert fold("Less", [a, np.array([2.0], ml_dtypes.bfloat16)]).tolist() == [True, False, False]


def test_what_cannot_be_compared_is_declined() -> None:
    assert fold("Less", [np.array([b"a"], object)] * 2) is None
    assert fold("Equal", [np.ones(2), np.ones(2, np.float32)]) is None
    assert fold("Equal", [np.ones(2), np.ones(3)]) is None
    assert fold("Equal", [np.ones(2, ml_dtypes.float8_e4m3fn)] * 2) is None
    assert fold("And", [np.ones(2), np.ones(2)]) is None
    assert fold("BitwiseAnd", [np.ones(2), np.ones(2)]) is None


@pytest.mark.parametrize("op_type", ["And", "Or", "Xor"])
def test_logic(op_type: str) -> None:
    assert_folds(op_type, list(TRUTH))


@pytest.mark.parametrize("op_type", ["BitwiseAnd", "BitwiseOr", "BitwiseXor"])
@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64])
def test_bitwise(op_type: str, dtype: type) -> None:
    assert_folds(op_type, pairs_of(integers(dtype)))


@pytest.mark.parametrize("direction", ["LEFT", "RIGHT"])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32, np.uint64])
def test_shifts_smaller_than_the_width(direction: str, dtype: type) -> None:
    bits = 8 * np.dtype(dtype).itemsize
    assert_folds("BitShift", [integers(dtype).reshape(-1, 1), np.arange(bits, dtype=dtype)], direction=direction)
    assert fold("BitShift", [np.ones(1, dtype), np.array([bits], dtype)], direction=direction) is None


def test_before_opset_7_the_second_operand_lies_along_an_axis() -> None:
    a, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, 4], np.float32)
    assert (fold("Less", [a, b], opset=6, broadcast=1, axis=0) == (a < b.reshape(2, 1))).all()
    assert facts("g (float[N,3] a, float b) => (y) { y = Less<broadcast=1>(a, b) }", opset=6).shape("y") == "[N, 3]"


@pytest.mark.parametrize("op_type", COMPARE)
def test_shapes_broadcast_and_give_bool(op_type: str) -> None:
    text = f"g (float[N,1,3] a, float[M,1] b) => (y) {{ y = {op_type}(a, b) }}"
    for n, m in ((2, 4), (1, 1), (0, 2)):
        found = judge(text, {"a": np.ones((n, 1, 3), np.float32), "b": np.ones((m, 1), np.float32)})
        assert (found.shape("y"), found.values["y"].dtype) == ("[N, M, 3]", 9)
    found = facts(f"g (float[] a, float[2] b) => (y) {{ y = {op_type}(a, b) }}")
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 9)
    assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"


@pytest.mark.parametrize("op_type", ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitShift"])
def test_bit_operations_keep_the_type(op_type: str) -> None:
    call = op_type + ('<direction="LEFT">' if op_type == "BitShift" else "")
    text = f"g (uint8[N,1] a, uint8[M] b) => (y) {{ y = {call}(a, b) }}"
    found = judge(text, {"a": np.ones((2, 1), np.uint8), "b": np.ones(3, np.uint8)})
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, M]", 2)
    assert facts(f"g (float[2] x) => (y) {{ y = {call}() }}").shape("y") == "?"


TRACKED = "g (float[N,M] x) => (y) {{ s = Shape(x) t = Add(s, shift) y = {op}(t, k) }}"


@pytest.mark.parametrize(
    ("op", "shift", "k", "expected"),
    [
        ("Equal", [0, 0], -1, "[0, 0]"),
        ("Equal", [1, 1], 0, "[0, 0]"),
        ("Equal", [0, 0], 1, "?"),
        ("Less", [0, 0], 0, "[0, 0]"),
        ("Less", [0, 0], 1, "?"),
        ("Greater", [1, 2], 0, "[1, 1]"),
        ("Greater", [0, 1], 0, "?"),
        ("GreaterOrEqual", [0, 0], 0, "[1, 1]"),
        ("LessOrEqual", [3, 4], 2, "[0, 0]"),
    ],
)
def test_what_is_provable_about_sizes_is_followed(op: str, shift: list[int], k: int, expected: str) -> None:
    for n, m in ((1, 4), (0, 2)):
        found = judge(TRACKED.format(op=op), {"x": np.ones((n, m), np.float32)}, shift=np.array(shift), k=np.array(k))
        assert found.data("y") == expected


def test_a_size_equals_itself() -> None:
    text = "g (float[N] x, float[N] w) => (y, z) { a = Shape(x) b = Shape(w) y = Equal(a, b) z = Less(a, b) }"
    found = judge(text, {"x": np.ones(3, np.float32), "w": np.ones(3, np.float32)})
    assert (found.data("y"), found.data("z")) == ("[1]", "[0]")


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(COMPARE), st.integers(-3, 3), st.integers(-3, 3), st.integers(0, 4))
def test_followed_answers_are_the_judges(op: str, shift: int, k: int, n: int) -> None:
    feeds = {"x": np.ones((n, 2), np.float32)}
    judge(TRACKED.format(op=op), feeds, shift=np.array([shift, 0]), k=np.array(k))


def test_one_known_truth_can_decide() -> None:
    text = """g (float[N] x, bool[1] b) => (y, z) { s = Shape(x) no = Less(s, k) yes = Not(no) unknown = Equal(s, one)
        u = And(no, no) v = Or(yes, no) w = Xor(yes, no) y = And(no, b) z = Or(unknown, yes) }"""
    found = judge(text, {"x": np.ones(2, np.float32), "b": np.array([True])}, k=np.array([0]), one=np.array([1]))
    assert (found.data("u"), found.data("v"), found.data("w")) == ("[0]", "[1]", "[1]")
    assert found.data("y") == found.data("z") == "?"
