"""eliminate_nop_tile: Tile by one."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_tile", "remove Tile that repeats nothing")


@rewrites("eliminate_nop_tile", root="Tile")
def drop_tile(node: Node, op: Builder) -> Value | Skip:
    """Tile(x, [1, .., 1]) -> x.

    Exact. Source: ONNX Tile-6.
    """
    x = node.input(0)
    repeats = op.ctx.ints(node.input(1))
    if x is None or repeats is None or op.opset < 6:
        return skip("the repeats are not known")
    return x if all(count == 1 for count in repeats) else skip("it repeats something")
