"""Einsum: the shape its equation spells out."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, broadcast
from ..ir.graph import Node
from .broadcasting import Shape, broadcast_shapes
from .registry import SHAPES

DOTS = "..."


@SHAPES.register("Einsum")
def einsum_shape(node: Node, ctx: Any) -> None:
    """Each letter names a size; the result lists the letters after the arrow.  Source: ONNX Einsum-12."""
    dtype = 0
    shapes: list[Shape] | None = []
    for value in node.inputs:
        if value is None:
            return
        dtype = dtype or value.dtype
        if value.shape is None:
            shapes = None
        elif shapes is not None:
            shapes.append(value.shape)
    if node.outputs and node.inputs:
        shape = None if shapes is None else equation_shape(node.text("equation"), shapes)
        ctx.set(node.outputs[0], dtype, shape)


def equation_shape(equation: str, shapes: list[Shape]) -> Shape | None:
    """The shape an equation gives, or None when it is not valid for these operands."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(shapes):
        return None
    sizes: dict[str, Size] = {}
    dots: Shape = ()
    for term, shape in zip(terms, shapes):
        letters = _axes(term, len(shape))
        if letters is None:
            return None
        covered: list[Size] = []
        for letter, size in zip(letters, shape):
            if letter == DOTS:
                covered.append(size)
                continue
            merged = broadcast(sizes.get(letter, 1), size)
            if merged is None:
                return None
            sizes[letter] = merged
        joined = broadcast_shapes(dots, tuple(covered))
        if joined is None:
            return None
        dots = joined
    return _listed(right if arrow else _implied(left), sizes, dots)


def _axes(term: str, rank: int) -> list[str] | None:
    """What each axis of an operand is called: a letter, or dots for those an ellipsis stands for."""
    before, ellipsis, after = term.partition(DOTS)
    if not (before + after).isalpha() and before + after:
        return None
    spare = rank - len(before) - len(after)
    if spare < 0 or spare and not ellipsis:
        return None
    return [*before, *[DOTS] * spare, *after]


def _implied(left: str) -> str:
    """The result of an equation without an arrow: the ellipsis, then letters that occur once, in order.

    Small and capital letters together have no agreed order.
    """
    letters = left.replace(DOTS, "").replace(",", "")
    if not (letters.islower() or letters.isupper() or not letters):
        return "?"
    return DOTS + "".join(sorted(letter for letter in set(letters) if letters.count(letter) == 1))


def _listed(right: str, sizes: dict[str, Size], dots: Shape) -> Shape | None:
    before, ellipsis, after = right.partition(DOTS)
    result: list[Size] = []
    for letter in before:
        if letter not in sizes:
            return None
        result.append(sizes[letter])
    if ellipsis:
        result.extend(dots)
    for letter in after:
        if letter not in sizes:
            return None
        result.append(sizes[letter])
    return tuple(result)
