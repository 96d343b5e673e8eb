"""Chains of Reshape and Transpose, compared with numpy moving the elements 0, 1, 2, ... along."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from onnxsim_core.ir import dims
from onnxsim_core.rewrite.views import Plan, View, plans

n, s, m = dims.symbol("n"), dims.symbol("s"), dims.symbol("m")


def factorizations(draw: Any, total: int) -> tuple[int, ...]:
    shape = []
    while total > 1:
        factor = draw(st.sampled_from([d for d in range(2, total + 1) if total % d == 0]))
        shape.append(factor)
        total //= factor
    for _ in range(draw(st.integers(0, 2))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return tuple(shape)


@st.composite
def chains(draw: Any) -> tuple[tuple[int, ...], list[tuple[str, tuple[int, ...]]]]:
    total = draw(st.sampled_from([1, 2, 6, 8, 12, 24, 36]))
    shape = rank_shape = factorizations(draw, total)
    steps: list[tuple[str, tuple[int, ...]]] = []
    for _ in range(draw(st.integers(1, 5))):
        if draw(st.booleans()):
            perm = tuple(draw(st.permutations(range(len(rank_shape)))))
            steps.append(("transpose", perm))
            rank_shape = tuple(rank_shape[axis] for axis in perm)
        else:
            rank_shape = factorizations(draw, total)
            steps.append(("reshape", rank_shape))
    return shape, steps


def follow(shape: tuple[Any, ...], steps: list[tuple[str, tuple[Any, ...]]]) -> tuple[View, bool]:
    view = View(shape)
    for kind, argument in steps:
        if kind == "transpose":
            view.transpose(argument)
        elif not view.reshape(argument):
            return view, False
    return view, True


def run(x: np.ndarray, found: Plan, result: tuple[int, ...]) -> np.ndarray:
    if found.before is not None:
        x = x.reshape(found.before)
    if found.perm is not None:
        x = x.transpose(found.perm)
    if found.after:
        x = x.reshape(result)
    return x


@settings(max_examples=400, deadline=None)
@given(chains())
def test_the_plan_moves_elements_like_the_chain(chain: Any) -> None:
    shape, steps = chain
    x = np.arange(prod(shape)).reshape(shape)
    expected = x
    for kind, argument in steps:
        expected = expected.transpose(argument) if kind == "transpose" else expected.reshape(argument)
    view, known = follow(shape, steps)
    if not known:
        return
    found = plans(view, shape, expected.shape)
    for one in found:
        assert run(x, one, expected.shape).tolist() == expected.tolist()
    assert [one.length for one in found] == sorted(one.length for one in found)
    assert found[-1].length <= 3


@pytest.mark.parametrize(
    ("shape", "steps", "before", "perm", "after"),
    [
        # Leading axes joined around a swap of the last two.
        ((n, 6, s, 64), [("r", (6 * n, s, 64)), ("t", (0, 2, 1)), ("r", (n, 6, 64, s))], None, (0, 1, 3, 2), False),
        # The same with an axis of size 1 to lose first.
        ((1, n, 6, s, 64), [("r", (6 * n, s, 64)), ("t", (0, 2, 1)), ("r", (n, 6, 64, s))], (n, 6, s, 64), (0, 1, 3, 2),
         False),
        # Two swaps with a split between them.
        ((n, 8, 4), [("t", (0, 2, 1)), ("r", (n, 4, 2, 4)), ("t", (0, 2, 3, 1))], None, None, True),
        # Nothing moves in the end.
        ((n, s, 4), [("t", (1, 0, 2)), ("r", (s, n, 2, 2)), ("t", (1, 0, 2, 3)), ("r", (n, s, 4))], None, None, False),
        # All there is lies along one axis, whose size is known by other names.
        ((n, s), [("r", (1, m)), ("t", (1, 0))], None, None, True),
        ((n, 3), [("r", (1, 1, 15)), ("t", (0, 2, 1))], None, None, True),
        # Heads are split off, swapped and joined.
        ((n, s, 8), [("r", (n, s, 2, 4)), ("t", (0, 2, 1, 3)), ("r", (2 * n, s, 4))], (n, s, 2, 4), (0, 2, 1, 3), True),
    ],
)
def test_plans_of_chains_with_symbols(shape: Any, steps: Any, before: Any, perm: Any, after: bool) -> None:
    named = [("transpose" if kind == "t" else "reshape", argument) for kind, argument in steps]
    view, known = follow(shape, named)
    assert known
    result = shape
    for kind, argument in named:
        result = tuple(result[axis] for axis in argument) if kind == "transpose" else argument
    found = plans(view, shape, result)[0]
    assert (found.before, found.perm, found.after) == (before, perm, after)


def test_sizes_that_do_not_tell_how_elements_move() -> None:
    view = View((n, s))
    assert not view.reshape((s, n))
    view = View((n, s))
    assert not view.reshape((m, 2))
    view = View((6, 4))
    view.transpose((1, 0))
    assert not view.reshape((3, 8))
    view = View((4, 6))
    assert not view.reshape((4, 6, 2))
    view = View((4, 6))
    assert not view.reshape((4,))
