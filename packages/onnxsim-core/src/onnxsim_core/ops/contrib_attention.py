"""onnxruntime's attention operators and embeddings (domain com.microsoft). Shapes only."""

from __future__ import annotations

from typing import Any

from ..ir.dims import Size, add, exact_div, mul
from ..ir.dtypes import INT32
from ..ir.graph import Node, Value
from .attributes import integer, integers
from .registry import SHAPES

MICROSOFT = "com.microsoft"
Shape = tuple[Any, ...]


def shape_of(value: Value | None, rank: int) -> Shape | None:
    """The shape if it is known and of that rank."""
    shape = None if value is None else value.shape
    return shape if shape is not None and len(shape) == rank else None


def _state(node: Node, index: int, dtype: int, shape: Any, ctx: Any) -> None:
    if index < len(node.outputs):
        ctx.set(node.outputs[index], dtype, shape)


@SHAPES.register("Attention", domain=MICROSOFT)
def attention_shape(node: Node, ctx: Any) -> None:
    """input [B, S, .], weights [., Hq + Hk + Hv], past [2, B, N, P, D] -> [B, S, Hv], present [2, B, N, P + S, D].

    Source: onnxruntime com.microsoft.Attention.
    """
    x, weights = node.input(0), node.input(1)
    if x is None:
        return
    hidden: tuple[int, ...] = integers(node, "qkv_hidden_sizes")
    _attend(node, x, x.dtype, weights, hidden, node.input(4), ctx)


@SHAPES.register("QAttention", domain=MICROSOFT)
def qattention_shape(node: Node, ctx: Any) -> None:
    """Attention over 8-bit input and weights; the result has the type of the scales.

    Source: onnxruntime com.microsoft.QAttention.
    """
    x, weights, scale = node.input(0), node.input(1), node.input(3)
    if x is not None and scale is not None:
        _attend(node, x, scale.dtype, weights, (), node.input(8), ctx)


def _attend(node: Node, x: Value, dtype: int, weights: Value | None, hidden: tuple[int, ...], past: Value | None,
            ctx: Any) -> None:
    shape, merged = shape_of(x, 3), shape_of(weights, 2)
    heads = integer(node, "num_heads", 0)
    width: Size | None = hidden[2] if len(hidden) == 3 else None if merged is None else exact_div(merged[1], 3)
    y = present = None
    if shape is not None and width is not None:
        y = (shape[0], shape[1], width)
    if shape is not None and len(node.outputs) > 1 and heads > 0:
        before = shape_of(past, 5)
        if before is not None and past is not None:
            total = before[3] if integer(node, "past_present_share_buffer", 0) else add(before[3], shape[1])
            present = (2, shape[0], heads, total, before[4])
        elif past is None and width is not None and len(hidden) != 3:
            size = exact_div(width, heads)
            present = None if size is None else (2, shape[0], heads, shape[1], size)
    _state(node, 0, dtype, y, ctx)
    _state(node, 1, dtype, present, ctx)


@SHAPES.register("MultiHeadAttention", domain=MICROSOFT)
def multi_head_attention_shape(node: Node, ctx: Any) -> None:
    """query [B, S, H], key [B, L, H], value [B, L, Hv] -> [B, S, Hv]; packed and transposed keys and values too.

    Source: onnxruntime com.microsoft.MultiHeadAttention.
    """
    query, key, value = node.input(0), node.input(1), node.input(2)
    if query is None or query.shape is None:
        for out in node.outputs:
            ctx.set(out, 0 if query is None else query.dtype)
        return
    shape = query.shape
    width: Size | None = None
    if len(shape) == 5:
        width = mul(shape[2], shape[4])
    elif value is not None:
        rows, heads = shape_of(value, 3), shape_of(value, 4)
        width = rows[2] if rows is not None else mul(heads[1], heads[3]) if heads is not None else None
    elif shape_of(key, 5) is not None and len(shape) == 3:
        width = shape[2]
    y = (shape[0], shape[1], width) if width is not None and len(shape) in (3, 5) else None
    _state(node, 0, query.dtype, y, ctx)
    heads_count = integer(node, "num_heads", 0)
    for index in (1, 2):
        _state(node, index, query.dtype, _present(node, index, shape, heads_count, y, ctx), ctx)
    _state(node, 3, query.dtype, None, ctx)


