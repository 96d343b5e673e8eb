"""fuse_swish: x times its sigmoid becomes Swish."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.expressions import fits_attribute, is_step, polynomial, rank_of
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("fuse_swish", "make x * Sigmoid(a * x) one Swish (opset 24)")


@rewrites("fuse_swish", root="Mul", after=("Sigmoid",))
def swish(node: Node, op: Builder) -> Value | Skip:
    """x * Sigmoid(a * x) -> Swish<alpha=a>(x).

    Exact: Swish is defined as this product.
    Source: ONNX Swish-24. onnxruntime 1.32 runs it by its definition, and finds that in models of opset 24 only.
    """
    if op.opset != 24:
        return skip("Swish runs under opset 24 only")
    a, b = node.input(0), node.input(1)
    assert a is not None and b is not None
    for gate, x in ((a, b), (b, a)):
        sigmoid = gate.producer("Sigmoid")
        argument = None if sigmoid is None else sigmoid.inputs[0]
        found = None if argument is None else polynomial(argument, x, rank_of(x), node.graph)
        if found is None or set(found) != {1}:
            continue
        if not fits_attribute(found[1], x.dtype):
            return skip("alpha has too few digits")
        if not is_step(gate):
            return skip("the gate has other readers")
        made: Value = op.Swish(x, alpha=found[1])
        return made
    return skip("it is not x times its Sigmoid")
