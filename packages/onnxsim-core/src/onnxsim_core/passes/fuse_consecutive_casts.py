"""fuse_consecutive_casts: a Cast of a Cast that lost nothing."""

from __future__ import annotations

from ..ir import dtypes as t
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_consecutive_casts", "join Casts whose first one loses nothing")

_ALL_FLOATS = frozenset({t.FLOAT16, t.BFLOAT16, t.FLOAT, t.DOUBLE})
_INTS = frozenset({t.INT8, t.INT16, t.INT32, t.INT64, t.UINT8, t.UINT16, t.UINT32, t.UINT64})
_LOSSLESS = {
    t.BOOL: _INTS | _ALL_FLOATS,
    t.UINT8: frozenset({t.INT16, t.INT32, t.INT64, t.UINT16, t.UINT32, t.UINT64}) | _ALL_FLOATS,
    t.INT8: frozenset({t.INT16, t.INT32, t.INT64}) | _ALL_FLOATS,
    t.UINT16: frozenset({t.INT32, t.INT64, t.UINT32, t.UINT64, t.FLOAT, t.DOUBLE}),
    t.INT16: frozenset({t.INT32, t.INT64, t.FLOAT, t.DOUBLE}),
    t.UINT32: frozenset({t.INT64, t.UINT64, t.DOUBLE}),
    t.INT32: frozenset({t.INT64, t.DOUBLE}),
    t.FLOAT16: frozenset({t.FLOAT, t.DOUBLE}),
    t.BFLOAT16: frozenset({t.FLOAT, t.DOUBLE}),
    t.FLOAT: frozenset({t.DOUBLE}),
}


def is_lossless(source: int, target: int) -> bool:
    """Does every value of the first type have a value of its own in the second?"""
    return source == target or target in _LOSSLESS.get(source, ())


def goes_directly(source: int, middle: int, target: int) -> bool:
    """Is source -> middle -> target the same as source -> target, for every value?"""
    if not is_lossless(source, middle):
        return False
    if target in _ALL_FLOATS or target == t.BOOL or is_lossless(source, target):
        return True
    # Out of range, integers wrap around on the way from integers; from floats anything may come out.
    return source in _INTS and middle in _INTS and target in _INTS


@rewrites("fuse_consecutive_casts", root="Cast", after=("Cast",))
def compose_casts(node: Node, op: Builder) -> Value | Skip:
    """Cast(Cast(x, wider), type) -> Cast(x, type), or x when that is its type.

    Exact: the first Cast loses nothing, and out of range both ways give the same. Source: ONNX Cast-13, -19.
    """
    value = node.input(0)
    inner = None if value is None else value.producer("Cast")
    x = None if inner is None else inner.input(0)
    if inner is None or x is None or not x.dtype:
        return skip("input is not made by a Cast")
    if not goes_directly(x.dtype, inner.attribute("to", 0), node.attribute("to", 0)):
        return skip("the first Cast may lose something the second one would not")
    return x if node.attribute("to", 0) == x.dtype else op.like(node, [x])
