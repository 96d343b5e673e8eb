"""Axes, sizes and positions, and what moves elements of every type the same way."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from ops.one_node import fold

from onnxsim_core.ir.dims import SymbolTable
from onnxsim_core.ops import axes

N = SymbolTable().named("N")


@pytest.mark.parametrize(
    ("raw", "rank", "expected"),
    [(0, 3, 0), (2, 3, 2), (3, 3, -1), (-1, 3, 2), (-3, 3, 0), (-4, 3, -1), (0, 0, -1), (None, 3, -1), (1.0, 3, -1)],
)
def test_an_axis_is_counted_from_the_front(raw: object, rank: int, expected: int) -> None:
    assert axes.normalized(raw, rank) == expected


def test_axes_keep_their_order() -> None:
    assert axes.normalized_axes((-1, 0), 3) == [2, 0]


@pytest.mark.parametrize("raw", [(0, 0), (0, -3), (3,), (0, "1")])
def test_axes_that_clash_or_miss_are_refused(raw: tuple[object, ...]) -> None:
    assert axes.normalized_axes(raw, 3) is None


def test_counts_are_symbolic_where_they_must_be() -> None:
    assert axes.static_numel((2, 3)) == 6
    assert axes.static_numel(()) == 1
    assert axes.static_numel((2, N)) == -1
    assert axes.static_numel(None) == -1
    assert axes.numel((2, N, 3)) == 6 * N


def test_positions_move_like_the_elements_they_stand_for() -> None:
    where = axes.positions((5, N, 7, 8), (2, 2))
    assert axes.moved((5, N, 7, 8), where.T) == (5, 7, N, 8)


def test_positions_need_as_many_elements_as_the_shape_has() -> None:
    assert axes.positions((5, 6), (3,)) is None
    assert axes.positions((5, 6), (N,)) is None
    assert axes.positions(None, (2,)) is None


def test_too_many_elements_are_not_tracked() -> None:
    assert axes.moved((1,), np.zeros(axes.TRACKED, int)) == (1,) * axes.TRACKED
    assert axes.moved((1,), np.zeros(axes.TRACKED + 1, int)) is None


def test_only_a_size_that_cannot_be_one_is_not_one() -> None:
    assert axes.is_not_one(2)
    assert not axes.is_not_one(1)
    assert not axes.is_not_one(N)
    assert axes.is_not_one(2 * N)


MOVERS: list[tuple[str, list[Any], dict[str, Any]]] = [
    ("Transpose", [], {}),
    ("Concat", [], {"axis": 1}),
    ("Gather", [np.array([1, -2])], {}),
    ("GatherElements", [np.array([[2, 0], [1, 1]])], {"axis": 1}),
    ("GatherND", [np.array([[0, 1], [-1, 2]])], {}),
    ("Slice", [np.array([-1]), np.array([-9]), np.array([1]), np.array([-1])], {}),
    ("Expand", [np.array([2, 1, 1])], {}),
    ("Tile", [np.array([2, 1])], {}),
    ("Reshape", [np.array([3, -1])], {}),
    ("Flatten", [], {"axis": 0}),
    ("Unsqueeze", [np.array([0])], {}),
    ("Compress", [np.array([True, False, True])], {"axis": 1}),
]


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "int4", "uint4", "float4_e2m1fn"])
@pytest.mark.parametrize(("op_type", "others", "attributes"), MOVERS)
def test_narrow_types_move_like_wide_ones(
    op_type: str, others: list[Any], attributes: dict[str, Any], dtype: str
) -> None:
    wide = np.arange(6, dtype=np.float32).reshape(2, 3) % 4
    narrow = wide.astype(getattr(ml_dtypes, dtype))
    moved = fold(op_type, [narrow, *others], **attributes)
    assert moved.dtype == narrow.dtype
    np.testing.assert_array_equal(moved.astype(np.float32), fold(op_type, [wide, *others], **attributes))


@pytest.mark.parametrize(("op_type", "others", "attributes"), MOVERS)
def test_strings_move_like_numbers(op_type: str, others: list[Any], attributes: dict[str, Any]) -> None:
    numbers = np.arange(6, dtype=np.int64).reshape(2, 3)
    words = np.array([b"a", b"b", b"c", b"d", b"e", b"f"], object)
    moved = fold(op_type, [words.reshape(2, 3), *others], **attributes)
    assert moved.dtype == object
    np.testing.assert_array_equal(moved, words[fold(op_type, [numbers, *others], **attributes)])
