"""Multiply-accumulates and bytes moved, as numbers or as formulas in the model's symbolic sizes.

MACs are counted for products: convolutions, matrix products, attention, recurrent layers, Einsum of two operands, and
the integer and fused forms of these. One MAC is two floating-point operations. Bodies of If, Loop and Scan count once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ..ir.dims import Size, add, floordiv, mul
from ..ir.dtypes import BITS, STRING
from ..ir.graph import Model, Node, Value

Shape = tuple[Size, ...]
Known = dict[tuple[int, Shape], "Size | None"]


@dataclass(frozen=True, slots=True)
class Sum:
    """A total; `complete` is False when a part of it is not known, so that the truth is larger."""

    size: Size
    complete: bool = True


def product(sizes: Iterable[Size]) -> Size:
    """The sizes multiplied together; 1 for none."""
    result: Size = 1
    for size in sizes:
        result = result * size if type(result) is int and type(size) is int else mul(result, size)
    return result


def value_bytes(value: Value, known: Known | None = None) -> Size | None:
    """Bytes the value takes in memory, or None when its type or shape is unknown; strings count nothing.

    `known` keeps what was counted, for the many values of one type and shape.
    """
    if value.tensor is not None:
        return value.tensor.nbytes
    if value.shape is None:
        return 0 if value.dtype == STRING else None
    key = (value.dtype, value.shape)
    if known is None:
        return _bytes(*key)
    if key not in known:
        known[key] = _bytes(*key)
    return known[key]


def _bytes(dtype: int, shape: Shape) -> Size | None:
    bits = BITS.get(dtype)
    if bits is None:
        return 0 if dtype == STRING else None
    count = product(shape)
    return mul(count, bits // 8) if bits >= 8 else floordiv(add(mul(count, bits), 7), 8)


def shape_of(node: Node, index: int) -> Shape | None:
    """Shape of input `index`, None when it is omitted or unknown."""
    value = node.input(index)
    return None if value is None else value.shape


def result_shape(node: Node) -> Shape | None:
    return node.outputs[0].shape if node.outputs else None


# --- products --------------------------------------------------------------------------------------------------------
def convolution(node: Node, weight: int) -> Size | None:
    """Every output element sums over C/group * kernel elements."""
    out, filters = result_shape(node), shape_of(node, weight)
    return None if out is None or filters is None else product((*out, *filters[1:]))


def transposed_convolution(node: Node, weight: int) -> Size | None:
    """Every input element is added to M/group * kernel output elements."""
    x, filters = shape_of(node, 0), shape_of(node, weight)
    return None if x is None or filters is None else product((*x, *filters[1:]))


def matrix_product(node: Node, right: int) -> Size | None:
    """Every output element sums over k elements, the last axis of the left operand."""
    out, left, other = result_shape(node), shape_of(node, 0), shape_of(node, right)
    if out is None or not left and not other:
        return None
    if left:
        depth: Size = left[-2] if node.attribute("transA", 0) and len(left) > 1 else left[-1]
    else:
        assert other is not None
        depth = other[-2 if len(other) > 1 else 0]
    return product((*out, depth))


def gemm(node: Node, right: int) -> Size | None:
    """m * n * k of op(A) [m, k] and op(B) [k, n]."""
    out, left = result_shape(node), shape_of(node, 0)
    if out is None or left is None or len(left) != 2:
        return None
    return product((*out, left[0] if node.attribute("transA", 0) else left[1]))


def packed_product(node: Node, right: int) -> Size | None:
    """A product whose packed right operand states its depth as attribute K."""
    out, depth = result_shape(node), node.attribute("K")
    return None if out is None or depth is None else product((*out, depth))


def attention(node: Node, past_key: int) -> Size | None:
    """Scores Q @ K' and their product with V, for [batch, heads, length, size] or [batch, length, heads * size]."""
    query, keys, values = (shape_of(node, index) for index in (0, 1, 2))
    if query is None or keys is None or values is None or len(query) not in (3, 4):
        return None
    past = shape_of(node, past_key)
    length: Size = keys[-2]
    if past is not None and len(past) == 4:
        length = add(length, past[2])
    if len(query) == 4:
        scores = product((*query, length))
        return add(scores, product((*query[:3], length, values[-1])))
    heads = node.attribute("q_num_heads", node.attribute("num_heads", 1))
    value_heads = node.attribute("kv_num_heads", heads) or 1
    width = floordiv(mul(values[-1], heads), value_heads) if values[-1] != query[-1] else query[-1]
    return add(product((*query, length)), product((*query[:2], length, width)))


def attention_with_projection(node: Node, weight: int) -> Size | None:
    """com.microsoft.Attention: input [batch, length, width] times weights [width, 3 * hidden], then the attention."""
    x, weights, out = shape_of(node, 0), shape_of(node, 1), result_shape(node)
    if x is None or weights is None or out is None or len(x) != 3 or len(weights) != 2:
        return None
    return add(product((*x, weights[1])), product((2, *out, x[1])))


