"""Changes of element type: Cast, CastLike, BitCast."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, known_different
from ..ir.dtypes import BOOL, INT32, INT64
from ..ir.graph import Node, Value
from .registry import SHAPES

_TRACKED = (INT64, INT32, BOOL)


@SHAPES.register("Cast")
def cast_shape(node: Node, ctx: Any) -> None:
    """x as type `to`, same shape; integer and bool elements are followed."""
    value = node.input(0)
    to = node.attribute("to", 0)
    if value is not None and node.outputs:
        # Cast-1 names the type in text.
        _state(node, value, to if type(to) is int else _by_name(to), ctx)


@SHAPES.register("CastLike")
def cast_like_shape(node: Node, ctx: Any) -> None:
    """x as the type of the second input, same shape."""
    value, target = node.input(0), node.input(1)
    if value is not None and target is not None and node.outputs:
        _state(node, value, target.dtype, ctx)


def _by_name(name: Any) -> int:
    from ..ir.dtypes import NAMES

    wanted = name.decode("ascii", "replace") if isinstance(name, bytes) else ""
    return next((number for number, known in NAMES.items() if known == wanted), 0)


def _state(node: Node, value: Value, dtype: int, ctx: Any) -> None:
    data = None
    if dtype in _TRACKED and value.dtype in _TRACKED:
        found = ctx.data(value)
        if found is not None:
            data = found if value.dtype == dtype or value.dtype == BOOL else _converted(found, dtype)
    ctx.set(node.outputs[0], dtype, value.shape, data)


def _converted(data: tuple[Size, ...], dtype: int) -> tuple[Size, ...] | None:
    """Integer elements as another integer type or bool. A symbolic size is taken to fit into int32."""
    if dtype == INT64:
        return data
    result: list[Size] = []
    for element in data:
        if type(element) is int:
            element = (element != 0) * 1 if dtype == BOOL else (element + (1 << 31)) % (1 << 32) - (1 << 31)
        elif dtype == BOOL:
            if not known_different(element, 0):
                return None
            element = 1
        result.append(element)
    return tuple(result)
