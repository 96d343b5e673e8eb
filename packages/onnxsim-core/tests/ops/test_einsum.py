"""Shapes of Einsum against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge

from onnxsim_core.ops.einsum import equation_shape

EQUATIONS = [
    ("ij,jk->ik", ("N,3", "3,M"), "[N, M]"),
    ("ij,jk", ("N,3", "3,M"), "[N, M]"),
    ("bij,bjk->bik", ("N,2,3", "N,3,M"), "[N, 2, M]"),
    ("bij,bjk->bik", ("1,2,3", "N,3,M"), "[N, 2, M]"),
    ("...ij,...jk->...ik", ("N,2,3", "N,3,M"), "[N, 2, M]"),
    ("...ij,jk...", ("2,3", "3,M"), "[2, M]"),
    ("ii->i", ("3,3",), "[3]"),
    ("ii", ("3,3",), "[]"),
    ("ij->", ("N,M",), "[]"),
    ("ij->ji", ("N,M",), "[M, N]"),
    ("i,j->ij", ("N", "M"), "[N, M]"),
    ("...ij->ij...", ("N,3,M",), "[3, M, N]"),
    (" i j , j k -> k i ", ("N,3", "3,M"), "[M, N]"),
    ("bhwc,hkc->bhwk", ("N,2,3,4", "2,M,4"), "[N, 2, 3, M]"),
    ("bA,A->b", ("N,3", "3"), "[N]"),
    ("ij...,...jk->ik...", ("N,3,5", "5,3,M"), "[N, M, 5]"),
]


@pytest.mark.parametrize(("equation", "operands", "expected"), EQUATIONS)
def test_shapes(equation: str, operands: tuple[str, ...], expected: str) -> None:
    names = "abc"[: len(operands)]
    inputs = ", ".join(f"float[{names_}] {name}" for name, names_ in zip(names, operands, strict=True))
    text = f'g ({inputs}) => (y) {{ y = Einsum<equation="{equation}">({", ".join(names)}) }}'
    for n, m in ((2, 4), (5, 1)):
        shapes = [[{"N": n, "M": m}.get(s) or int(s) for s in operand.split(",")] for operand in operands]
        feeds = {name: np.ones(shape, np.float32) for name, shape in zip(names, shapes, strict=True)}
        assert judge(text, feeds, kernels=False).shape("y") == expected


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk->ik", [(2, 3)]),
        ("ij->ij", [(2, 3, 4)]),
        ("ijk->ij", [(2, 3)]),
        ("ij,jk->ik", [(2, 3), (4, 5)]),
        ("ij->ik", [(2, 3)]),
        ("i1->i", [(2, 3)]),
        ("...,...->...", [(2,), (3,)]),
        ("aB", [(2, 3)]),
        ("", [(2, 3)]),
    ],
)
def test_invalid_equations_say_nothing(equation: str, shapes: list[tuple[int, ...]]) -> None:
    assert equation_shape(equation, shapes) is None


def test_an_unknown_rank_gives_the_type_alone() -> None:
    found = facts('g (float[] a, float[3,4] b) => (y) { y = Einsum<equation="ij,jk->ik">(a, b) }')
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)
    found = facts('g (float[2,3] a, float[] b) => (y) { y = Einsum<equation="ij,jk->ik">(a, b) }')
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)