_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def recurrence(node: Node, weight: int) -> Size | None:
    """Per step, batch and direction: gates * hidden * (input + hidden)."""
    x, weights, loops = shape_of(node, 0), shape_of(node, 1), shape_of(node, 2)
    if x is None or weights is None or loops is None or len(x) != 3 or len(weights) != 3 or len(loops) != 3:
        return None
    return product((x[0], x[1], weights[0], weights[1], add(weights[2], loops[2])))


def einsum(node: Node, right: int) -> Size | None:
    """The product of the sizes of all letters, for two operands without an ellipsis."""
    equation = node.text("equation").replace(" ", "")
    terms = equation.partition("->")[0].split(",")
    if len(terms) != 2 or "." in equation:
        return None
    sizes: dict[str, Size] = {}
    for index, term in enumerate(terms):
        shape = shape_of(node, index)
        if shape is None or len(shape) != len(term):
            return None
        for letter, size in zip(term, shape, strict=True):
            if size != 1 or letter not in sizes:
                sizes[letter] = size
    return product(sizes.values())


_MICROSOFT = "com.microsoft"
PRODUCTS: dict[tuple[str, str], tuple[Callable[[Node, int], Size | None], int]] = {
    ("", "Conv"): (convolution, 1),
    ("", "ConvInteger"): (convolution, 1),
    ("", "QLinearConv"): (convolution, 3),
    ("", "DeformConv"): (convolution, 1),
    ("", "ConvTranspose"): (transposed_convolution, 1),
    ("", "MatMul"): (matrix_product, 1),
    ("", "MatMulInteger"): (matrix_product, 1),
    ("", "QLinearMatMul"): (matrix_product, 3),
    ("", "Gemm"): (gemm, 1),
    ("", "Attention"): (attention, 4),
    ("", "LSTM"): (recurrence, 1),
    ("", "GRU"): (recurrence, 1),
    ("", "RNN"): (recurrence, 1),
    ("", "Einsum"): (einsum, 1),
    (_MICROSOFT, "FusedConv"): (convolution, 1),
    (_MICROSOFT, "QLinearConv"): (convolution, 3),
    (_MICROSOFT, "FusedMatMul"): (matrix_product, 1),
    (_MICROSOFT, "MatMulIntegerToFloat"): (matrix_product, 1),
    (_MICROSOFT, "DynamicQuantizeMatMul"): (matrix_product, 1),
    (_MICROSOFT, "MatMulNBits"): (packed_product, 1),
    (_MICROSOFT, "FusedGemm"): (gemm, 1),
    (_MICROSOFT, "QGemm"): (gemm, 3),
    (_MICROSOFT, "Attention"): (attention_with_projection, 1),
    (_MICROSOFT, "QAttention"): (attention_with_projection, 1),
    (_MICROSOFT, "MultiHeadAttention"): (attention, 6),
    (_MICROSOFT, "GroupQueryAttention"): (attention, 3),
}
"""How the MACs of an operator are counted, and which input is its weight, right operand or past key."""


def node_macs(node: Node) -> Size | None:
    """MACs of one node: 0 for what is no product, None when a shape it depends on is unknown."""
    found = PRODUCTS.get((node.domain, node.op_type))
    return 0 if found is None else found[0](node, found[1])


@dataclass(frozen=True, slots=True)
class Cost:
    """MACs of a model and the bytes its nodes read and write (weights included, each reading counted)."""

    macs: Sum
    memory_access: Sum

    @property
    def flops(self) -> Sum:
        return Sum(mul(self.macs.size, 2), self.macs.complete)


def model_cost(model: Model, known: Known | None = None) -> Cost:
    """Cost of one inference, from what is known of the values; nothing is inferred here."""
    known = {} if known is None else known
    macs: Counter[Size] = Counter()
    moved: Counter[Size] = Counter()
    macs_complete = moved_complete = True
    for graph in model.graphs():
        for node in graph:
            count = node_macs(node)
            if count is None:
                macs_complete = False
            elif count != 0:
                macs[count] += 1
            for value in {*node.inputs, *node.outputs}:
                if value is None:
                    continue
                nbytes = value_bytes(value, known)
                if nbytes is not None:
                    moved[nbytes] += 1
                elif value.name:
                    moved_complete = False
    return Cost(Sum(weighted(macs), macs_complete), Sum(weighted(moved), moved_complete))


def weighted(sizes: dict[Any, int]) -> Size:
    """The sum of sizes, each as often as it says."""
    numbers = 0
    total: Size = 0
    for size, times in sizes.items():
        if type(size) is int:
            numbers += size * times
        else:
            total = add(total, mul(size, times))
    return add(total, numbers)
