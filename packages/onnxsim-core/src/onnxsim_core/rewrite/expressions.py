"""Reading small float expressions: constants of one element, products, polynomials of one value."""

from __future__ import annotations

from struct import pack, unpack
from typing import TYPE_CHECKING

from ..ir.dtypes import BFLOAT16, DOUBLE, FLOAT, FLOAT16

if TYPE_CHECKING:
    from ..infer.engine import Inference
    from ..ir.graph import Graph, Node, Value

Polynomial = dict[int, float]
"""Coefficients by degree."""

_ROUNDING = {FLOAT: 1e-6, DOUBLE: 1e-13, FLOAT16: 2e-3, BFLOAT16: 1.6e-2}
_DEPTH = 8


def number(value: Value | None, rank: int) -> float | None:
    """The number of a float constant with one element and at most `rank` axes: it widens nothing of that rank."""
    if value is None or value.tensor is None or value.is_input or value.dtype not in _ROUNDING:
        return None
    tensor = value.tensor
    if tensor.size != 1 or len(tensor.dims) > rank:
        return None
    return float(tensor.numpy().reshape(-1)[0])


def is_near(found: float, wanted: float, dtype: int) -> bool:
    """Is it the wanted number as a model of that type writes it?"""
    return abs(found - wanted) <= _ROUNDING.get(dtype, 0.0) * abs(wanted)


def fits_attribute(found: float, dtype: int) -> bool:
    """Can a float attribute hold a number of that type? It has the digits of float32: a double may need more."""
    return dtype != DOUBLE or abs(found) < 2.0**127 and found == unpack("f", pack("f", found))[0]


def rank_of(value: Value | None) -> int:
    """The rank, 0 when it is unknown: a constant of rank 0 widens nothing whatever the rank."""
    return 0 if value is None or value.shape is None else len(value.shape)


def is_step(value: Value) -> bool:
    """Is it read once, by a node of its own graph? Then a pattern may take it in without doing its work more often.

    What a body reads from outside is computed once there, and would be computed in the body every round.
    """
    return value.is_used_once and next(iter(value.uses)).graph is value.graph


def keeps_rank(node: Node, x: Value) -> bool:
    """Has the result as many axes as x? A constant [1, 1] makes a vector a matrix."""
    return rank_of(node.outputs[0]) == rank_of(x)


def is_product_with(node: Node, op_type: str) -> bool:
    """Could a factor of the product at `node` be made by that operator? Quick, and no promise."""
    for value in node.inputs:
        if value is not None and value.node is not None and value.node.op_type in (op_type, "Mul", "Div"):
            return True
    return False


def factors(root: Node) -> tuple[float, list[Value]]:
    """The product at `root` as one number and its other factors.

    Looks through Mul and Div by a number, into products nobody else reads.
    """
    rank = rank_of(root.outputs[0])
    coefficient, leaves, stack = 1.0, [], [root]
    while stack:
        node = stack.pop()
        operands = list(node.inputs)
        if node.op_type == "Div":
            divisor = number(operands.pop(), rank)
            if divisor is None or divisor == 0.0:
                leaves.append(node.outputs[0])
                continue
            coefficient /= divisor
        for value in operands:
            if value is None:
                continue
            found = number(value, rank)
            if found is not None:
                coefficient *= found
                continue
            inner = value.producer("Mul") or value.producer("Div")
            if inner is not None and is_step(value) and len(leaves) < _DEPTH:
                stack.append(inner)
            else:
                leaves.append(value)
    return coefficient, leaves


def polynomial(value: Value, x: Value, rank: int, graph: Graph | None, depth: int = _DEPTH) -> Polynomial | None:
    """`value` as a polynomial of `x` with constant coefficients of one element, computed in that graph, or None."""
    if value is x:
        return {1: 1.0}
    found = number(value, rank)
    if found is not None:
        return {0: found}
    node = value.node
    if node is None or node.domain or depth == 0 or node.graph is not graph:
        return None
    op_type = node.op_type
    if op_type in ("Add", "Sub", "Mul") and len(node.inputs) == 2:
        a, b = node.inputs
        left = None if a is None else polynomial(a, x, rank, graph, depth - 1)
        if left is None or b is None:
            return None
        right = polynomial(b, x, rank, graph, depth - 1)
        if right is None:
            return None
        if op_type == "Mul":
            return _times(left, right)
        sign = 1.0 if op_type == "Add" else -1.0
        return {degree: left.get(degree, 0.0) + sign * right.get(degree, 0.0) for degree in {**left, **right}}
    if op_type == "Neg" and node.inputs[0] is not None:
        left = polynomial(node.inputs[0], x, rank, graph, depth - 1)
        return None if left is None else {degree: -c for degree, c in left.items()}
    return _quotient_or_power(node, x, rank, depth) if op_type in ("Div", "Pow") else None


def _quotient_or_power(node: Node, x: Value, rank: int, depth: int) -> Polynomial | None:
    base = node.inputs[0]
    parameter = _any_number(node.input(1), rank)
    if base is None or parameter is None:
        return None
    found = polynomial(base, x, rank, node.graph, depth - 1)
    if found is None:
        return None
    if node.op_type == "Div":
        return None if parameter == 0.0 else {degree: c / parameter for degree, c in found.items()}
    if parameter not in (2.0, 3.0) or len(found) > 1:
        return None
    return _times(found, found if parameter == 2.0 else _times(found, found))


def _any_number(value: Value | None, rank: int) -> float | None:
    """As `number`, of any type: an exponent may be an integer."""
    if value is None or value.tensor is None or value.is_input:
        return None
    tensor = value.tensor
    if tensor.size != 1 or len(tensor.dims) > rank:
        return None
    array = tensor.numpy().reshape(-1)
    return float(array[0]) if array.dtype.kind in "fiuV" else None


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    result: Polynomial = {}
    for i, left in a.items():
        for j, right in b.items():
            result[i + j] = result.get(i + j, 0.0) + left * right
    return result


def is_polynomial(found: Polynomial | None, wanted: Polynomial, dtype: int) -> bool:
    """The same degrees, and coefficients near enough to be the same constants; zeros may be left out."""
    if found is None:
        return False
    left = {degree for degree, c in found.items() if c != 0.0}
    return left == set(wanted) and all(is_near(found[degree], c, dtype) for degree, c in wanted.items())


def one_more_than(value: Value, op_type: str) -> Node | None:
    """The node of that type whose result plus 1 is `value`, when both sums and results are read once."""
    total = value.producer("Add")
    if total is None or len(total.inputs) != 2 or not is_step(value):
        return None
    a, b = total.inputs
    rank = rank_of(value)
    made, one = (a, b) if number(b, rank) == 1.0 else (b, a)
    if made is None or number(one, rank) != 1.0 or not is_step(made):
        return None
    return made.producer(op_type)


def clip_bounds(node: Node, ctx: Inference) -> tuple[float, float] | None:
    """Lower and upper bound of a Clip that has both.  Source: ONNX Clip-6 (attributes), -11 (inputs)."""
    if ctx.opset < 11:
        low, high = node.attribute("min"), node.attribute("max")
        return None if low is None or high is None else (float(low), float(high))
    low, high = number(node.input(1), 1), number(node.input(2), 1)
    return None if low is None or high is None else (low, high)
