"""eliminate_consecutive_idempotent_ops: doing it twice is doing it once."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_consecutive_idempotent_ops", "remove Relu of Relu, Ceil of Floor, Abs of Abs, Sign of Sign, ...")
declare("eliminate_consecutive_inverses", "remove Neg of Neg, Not of Not")

_ROUNDINGS = frozenset({"Ceil", "Floor", "Round"})
_UNCHANGED_AFTER = {
    "Relu": frozenset({"Relu"}),
    "Abs": frozenset({"Abs"}),
    "Sign": frozenset({"Sign"}),
    "Ceil": _ROUNDINGS | {"Sign"},
    "Floor": _ROUNDINGS | {"Sign"},
    "Round": _ROUNDINGS | {"Sign"},
}
"""By operator: after which others it changes nothing."""


@rewrites("eliminate_consecutive_idempotent_ops", root=tuple(_UNCHANGED_AFTER))
def drop_second(node: Node, op: Builder) -> Value | Skip:
    """Relu(Relu(x)) -> Relu(x); Ceil(Floor(x)) -> Floor(x); ...

    Exact. Source: ONNX Relu-14, Ceil-13, Floor-13, Round-11 (whole numbers stay), Sign-13, Abs-13.
    """
    x = node.inputs[0]
    maker = None if x is None else x.node
    if x is None or maker is None or maker.domain or maker.op_type not in _UNCHANGED_AFTER[node.op_type]:
        return skip("the input can still be changed by it")
    return x


@rewrites("eliminate_consecutive_inverses", root=("Neg", "Not"))
def drop_both(node: Node, op: Builder) -> Value | Skip:
    """Neg(Neg(x)) -> x; Not(Not(x)) -> x.

    Exact: a sign bit turned twice, also of NaN and of the smallest integer. Source: ONNX Neg-13, Not-1.
    """
    x = node.inputs[0]
    inner = None if x is None else x.producer(node.op_type)
    source = None if inner is None else inner.inputs[0]
    return skip("the input is not made by its inverse") if source is None else source
