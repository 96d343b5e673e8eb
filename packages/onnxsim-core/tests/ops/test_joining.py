"""Concat and Split against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- Concat ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axis", "a", "b", "expected"),
    [
        (0, "N,3", "M,3", "[N + M, 3]"),
        (-1, "N,3", "N,4", "[N, 7]"),
        (1, "N,3", "2,4", "[2, 7]"),
        (1, "N,K", "N,K", "[N, 2*K]"),
        (0, "2,K", "1,3", "[3, 3]"),
    ],
)
def test_concat_adds_sizes_along_the_axis(axis: int, a: str, b: str, expected: str) -> None:
    sizes = {"N": 2, "M": 4, "K": 3}
    feeds = {
        name: ramp(*[sizes.get(size) or int(size) for size in dims.split(",")]) for name, dims in (("a", a), ("b", b))
    }
    text = f"g (float[{a}] a, float[{b}] b) => (float[P,Q] y) {{ y = Concat<axis={axis}>(a, b) }}"
    assert judge(text, feeds).shape("y") == expected


def test_concat_knows_the_rank_from_any_part() -> None:
    found = facts("g (float[] a, float[N,3] b) => (float[] y) { y = Concat<axis=1>(a, b) }")
    assert found.shape("y") == "[N, _]"
    assert facts("g (float[] a, float[] b) => (float[] y) { y = Concat<axis=1>(a, b) }").shape("y") == "?"


def test_concat_prefers_the_name_a_size_has_over_a_nameless_one() -> None:
    found = facts(
        "g (float[N,3] a, bool[3] c) => (float[] y) { b = NonZero(c) e = Cast<to=1>(b) y = Concat<axis=0>(e, a) }"
    )
    assert found.shape("y") == "[N + 1, 3]"


@pytest.mark.parametrize("opset", [4, 7, 13])
def test_concat_of_every_version(opset: int) -> None:
    assert facts("g (float[2,3] a) => (float[] y) { y = Concat<axis=0>(a, a) }", opset=opset).shape("y") == "[4, 3]"


def test_concat_1_joins_along_axis_1_by_default() -> None:
    assert facts("g (float[2,3] a) => (float[] y) { y = Concat(a, a) }", opset=3).shape("y") == "[2, 6]"
    assert facts("g (float[2,3] a) => (float[] y) { y = Concat(a, a) }", opset=4).shape("y") == "?"


@pytest.mark.parametrize(
    ("axis", "parts"), [(0, [(2, 3), (1, 3)]), (1, [(2, 3), (2, 0), (2, 1)]), (-2, [(2, 3)] * 3), (0, [(0, 3), (0, 3)])]
)
@pytest.mark.parametrize("dtype", [np.float32, np.int64, bool, np.uint8])
def test_concat_folds(axis: int, parts: list[tuple[int, int]], dtype: type) -> None:
    assert_folds("Concat", [ramp(*shape, dtype=dtype) for shape in parts], axis=axis)


def test_concat_passes_over_parts_without_extent_as_the_judge_does() -> None:
    text = "g (float[] a, float[] b) => (float[] y) { y = Concat<axis=1>(a, b) }"
    judge(text, {"a": ramp(2, 0), "b": ramp(3, 3)}, kernels=False)
    assert facts("g (float[2,0] a, float[N,3] b) => (float[] y) { y = Concat<axis=1>(a, b) }").shape("y") == "[N, 3]"
    assert facts("g (float[N,3] a, float[2,0] b) => (float[] y) { y = Concat<axis=1>(a, b) }").shape("y") == "[N, 3]"


@pytest.mark.parametrize(("axis", "parts"), [(0, [(2, 3), (2, 4)]), (0, [(2,), (2, 3)]), (2, [(2, 3), (2, 3)])])
def test_concat_states_nothing_of_parts_that_do_not_fit(axis: int, parts: list[tuple[int, ...]]) -> None:
    a, b = [",".join(map(str, shape)) for shape in parts]
    text = f"g (float[{a}] a, float[{b}] b) => (float[] y) {{ y = Concat<axis={axis}>(a, b) }}"
    assert facts(text).shape("y") == "?"


def test_concat_joins_tracked_elements() -> None:
    text = "g (float[N,M] x) => (int64[] c) { h = Shape(x) c = Concat<axis=0>(h, k, h) }"
    assert judge(text, {"x": ramp(2, 3)}, k=ints(-1)).data("c") == "[N, M, -1, N, M]"


def test_concat_joins_tracked_elements_side_by_side() -> None:
    text = "g (float[N,M] x) => (int64[] c) { h = Shape(x) a = Unsqueeze(h, i) c = Concat<axis=1>(a, k) }"
    assert (
        judge(text, {"x": ramp(2, 3)}, i=ints(1), k=ints(7, 8, 9, 10).reshape(2, 2)).data("c") == "[N, 7, 8, M, 9, 10]"
    )


def test_unknown_elements_next_to_known_ones_are_nameless_numbers_of_any_sign() -> None:
    text = "g (float[N] x, int64[2] r) => (int64[] c) { h = Shape(x) c = Concat<axis=0>(r, h) }"
    found = judge(text, {"x": ramp(2), "r": ints(-5, 7)})
    assert found.data("c") == "[_, _, N]"
    assert found.values["c"].data[0].single_atom().lo is None


def test_the_same_unknown_elements_have_the_same_names_everywhere() -> None:
    text = """g (float[N] x, int64[1] r) => (int64[] c) {
        h = Shape(x) a = Concat<axis=0>(r, h) b = Concat<axis=0>(h, r) c = Concat<axis=0>(r, r) }"""
    found = judge(text, {"x": ramp(2), "r": ints(-5)})
    first, second = (found.values[name].data for name in "ab")
    assert first[0] == second[1] and found.values["c"].data == (first[0], first[0])


def test_a_concat_nobody_knows_anything_of_tracks_nothing() -> None:
    assert facts("g (int64[1] r) => (int64[] c) { c = Concat<axis=0>(r, r) }").data("c") == "?"
    assert facts("g (float[1] r) => (float[] c) { c = Concat<axis=0>(r, k) }", k=np.float32([1])).data("c") == "?"


# --- Split -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("opset", [7, 11, 13])
def test_split_is_even_by_default(opset: int) -> None:
    found = judge("g (float[4,3] x) => (float[] a, float[] b) { a, b = Split(x) }", {"x": ramp(4, 3)}, opset=opset)
    assert found.shape("a") == found.shape("b") == "[2, 3]"


def test_split_halves_a_symbolic_size() -> None:
    text = "g (float[N] x) => (float[] a, float[] b) { d = Concat<axis=0>(x, x) a, b = Split<num_outputs=2>(d) }"
    found = judge(text, {"x": ramp(3)}, opset=18)
    assert found.shape("a") == found.shape("b") == "[N]"


@pytest.mark.parametrize(("size", "count"), [(5, 2), (4, 3), (3, 4), (0, 2), (7, 3)])
def test_split_18_gives_the_last_piece_what_is_left(size: int, count: int) -> None:
    names = ", ".join(f"y{index}" for index in range(count))
    outputs = ", ".join(f"float[] y{index}" for index in range(count))
    text = f"g (float[N] x) => ({outputs}) {{ {names} = Split<num_outputs={count}>(x) }}"
    judge(text, {"x": ramp(size)}, opset=18)
    assert_folds("Split", [ramp(size)], opset=18, outputs=count, num_outputs=count)


def test_split_by_the_sizes_given() -> None:
    text = "g (float[N,5] x) => (float[] a, float[] b) { a, b = Split<axis=-1>(x, s) }"
    found = judge(text, {"x": ramp(2, 5)}, s=ints(2, 3))
    assert found.shape("a") == "[N, 2]" and found.shape("b") == "[N, 3]"
    old = judge(
        "g (float[N,5] x) => (float[] a, float[] b) { a, b = Split<axis=1,split=[5,0]>(x) }",
        {"x": ramp(2, 5)},
        opset=11,
    )
    assert old.shape("a") == "[N, 5]" and old.shape("b") == "[N, 0]"


@pytest.mark.parametrize(("opset", "given"), [(11, None), (13, None), (13, (1, 4)), (18, (1, 4))])
def test_split_folds(opset: int, given: tuple[int, ...] | None) -> None:
    if given is None:
        assert_folds("Split", [ramp(3, 4)], opset=opset, outputs=2, axis=1)
    else:
        assert_folds("Split", [ramp(3, 5), ints(*given)], opset=opset, outputs=2, axis=1)


def test_split_hands_tracked_elements_out() -> None:
    text = "g (float[N,M,3] x) => (int64[] a, int64[] b) { h = Shape(x) a, b = Split(h, s) }"
    found = judge(text, {"x": ramp(2, 4, 3)}, s=ints(1, 2))
    assert found.data("a") == "[N]" and found.data("b") == "[M, 3]"


@pytest.mark.parametrize(
    "node", ["Split(x)", "Split<num_outputs=4>(x)", "Split<num_outputs=3>(x)", "Split(x, k)", "Split(x, s)"]
)
def test_split_knows_no_size_it_cannot_be_sure_of(node: str) -> None:
    text = f"g (float[5,2] x, int64[2] s) => (float[] a, float[] b) {{ a, b = {node} }}"
    found = facts(text, opset=18, k=ints(1, 1, 3))
    assert found.shape("a") == "[_, 2]"


def test_split_declines_pieces_that_do_not_add_up() -> None:
    assert fold("Split", [ramp(5), ints(1, 1)], outputs=2) is None
    assert fold("Split", [ramp(5), ints(6, -1)], outputs=2) is None
    assert fold("Split", [ramp(5)], outputs=2, opset=13) is None
