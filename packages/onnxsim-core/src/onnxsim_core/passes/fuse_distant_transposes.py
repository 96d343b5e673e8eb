"""fuse_distant_transposes: Transposes that cancel across the operators between them.

The last Transpose is pulled up through operators that do not care for the order of axes, as far as nobody else reads
their results. Where it meets another Transpose the two become one or vanish; elsewhere a Transpose is left. It is done
when that makes the graph smaller.
"""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.carrying import ANY_ORDER, REDUCTIONS, carried, in_new_order
from ..rewrite.match import axes_of, permutation
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_distant_transposes", "cancel Transposes across elementwise operators, Concat, Softmax and reductions")

LARGEST = 16
"""Most operators a Transpose is pulled through at once."""


@rewrites("fuse_distant_transposes", root="Transpose", after=ANY_ORDER)
def pull_transpose(node: Node, op: Builder) -> Value | Skip:
    """Transpose(Relu(Transpose(x, p)), q) -> Relu(x) when q undoes p; Add(x, Transpose(y)), ... alike.

    Numerics: exact but for reductions, which sum the same numbers in another order and move by rounding.
    Source: ONNX Transpose-1.
    """
    value = node.input(0)
    maker = None if value is None else value.node
    perm = permutation(node)
    if value is None or maker is None or maker.op_type not in ANY_ORDER or maker.domain or perm is None:
        return skip("input is not made by an operator that takes any order")
    region = _region(node, maker, len(perm))
    if region is None:
        return skip("what it would be pulled through is read elsewhere or of another rank")
    borders = _borders(region, len(perm))
    if borders is None:
        return skip("an operand does not have all the axes")
    if sum(_cost(border, perm, region) for border in borders) > 0:
        return skip("it would take as many Transposes as before")
    made: dict[Value, Value] = {}
    for border in borders:
        moved = _moved(border, perm, op)
        if moved is None:
            return skip("a constant in the other order would make the model larger")
        made[border] = moved
    for one in sorted(region, key=lambda member: member.position):
        built = in_new_order(one, perm, made, op)
        if built is None:
            return skip("a parameter is not known")
        made[one.outputs[0]] = built
    return made[value]


@rewrites("fuse_distant_transposes", root=tuple(REDUCTIONS), after=("Transpose",))
def reduce_before_transpose(node: Node, op: Builder) -> Value | Skip:
    """ReduceMean(Transpose(x, p), axes, keepdims=0) -> ReduceMean(x, [p[i] for i in axes], keepdims=0).

    Only where the axes that are left come out in order.

    Numerics: the same numbers are summed in another order; the result moves by rounding.
    Source: ONNX ReduceMean-18.
    """
    value = node.input(0)
    maker = None if value is None else value.producer("Transpose")
    perm = None if maker is None else permutation(maker)
    if value is None or maker is None or perm is None or not value.is_used_once:
        return skip("input is not made by a Transpose that is read here only")
    axes = axes_of(node, op.ctx, len(perm))
    if axes is None or node.attribute("keepdims", 1):
        return skip("the axes are not known, or they are kept")
    left = [place for axis, place in enumerate(perm) if axis not in axes]
    if left != sorted(left):
        return skip("the axes that are left change places")
    return forms.reduce(op, node.op_type, maker.input(0), sorted(perm[axis] for axis in axes), 0)  # type: ignore[arg-type]


def _region(root: Node, first: Node, rank: int) -> dict[Node, None] | None:
    """Operators up the graph from the root whose results only the root and they themselves read."""
    region: dict[Node, None] = {}
    waiting = [first]
    while waiting:
        waiting.sort(key=lambda member: member.position)
        node = waiting.pop()
        if node in region:
            continue
        output = node.outputs[0]
        inside = not output.outputs and all(user is root or user in region for user in output.uses)
        if not inside or output.shape is None or len(output.shape) != rank or len(region) == LARGEST \
                or node.graph is not root.graph or len(node.outputs) != 1:
            if node is first:
                return None
            continue
        region[node] = None
        for value in carried(node):
            maker = value.node
            if maker is not None and maker.op_type in ANY_ORDER and not maker.domain and not value.is_constant:
                waiting.append(maker)
    return region


def _borders(region: dict[Node, None], rank: int) -> list[Value] | None:
    """Values that come in from outside, or None when one that varies lacks some of the axes."""
    borders: dict[Value, None] = {}
    for node in region:
        for value in carried(node):
            if value.node in region:
                continue
            shape = value.shape
            if shape is None or len(shape) != rank and not _is_single(value) and not value.is_constant:
                return None
            borders[value] = None
    return list(borders)


def _is_single(value: Value) -> bool:
    """One element and no axis that could matter."""
    return value.shape is not None and all(type(size) is int and size == 1 for size in value.shape)


def _cost(value: Value, perm: tuple[int, ...], region: dict[Node, None]) -> int:
    """Transposes it takes to have the value in the new order, less the one that goes."""
    if value.is_constant or _is_single(value):
        return 0
    maker = value.producer("Transpose")
    inner = None if maker is None else permutation(maker)
    if inner is None:
        return 1
    cancels = all(inner[axis] == place for place, axis in enumerate(perm))
    goes = not value.outputs and all(user in region for user in value.uses)
    return (not cancels) - goes


def _moved(value: Value, perm: tuple[int, ...], op: Builder) -> Value | None:
    """The value in the new order."""
    if _is_single(value) and len(value.shape or ()) < len(perm):
        return value
    if value.is_constant:
        return _moved_constant(value, perm, op)
    maker = value.producer("Transpose")
    inner = None if maker is None else permutation(maker)
    if maker is not None and inner is not None:
        joined = [inner[axis] for axis in perm]
        source: Value = maker.input(0)  # type: ignore[assignment]
        return source if joined == list(range(len(joined))) else op.Transpose(source, perm=joined)
    made: Value = op.Transpose(value, perm=perm)
    return made


def _moved_constant(value: Value, perm: tuple[int, ...], op: Builder) -> Value | None:
    import numpy as np

    tensor: Any = value.tensor
    if not op.affordable(tensor.nbytes, value):
        return None
    array = tensor.numpy()
    array = array.reshape((1,) * (len(perm) - array.ndim) + array.shape)
    if sum(size != 1 for size in array.shape) <= 1:
        return op.constant(array.reshape([array.shape[axis] for axis in perm]))
    return op.constant(np.ascontiguousarray(array.transpose(perm)))
