"""eliminate_nop_cast: a Cast to the type the value has already."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_nop_cast", "remove Cast and CastLike to the type the value has already")


@rewrites("eliminate_nop_cast", root=("Cast", "CastLike"))
def drop_cast_to_own_type(node: Node, op: Builder) -> Value | Skip:
    """Cast(x, type of x) -> x; CastLike(x, like) -> x when both have one type.

    Exact. Source: ONNX Cast-1, CastLike-15.
    """
    x = node.input(0)
    if x is None or not x.dtype:
        return skip("the type of the input is unknown")
    if node.op_type == "Cast":
        wanted = node.attribute("to", 0)
    else:
        like = node.input(1)
        wanted = like.dtype if like is not None else 0
    return x if wanted == x.dtype else skip("the types differ")
