"""eliminate_reshape_around_elementwise: what works element by element needs no Reshape before and after."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite import forms
from ..rewrite.builder import Builder
from ..rewrite.carrying import UNARY
from ..rewrite.match import same_shape
from ..rewrite.rule import Skip, rewrites, skip
from ..rewrite.targets import constant_target
from .catalog import declare

declare("eliminate_reshape_around_elementwise", "drop Reshapes before and after operators on single elements")

VIEWS = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze"})
_SCALED = frozenset({"Add", "Sub", "Mul", "Div", "Pow"})
MOST_STEPS = 8


@rewrites("eliminate_reshape_around_elementwise", root=tuple(sorted(VIEWS)), since=7)
def chain_without_views(node: Node, op: Builder) -> Value | Skip:
    """Reshape(Relu(Reshape(x))) -> Relu(x), or Reshape(Relu(x)); also with several such operators in between.

    Exact. Source: ONNX Reshape-14.
    """
    chain: list[tuple[Node, int]] = []
    value = node.input(0)
    while value is not None and value.node is not None and len(chain) <= MOST_STEPS:
        place = data_input(value.node)
        if place < 0:
            break
        if not value.is_used_once or value.node.graph is not node.graph:
            return skip("a step has other readers")
        chain.append((value.node, place))
        value = value.node.inputs[place]
    if not chain:
        return skip("the input is not made by an operator on single elements")
    first = None if value is None else value.node
    if first is None or first.domain or first.op_type not in VIEWS or value is None:
        return skip("there is no Reshape before")
    x, result = first.input(0), node.outputs[0]
    if x is None or x.shape is None or not x.shape or result.shape is None:
        return skip("the shapes are not known")
    fits = same_shape(x, result)
    target = None if fits else constant_target(x.shape, result.shape)
    if not fits and (target is None or not value.is_used_once):
        return skip("the shapes differ, and one Reshape would not do")
    made = x
    for step, place in reversed(chain):
        inputs = list(step.inputs)
        inputs[place] = made
        made = op.like(step, inputs)
    return made if fits else forms.reshape(op, made, target)  # type: ignore[arg-type]


def data_input(node: Node) -> int:
    """Which input the node works on element by element, or -1: its only one, or the one next to a single number."""
    if node.domain or len(node.outputs) != 1:
        return -1
    if node.op_type in UNARY:
        return 0
    if node.op_type not in _SCALED or len(node.inputs) != 2:
        return -1
    for place in (0, 1):
        other = node.inputs[1 - place]
        if other is not None and other.is_constant and other.shape == () and node.inputs[place] is not None \
                and node.inputs[place].shape:  # type: ignore[union-attr]
            return place
    return -1
