"""How much work folding is, so that a small file cannot ask for hours of it."""

from __future__ import annotations

from math import prod

from ..ir.graph import Model, Node, Value
from ..ir.tensors import DeferredTensor

FLOOR = 512 << 20
"""Bytes that may be gone through while folding any model."""
PER_BYTE = 16
"""How often each byte of the weights may be gone through besides."""
UNCOUNTED = 4096
"""Work below this takes no longer than visiting the node."""
SORTS = frozenset({"TopK", "Unique", "NonMaxSuppression"})
SORTING = 16
"""Sorting an element takes about as long as going through as many."""
PRODUCTS = frozenset({"MatMul", "Gemm", "Conv", "ConvTranspose", "Einsum", "MatMulInteger", "ConvInteger"})
PRODUCTS_PER_BYTE = 8
"""Products and sums that take as long as going through a byte."""


class Effort:
    """What is left of the work that folding one model may take."""

    __slots__ = ("left",)

    def __init__(self, model: Model) -> None:
        weights = sum(v.tensor.nbytes for graph in model.graphs() for v in graph.constants if v.tensor is not None)
        self.left = FLOOR + PER_BYTE * weights

    def allows(self, node: Node, result_bytes: int) -> bool:
        """May the node be computed? If so, its work counts as done."""
        return self.spend(effort(node, result_bytes))

    def spend(self, work: int) -> bool:
        """May so many bytes be gone through? If so, that counts as done."""
        if work > UNCOUNTED:
            if work > self.left:
                return False
            self.left -= work
        return True


def effort(node: Node, result_bytes: int) -> int:
    """Bytes that computing a node goes through, about."""
    work = result_bytes
    for value in node.inputs:
        tensor = None if value is None else value.tensor
        if tensor is not None:
            work += tensor.effort if type(tensor) is DeferredTensor else tensor.nbytes
    if work > UNCOUNTED:
        if node.op_type in SORTS:
            return work * SORTING
        if node.op_type in PRODUCTS:
            return work + _products(node) // PRODUCTS_PER_BYTE
    return work


def _products(node: Node) -> int:
    """How many products of elements are summed, at most."""
    a, b = _dims(node.input(0)), _dims(node.input(1))
    if node.op_type == "Conv" or node.op_type == "ConvInteger":
        return prod(_dims(node.outputs[0])) * prod(b[1:])
    if node.op_type == "ConvTranspose":
        return prod(a) * prod(b[1:])
    if node.op_type == "Einsum":
        return prod(a) * prod(b)
    return prod(a) * (max(b) if node.op_type == "Gemm" else b[-1]) if b else prod(a)


def _dims(value: Value | None) -> tuple[int, ...]:
    """The sizes of a value as far as they are known."""
    if value is None or value.shape is None:
        return ()
    return tuple([size for size in value.shape if type(size) is int])
