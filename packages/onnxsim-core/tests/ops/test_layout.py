"""Identity, Dropout, Flatten, Squeeze, Unsqueeze and Transpose against the judge."""

import ml_dtypes
import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, compute, fold


def ramp(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- Identity, Dropout -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_identity_gives_its_input(shape: tuple[int, ...]) -> None:
    assert_folds("Identity", [ramp(*shape)])


def test_identity_passes_elements_on() -> None:
    found = judge("g (float[N,M] x) => (int64[2] y) { h = Shape(x) y = Identity(h) }", {"x": ramp(2, 3)})
    assert found.shape("y") == "[2]" and found.data("y") == "[N, M]"


def test_identity_passes_the_type_of_a_sequence_on() -> None:
    found = facts("g (seq(float[2]) x) => (seq(float[2]) y) { y = Identity(x) }")
    assert found.values["y"].type_proto == found.values["x"].type_proto is not None


@pytest.mark.parametrize("opset", [12, 13, 21])
def test_dropout_outside_training_gives_its_input_and_a_mask_of_true(opset: int) -> None:
    assert_folds("Dropout", [ramp(2, 3)], opset=opset, outputs=2)
    assert_folds("Dropout", [ramp(2, 3), np.array(0.5, np.float32), np.array(False)], opset=opset)


@pytest.mark.parametrize("opset", [7, 10])
def test_dropout_before_12_gives_its_input_but_no_mask(opset: int) -> None:
    assert_folds("Dropout", [ramp(2, 3)], opset=opset)
    assert fold("Dropout", [ramp(2, 3)], opset=opset, outputs=2) is None


def test_dropout_in_training_is_left_alone() -> None:
    assert fold("Dropout", [ramp(2, 3), np.array(0.5, np.float32), np.array(True)]) is None


def test_dropout_shapes() -> None:
    found = judge(
        "g (float[N,3] x) => (float[A,B] y, bool[A,B] m) { y, m = Dropout(x) }", {"x": ramp(2, 3)}, kernels=False
    )
    assert found.shape("y") == found.shape("m") == "[N, 3]"


# --- Flatten ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axis", "expected"),
    [(0, "[1, 12*N]"), (1, "[N, 12]"), (2, "[3*N, 4]"), (3, "[12*N, 1]"), (-1, "[3*N, 4]"), (-3, "[1, 12*N]")],
)
def test_flatten_multiplies_the_sizes_on_both_sides(axis: int, expected: str) -> None:
    text = f"g (float[N,3,4] x) => (float[A,B] y) {{ y = Flatten<axis={axis}>(x) }}"
    for n in (0, 1, 5):
        assert judge(text, {"x": ramp(n, 3, 4)}).shape("y") == expected


def test_flatten_of_a_scalar() -> None:
    assert judge("g (float x) => (float[A,B] y) { y = Flatten<axis=0>(x) }", {"x": ramp()}).shape("y") == "[1, 1]"


def test_flatten_states_two_axes_of_an_unknown_rank_and_nothing_of_a_wrong_axis() -> None:
    assert facts("g (float[] x) => (float[] y) { y = Flatten(x) }").shape("y") == "[_, _]"
    assert facts("g (float[2] x) => (float[] y) { y = Flatten<axis=2>(x) }").shape("y") == "?"
    assert fold("Flatten", [ramp(2)], axis=2) is None


# --- Squeeze ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axes", "expected"), [((0,), "[N, 1]"), ((-1,), "[1, N]"), ((0, 2), "[N]"), ((2, 0), "[N]"), ((-1, -3), "[N]")]
)
@pytest.mark.parametrize("opset", [11, 13])
def test_squeeze_drops_the_axes_named(axes: tuple[int, ...], expected: str, opset: int) -> None:
    if opset < 13:
        text = f"g (float[1,N,1] x) => (float[] y) {{ y = Squeeze<axes={list(axes)}>(x) }}"
        found = [judge(text, {"x": ramp(1, n, 1)}, opset=opset) for n in (0, 1, 4)]
    else:
        text = "g (float[1,N,1] x) => (float[] y) { y = Squeeze(x, a) }"
        found = [judge(text, {"x": ramp(1, n, 1)}, opset=opset, a=ints(*axes)) for n in (0, 1, 4)]
    assert {one.shape("y") for one in found} == {expected}


@pytest.mark.parametrize("opset", [9, 11, 13, 21])
def test_squeeze_without_axes_drops_all_ones(opset: int) -> None:
    assert (
        judge("g (float[1,2,1] x) => (float[] y) { y = Squeeze(x) }", {"x": ramp(1, 2, 1)}, opset=opset).shape("y")
        == "[2]"
    )


def test_squeeze_with_an_empty_list_of_axes_drops_all_ones() -> None:
    found = judge("g (float[1,2,1] x) => (float[] y) { y = Squeeze(x, a) }", {"x": ramp(1, 2, 1)}, a=ints())
    assert found.shape("y") == "[2]"
    assert_folds("Squeeze", [ramp(1, 2, 1), ints()])


def test_squeeze_without_axes_knows_no_rank_while_a_size_may_be_one() -> None:
    text = "g (float[1,N] x) => (float[] y) { y = Squeeze(x) }"
    for n in (1, 2):
        assert judge(text, {"x": ramp(1, n)}).shape("y") == "?"
    assert facts("g (float[1,N] x) => (float[] y) { d = Concat<axis=1>(x, x) y = Squeeze(d) }").shape("y") == "[2*N]"


