"""eliminate_nop_clip: Clip that can cut nothing."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_clip", "remove Clip of integers without bounds")

_INTEGERS = frozenset({2, 3, 4, 5, 6, 7, 12, 13})


@rewrites("eliminate_nop_clip", root="Clip")
def drop_clip(node: Node, op: Builder) -> Value | Skip:
    """Clip(x) without bounds -> x for integers; of floats it would make infinities finite.

    Exact. Source: ONNX Clip-13; the default bounds are the least and the largest finite number.
    """
    x = node.input(0)
    if x is None or x.dtype not in _INTEGERS:
        return skip("it is no integer")
    return x if node.input(1) is None and node.input(2) is None else skip("it has a bound")
