"""replace_einsum_with_matmul: an Einsum that is a product of (stacks of) matrices becomes MatMul; off by default."""

from __future__ import annotations

from ..ir.dims import known_equal
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("replace_einsum_with_matmul", "make an Einsum of two operands Transpose and MatMul; off: it may add nodes",
        default=False)


@rewrites("replace_einsum_with_matmul", root="Einsum")
def matmul(node: Node, op: Builder) -> Value | Skip:
    """Einsum<"...ik,...kj->...ij">(a, b) -> MatMul(a, b), with a Transpose before an operand in another order.

    One label is summed over, one is left of each operand alone, the others are in both and come first, or are in one
    operand only while the other is a matrix. An output that ends in ji swaps the operands.

    Numerics: the same products are summed; the result moves by rounding at most.
    Source: ONNX Einsum-12, MatMul-13.
    """
    equation = "".join(node.text("equation").split())
    terms, arrow, result = equation.partition("->")
    operands = terms.split(",")
    if not arrow or len(operands) != 2 or len(node.inputs) != 2 or not all(map(str.isalpha, (*operands, result))):
        return skip("it is not an equation of two operands spelt out")
    if any(len(set(labels)) != len(labels) for labels in (*operands, result)):
        return skip("a label is repeated")
    left, right = operands
    a, b = node.input(0), node.input(1)
    if len(result) < 2 or result[-1] not in right or result[-1] in left:
        left, right, a, b = right, left, b, a
    batch, i, j = result[:-2], result[-2:-1], result[-1:]
    summed = [label for label in left if label not in result]
    if len(summed) != 1 or summed[0] not in right or i in right or j in left or not i or not j:
        return skip("it is not a product of matrices")
    wanted_left, wanted_right = batch + i + summed[0], batch + summed[0] + j
    if not (set(batch) & set(right)):
        wanted_right = summed[0] + j
    elif not (set(batch) & set(left)):
        wanted_left = i + summed[0]
    if sorted(left) != sorted(wanted_left) or sorted(right) != sorted(wanted_right):
        return skip("it is not a product of matrices")
    if a is None or b is None or not _same_size(a, left, b, right, summed[0]):
        return skip("the summed sizes may differ")
    made: Value = op.MatMul(_arranged(op, a, left, wanted_left), _arranged(op, b, right, wanted_right))
    return made


def _same_size(a: Value, left: str, b: Value, right: str, label: str) -> bool:
    if a.shape is None or b.shape is None or len(a.shape) != len(left) or len(b.shape) != len(right):
        return False
    return known_equal(a.shape[left.index(label)], b.shape[right.index(label)])


def _arranged(op: Builder, value: Value, labels: str, wanted: str) -> Value:
    if labels == wanted:
        return value
    made: Value = op.Transpose(value, perm=tuple(labels.index(label) for label in wanted))
    return made
