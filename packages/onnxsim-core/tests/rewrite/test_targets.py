"""Constant Reshape targets, tried at sizes that include 0."""

from itertools import product

import numpy as np
import pytest

from onnxsim_core.ir import dims
from onnxsim_core.rewrite.targets import all_positive, constant_target, is_same

n, m = dims.symbol("n"), dims.symbol("m")


@pytest.mark.parametrize(
    ("source", "sizes", "target"),
    [
        ((2, 3), (3, 2), [3, 2]),
        ((n, 12), (n, 3, 4), [0, 3, 4]),
        ((n, m, 12), (n, m, 3, 4), [0, 0, 3, 4]),
        ((n, m, 4), (n * m, 4), [-1, 4]),
        ((n, 4), (4, n), [4, -1]),
        ((n, m), (m, n), None),
        ((n, 3, m), (n, 3 * m), None),
        ((n + 1, 3, m), (n + 1, 3 * m), [0, -1]),
        (None, (n, 4), [-1, 4]),
        (None, (n, m), None),
        ((n, 0), (n, 0, 2), [0, 0, 2]),
        ((0, n), (0, n, 2), [0, 0, 2]),
        ((n, 4), (0, 4), [-1, 4]),
        ((), (), []),
        ((n, 1), (n,), [0]),
    ],
)
def test_targets(source, sizes, target):
    assert constant_target(source, sizes) == target


@pytest.mark.parametrize(
    ("source", "sizes"),
    [((n, 12), (n, 3, 4)), ((n, m, 4), (n * m, 4)), ((n, 4), (4, n)), ((n + 1, 3, m), (n + 1, 3 * m))],
)
def test_a_target_gives_the_sizes_whatever_the_symbols_are(source, sizes):
    target = constant_target(source, sizes)
    assert target is not None
    for values in product((0, 1, 2, 5), repeat=2):
        given = dict(zip("nm", values))
        x = np.zeros([dims.evaluate(size, given) for size in source])
        expected = tuple(dims.evaluate(size, given) for size in sizes)
        copied = [x.shape[axis] if element == 0 else element for axis, element in enumerate(target)]
        assert -1 not in copied or np.prod([size for size in copied if size != -1]) > 0
        assert x.reshape(copied).shape == expected


def test_what_is_positive_and_what_is_the_same():
    assert all_positive((2, n + 1, n), 2)
    assert not all_positive((2, n), 0)
    assert all_positive((2, n), 1)
    assert is_same(n + m, m + n)
    assert not is_same(n, m)