@pytest.mark.parametrize("axes", [(1,), (3,), (0, 0)])
def test_squeeze_states_nothing_of_axes_that_do_not_fit(axes: tuple[int, ...]) -> None:
    assert facts("g (float[1,2,1] x) => (float[] y) { y = Squeeze(x, a) }", a=ints(*axes)).shape("y") == "?"
    assert fold("Squeeze", [ramp(1, 2, 1), ints(*axes)]) is None


def test_squeeze_states_nothing_while_its_axes_are_unknown() -> None:
    assert facts("g (float[1,2] x, int64[1] a) => (float[] y) { y = Squeeze(x, a) }").shape("y") == "?"


# --- Unsqueeze -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("axes", "expected"),
    [
        ((0,), "[1, N, 3]"),
        ((2,), "[N, 3, 1]"),
        ((-1,), "[N, 3, 1]"),
        ((3, 0), "[1, N, 3, 1]"),
        ((-1, 0), "[1, N, 3, 1]"),
        ((1, 2), "[N, 1, 1, 3]"),
        ((), "[N, 3]"),
    ],
)
def test_unsqueeze_puts_ones_at_places_of_the_result(axes: tuple[int, ...], expected: str) -> None:
    for n in (0, 2):
        found = judge("g (float[N,3] x) => (float[] y) { y = Unsqueeze(x, a) }", {"x": ramp(n, 3)}, a=ints(*axes))
        assert found.shape("y") == expected
    if axes:
        text = f"g (float[N,3] x) => (float[] y) {{ y = Unsqueeze<axes={list(axes)}>(x) }}"
        assert judge(text, {"x": ramp(2, 3)}, opset=11).shape("y") == expected


@pytest.mark.parametrize("axes", [(0, 0), (0, -3), (3,), (-4,)])
def test_unsqueeze_states_nothing_of_axes_that_do_not_fit(axes: tuple[int, ...]) -> None:
    assert facts("g (float[3] x) => (float[] y) { y = Unsqueeze(x, a) }", a=ints(*axes)).shape("y") == "?"
    assert fold("Unsqueeze", [ramp(3), ints(*axes)]) is None


def test_elements_go_through_a_change_of_shape() -> None:
    found = judge(
        """g (float[N,M] x) => (int64[] d) {
            h = Shape(x) a = Unsqueeze(h, i) b = Flatten<axis=1>(a) c = Squeeze(b, i) d = Identity(c) }""",
        {"x": ramp(2, 3)},
        i=ints(0),
    )
    assert [found.data(name) for name in "abcd"] == ["[N, M]"] * 4
    assert found.shape("a") == "[1, 2]" and found.shape("d") == "[2]"


# --- Transpose -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("perm", "expected"), [((0, 1, 2), "[N, 3, M]"), ((2, 0, 1), "[M, N, 3]"), ((1, 2, 0), "[3, M, N]")]
)
def test_transpose_permutes_the_sizes(perm: tuple[int, ...], expected: str) -> None:
    text = f"g (float[N,3,M] x) => (float[A,B,C] y) {{ y = Transpose<perm={list(perm)}>(x) }}"
    for n, m in ((2, 4), (1, 1), (0, 2)):
        assert judge(text, {"x": ramp(n, 3, m)}).shape("y") == expected


def test_transpose_reverses_the_axes_by_default() -> None:
    assert (
        judge("g (float[N,3,M] x) => (float[A,B,C] y) { y = Transpose(x) }", {"x": ramp(2, 3, 4)}).shape("y")
        == "[M, 3, N]"
    )


@pytest.mark.parametrize(
    "array",
    [ramp(), ramp(3), ramp(2, 3, 4, dtype=np.int8), ramp(2, 3, dtype=np.float16), ramp(2, 3, dtype=bool), ramp(0, 3)],
)
def test_transpose_folds(array: np.ndarray) -> None:
    assert_folds("Transpose", [array])
    assert fold("Transpose", [array]).flags.c_contiguous


def test_transpose_folds_types_numpy_lacks() -> None:
    array = ramp(2, 3).astype(ml_dtypes.bfloat16)
    folded = fold("Transpose", [array])
    assert folded.dtype == array.dtype
    np.testing.assert_array_equal(folded.astype(np.float32), compute("Transpose", [array])[0].astype(np.float32))


def test_transpose_moves_tracked_elements() -> None:
    found = judge(
        """g (float[N,M] x) => (int64[] t) {
            h = Shape(x) a = Unsqueeze(h, i) c = Concat<axis=0>(a, k) t = Transpose(c) }""",
        {"x": ramp(5, 6)},
        i=ints(0),
        k=np.array([[7, 8]]),
    )
    assert found.data("t") == "[N, 7, M, 8]"


@pytest.mark.parametrize("perm", [(0, 0), (0,), (0, 2), (0, 1, 2)])
def test_transpose_states_nothing_of_what_is_no_permutation(perm: tuple[int, ...]) -> None:
    assert facts(f"g (float[2,3] x) => (float[] y) {{ y = Transpose<perm={list(perm)}>(x) }}").shape("y") == "?"
    assert fold("Transpose", [ramp(2, 3)], perm=list(perm)) is None


def test_transpose_of_an_unknown_rank_has_the_rank_of_its_perm() -> None:
    assert facts("g (float[] x) => (float[] y) { y = Transpose<perm=[1,0]>(x) }").shape("y") == "[_, _]"
    assert facts("g (float[] x) => (float[] y) { y = Transpose(x) }").shape("y") == "?"
