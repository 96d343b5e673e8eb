"""Changes of element type: Cast, CastLike, BitCast."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..ir.dims import Size, known_different
from ..ir.dtypes import BOOL, INT32, INT64, NAMES, STRING, numpy_dtype
from ..ir.graph import Node, Value
from .precision import Array, is_real
from .registry import KERNELS, SHAPES

_TRACKED = (INT64, INT32, BOOL)


@SHAPES.register("Cast")
def cast_shape(node: Node, ctx: Any) -> None:
    """x as type `to`, same shape; integer and bool elements are followed."""
    value = node.input(0)
    if value is not None and node.outputs:
        _state(node, value, target_type(node), ctx)


@SHAPES.register("CastLike")
def cast_like_shape(node: Node, ctx: Any) -> None:
    """x as the type of the second input, same shape."""
    value, target = node.input(0), node.input(1)
    if value is not None and target is not None and node.outputs:
        _state(node, value, target.dtype, ctx)


@SHAPES.register("BitCast")
def bit_cast_shape(node: Node, ctx: Any) -> None:
    """The bits of x read as type `to` of the same width, same shape."""
    value = node.input(0)
    if value is not None and node.outputs:
        ctx.set(node.outputs[0], target_type(node), value.shape)


def target_type(node: Node) -> int:
    """The type a Cast gives: attribute `to`, which Cast-1 spells out as text; 0 when it is no known type."""
    to = node.attribute("to", 0)
    if type(to) is int:
        return to if to in NAMES else 0
    wanted = to.decode("ascii", "replace") if isinstance(to, bytes) else ""
    return next((number for number, name in NAMES.items() if name == wanted), 0)


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


@KERNELS.register("Cast", "CastLike")
def cast_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: integers wrap, floats round to nearest even and truncate to integers.

    Left to the runtime: text, 8-bit and narrower formats, and floats beyond the range of the integer they become.
    """
    x = arrays[0]
    to = target_type(node) if node.op_type == "Cast" else node.outputs[0].dtype
    if not to or to == STRING:
        return None
    wanted = numpy_dtype(to)
    if not (_is_plain(x.dtype) and _is_plain(wanted)):
        return None
    if wanted == x.dtype:
        return x
    with np.errstate(all="ignore"):
        if is_real(x.dtype) and wanted.kind in "iu":
            return _truncated(x, wanted)
        if wanted.itemsize == 2 and is_real(wanted) and x.dtype.itemsize > 2:
            # By way of float32, so that a double or a large integer is rounded twice, as in onnxruntime.
            return x.astype(np.float32).astype(wanted)
        return x.astype(wanted)


def _is_plain(dtype: np.dtype[Any]) -> bool:
    return dtype.kind in "biu" or is_real(dtype)


def _truncated(x: Array, wanted: np.dtype[Any]) -> Array | None:
    """Toward zero; None when an element does not fit."""
    whole = np.asarray(np.trunc(x.astype(np.float64)))
    info = np.iinfo(wanted)
    # The limits themselves are exact in float64 from below; the upper one is exclusive.
    if not ((whole >= float(info.min)) & (whole < float(info.max + 1))).all():
        return None
    return whole.astype(wanted)


@KERNELS.register("BitCast")
def bit_cast_fold(node: Node, arrays: list[Array], ctx: Any) -> Array | None:
    """Exact: the same bytes; narrower types than a byte have other layouts."""
    to = target_type(node)
    x = arrays[0]
    if not to or to == STRING or not (_is_plain(x.dtype) and _is_plain(numpy_dtype(to))):
        return None
    wanted = numpy_dtype(to)
    if wanted.itemsize != x.dtype.itemsize or "b" in (wanted.kind, x.dtype.kind):
        return None
    return x.view(wanted)
