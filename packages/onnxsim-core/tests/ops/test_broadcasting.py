"""Broadcasting of shapes and of tracked elements against numpy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir import dims
from onnxsim_core.ir.graph import Node
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.broadcasting import aligned, broadcast_many, broadcast_shapes, pairs, spread, static_count
from onnxsim_testkit import model

SHAPE = st.lists(st.sampled_from([0, 1, 1, 2, 3]), max_size=4).map(tuple)
N, M = dims.symbol("N"), dims.symbol("M")


def numpy_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return np.broadcast_shapes(a, b)
    except ValueError:
        return None


@given(SHAPE, SHAPE)
def test_numbers_broadcast_as_in_numpy(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    assert broadcast_shapes(a, b) == broadcast_shapes(b, a) == numpy_shape(a, b)
    joined = numpy_shape(a, b)
    assert broadcast_many([a, b, (1,)]) == (None if joined is None else numpy_shape(joined, (1,)))


def test_symbols_broadcast() -> None:
    assert broadcast_shapes((N, 3), (N, 3)) == (N, 3)
    assert broadcast_shapes((N, 1), (1, M)) == (N, M)
    assert broadcast_shapes((N,), (4,)) == (4,)
    assert broadcast_shapes((4, N), (N,)) == (4, N)
    assert broadcast_shapes((dims.add(N, 2),), (dims.add(N, 3),)) is None
    both = broadcast_shapes((N,), (M,))
    assert both is not None
    assert [dims.evaluate(both[0], {"N": n, "M": m}) for n, m in ((1, 5), (5, 1), (4, 4))] == [5, 5, 4]


def test_many() -> None:
    assert broadcast_many([]) == ()
    assert broadcast_many([(3, 1), None]) is None
    assert broadcast_many([(3,), (2,), (1,)]) is None


@given(SHAPE, SHAPE)
def test_elements_spread_as_in_numpy(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    target = numpy_shape(a, b)
    if target is None:
        return
    array = np.arange(int(np.prod(a))).reshape(a)
    assert spread(tuple(array.reshape(-1).tolist()), a, target) == tuple(
        np.broadcast_to(array, target).reshape(-1).tolist()
    )
    other = np.arange(int(np.prod(b))).reshape(b)
    found = pairs(tuple(array.reshape(-1).tolist()), a, tuple(other.reshape(-1).tolist()), b)
    left, right = np.broadcast_arrays(array, other)
    assert list(found or ()) == list(zip(left.reshape(-1).tolist(), right.reshape(-1).tolist(), strict=True))


def test_elements_of_unknown_places_are_not_spread() -> None:
    assert spread((1, 2), (2,), (N, 2)) is None
    assert spread((1, 2), None, (3, 2)) is None
    assert spread((1, 2), (N,), (3, 2)) is None
    assert spread((7,), None, (2, 2)) == (7, 7, 7, 7)
    assert pairs((1,), None, (1,), ()) is None
    assert pairs((1, 2), (2,), (1, 2, 3), (3,)) is None
    many = tuple(range(20))
    assert pairs(many, (20, 1), many, (20,)) is None
    assert static_count((2, N)) is None
    assert static_count((2, 3)) == 6


def context(opset: int) -> Inference:
    return Inference(read_model(model("g (float[1] x) => (y) { y = Relu(x) }", opset=opset).SerializeToString()))


@pytest.mark.parametrize(
    ("attributes", "shape", "expected"),
    [
        ({"broadcast": 1, "axis": 1}, (3,), (3, 1)),
        ({"broadcast": 1, "axis": 0}, (2, 3), (2, 3, 1)),
        ({"broadcast": 1}, (4,), (4,)),
        ({"broadcast": 1}, (), ()),
        ({"broadcast": 1, "axis": 2}, (3,), None),
        ({"broadcast": 1, "axis": 3}, (4,), None),
        ({}, (4,), None),
        ({}, (2, 3, 4), (2, 3, 4)),
    ],
)
def test_old_operands_lie_along_an_axis(
    attributes: dict[str, int], shape: tuple[int, ...], expected: tuple[int, ...] | None
) -> None:
    a, b = np.zeros((2, 3, 4)), np.ones(shape)
    found = aligned(Node("Add", [], [], attributes=attributes), a, b, context(6))
    assert (None if found is None else found[1].shape) == expected


def test_operands_fit_as_they_are_since_opset_7() -> None:
    node = Node("Add", [], [], attributes={})
    assert aligned(node, np.zeros((2, 3)), np.zeros(3), context(7)) is not None
    assert aligned(node, np.zeros((2, 3)), np.zeros(2), context(7)) is None
