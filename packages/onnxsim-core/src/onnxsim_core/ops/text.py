"""Operators on text: their shapes."""

from __future__ import annotations

from typing import Any

from ..ir.dtypes import BOOL, INT64, STRING
from ..ir.graph import Node
from .broadcasting import broadcast_shapes
from .registry import SHAPES


@SHAPES.register("StringConcat", since=20)
def string_concat_shape(node: Node, ctx: Any) -> None:
    """[a..] + [b..] -> the broadcast of both."""
    a, b = node.input(0), node.input(1)
    if a is None or b is None or not node.outputs:
        return
    shape = None if a.shape is None or b.shape is None else broadcast_shapes(a.shape, b.shape)
    ctx.set(node.outputs[0], STRING, shape)


@SHAPES.register("StringSplit", since=20)
def string_split_shape(node: Node, ctx: Any) -> None:
    """[a..] -> the pieces [a.., longest] and how many each has [a..]."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    ctx.set(node.outputs[0], STRING, None if x.shape is None else (*x.shape, ctx.fresh()))
    if len(node.outputs) > 1:
        ctx.set(node.outputs[1], INT64, x.shape)


@SHAPES.register("RegexFullMatch", since=20)
def regex_full_match_shape(node: Node, ctx: Any) -> None:
    """[a..] -> bool [a..]."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], BOOL, x.shape)


@SHAPES.register("StringNormalizer", since=10)
def string_normalizer_shape(node: Node, ctx: Any) -> None:
    """[n] or [1, n] -> as many as are no stopwords, and one empty text if none is left."""
    x = node.input(0)
    if x is None or not node.outputs:
        return
    shape = x.shape
    if shape is None or not shape or len(shape) > 2:
        ctx.set(node.outputs[0], STRING)
    elif node.attribute("stopwords"):
        ctx.set(node.outputs[0], STRING, (*shape[:-1], ctx.fresh()))
    else:
        ctx.set(node.outputs[0], STRING, shape)