def _present(node: Node, index: int, query: Shape, heads: int, y: Shape | None, ctx: Any) -> Shape | None:
    """[B, heads, past + L, D] of keys (1) or values (2), when both are plain and the cache is not shared."""
    key = shape_of(node.input(1), 3)
    if key is None or heads <= 0 or len(query) != 3 or node.input(8) is not None:
        return None
    width = query[2] if index == 1 else None if y is None else y[2]
    if width is None:
        return None
    size = exact_div(width, heads)
    past = node.input(5 + index)
    before = shape_of(past, 4)
    if size is None or past is not None and before is None:
        return None
    return (query[0], heads, key[1] if before is None else add(before[2], key[1]), size)


@SHAPES.register("GroupQueryAttention", "SparseAttention", domain=MICROSOFT)
def group_query_attention_shape(node: Node, ctx: Any) -> None:
    """query [B, S, N * D] (keys and values may be packed behind it) -> [B, S, N * D], present [B, kv_heads, ., D].

    Source: onnxruntime com.microsoft.GroupQueryAttention and SparseAttention.
    """
    query, key = node.input(0), node.input(1)
    if query is None:
        return
    shape = shape_of(query, 3)
    heads, shared = integer(node, "num_heads", 0), integer(node, "kv_num_heads", 0)
    size: Size | None = None
    if shape is not None and heads > 0 and shared > 0:
        size = exact_div(shape[2], heads if key is not None else heads + 2 * shared)
    y = None if size is None or shape is None else (shape[0], shape[1], mul(heads, size))
    _state(node, 0, query.dtype, y, ctx)
    for index in (1, 2):
        if index >= len(node.outputs):
            return
        past = node.input(index + 2)
        before = shape_of(past, 4)
        dtype = query.dtype if past is None else past.dtype
        if before is not None:
            _state(node, index, dtype, (before[0], before[1], ctx.fresh(), before[3]), ctx)
        elif past is None and shape is not None and size is not None:
            _state(node, index, dtype, (shape[0], shared, ctx.fresh(), size), ctx)
        else:
            _state(node, index, dtype, None, ctx)


@SHAPES.register("PackedAttention", domain=MICROSOFT)
def packed_attention_shape(node: Node, ctx: Any) -> None:
    """input [tokens, .], weights [., Hq + Hk + Hv] -> [tokens, Hv].  Source: onnxruntime PackedAttention."""
    x, weights = node.input(0), node.input(1)
    if x is None:
        return
    shape, merged = shape_of(x, 2), shape_of(weights, 2)
    hidden: tuple[int, ...] = integers(node, "qkv_hidden_sizes")
    width: Size | None = hidden[2] if len(hidden) == 3 else None if merged is None else exact_div(merged[1], 3)
    _state(node, 0, x.dtype, None if shape is None or width is None else (shape[0], width), ctx)


@SHAPES.register("PackedMultiHeadAttention", domain=MICROSOFT)
def packed_multi_head_attention_shape(node: Node, ctx: Any) -> None:
    """query [tokens, H], value [tokens, Hv] -> [tokens, Hv]; packed [tokens, heads, 3, D] -> [tokens, heads * D].

    Source: onnxruntime com.microsoft.PackedMultiHeadAttention.
    """
    query, value = node.input(0), node.input(2)
    if query is None:
        return
    packed, rows = shape_of(query, 4), shape_of(value, 2)
    y = None
    if packed is not None:
        y = (packed[0], mul(packed[1], packed[3]))
    elif rows is not None and shape_of(query, 2) is not None:
        y = (query.shape[0], rows[1])  # type: ignore[index]
    _state(node, 0, query.dtype, y, ctx)


@SHAPES.register("EmbedLayerNormalization", domain=MICROSOFT)
def embed_layer_normalization_shape(node: Node, ctx: Any) -> None:
    """ids [B, S], embedding [., H] -> [B, S, H], index of the mask [B] and the sum before normalising [B, S, H].

    Source: onnxruntime com.microsoft.EmbedLayerNormalization.
    """
    gamma = node.input(5)
    _embed(node, 0 if gamma is None else gamma.dtype, ctx)


@SHAPES.register("QEmbedLayerNormalization", domain=MICROSOFT)
def qembed_layer_normalization_shape(node: Node, ctx: Any) -> None:
    """The same over 8-bit embeddings, of the type of their scales.  Source: onnxruntime QEmbedLayerNormalization."""
    scale = node.input(8)
    _embed(node, 0 if scale is None else scale.dtype, ctx)


def _embed(node: Node, dtype: int, ctx: Any) -> None:
    ids, table = shape_of(node.input(0), 2), shape_of(node.input(2), 2)
    y = None if ids is None or table is None else (ids[0], ids[1], table[1])
    _state(node, 0, dtype, y, ctx)
    _state(node, 1, INT32, None if ids is None else (ids[0],), ctx)
    _state(node, 2, dtype, y, ctx)
