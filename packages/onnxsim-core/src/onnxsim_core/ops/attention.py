"""Attention and the rotary embedding that goes before it."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, add, exact_div, mul
from ..ir.graph import Node, Value
from .broadcasting import Shape
from .registry import SHAPES


@SHAPES.register("RotaryEmbedding", since=23)
def rotary_embedding_shape(node: Node, ctx: Any) -> None:
    """Rotating pairs of elements changes no size."""
    x = node.input(0)
    if x is not None and node.outputs:
        ctx.set(node.outputs[0], x.dtype, x.shape)


@SHAPES.register("Attention", since=23)
def attention_shape(node: Node, ctx: Any) -> None:
    """Q [b, h, q, d], K [b, k, t, d], V [b, k, t, v] -> [b, h, q, v], caches of past + t, scores [b, h, q, past + t].

    Operands of rank 3 hold heads and their elements in one axis.  Source: ONNX Attention-23.
    """
    query, key, value = node.input(0), node.input(1), node.input(2)
    if query is None or key is None or value is None or not node.outputs:
        return
    types = (query.dtype, key.dtype, value.dtype, query.dtype)
    shapes = _shapes(node, query, key, value)
    for index, output in enumerate(node.outputs[:4]):
        ctx.set(output, types[index], None if shapes is None else shapes[index])


def _shapes(node: Node, query: Value, key: Value, value: Value) -> list[Shape | None] | None:
    """Shapes of the four outputs, or None when ranks or heads are unknown."""
    heads, kv_heads = node.attribute("q_num_heads", 0), node.attribute("kv_num_heads", 0)
    q, k, v = _by_heads(query.shape, heads), _by_heads(key.shape, kv_heads), _by_heads(value.shape, kv_heads)
    if q is None or k is None or v is None or query.shape is None:
        return None
    total: Size | None = k[2]
    past = node.input(4)
    if past is not None:
        total = add(k[2], past.shape[2]) if past.shape is not None and len(past.shape) == 4 else None
    result = (q[0], q[1], q[2], v[3]) if len(query.shape) == 4 else (q[0], q[2], mul(q[1], v[3]))
    if total is None:
        return [result, None, None, None]
    return [result, (k[0], k[1], total, k[3]), (v[0], v[1], total, v[3]), (q[0], q[1], q[2], total)]


def _by_heads(shape: Shape | None, heads: int) -> Shape | None:
    """[batch, heads, sequence, size] of an operand, whose rank-3 form is [batch, sequence, heads * size]."""
    if shape is None or len(shape) not in (3, 4):
        return None
    if len(shape) == 4:
        return shape
    size = exact_div(shape[2], heads) if heads > 0 else None
    return None if size is None else (shape[0], heads, shape[1], size)
