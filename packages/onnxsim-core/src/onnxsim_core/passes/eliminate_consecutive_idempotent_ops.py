"""eliminate_consecutive_idempotent_ops: doing it twice is doing it once."""

from __future__ import annotations

from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip, rewrites, skip
from .catalog import declare

declare("eliminate_consecutive_idempotent_ops", "remove Relu of Relu, Ceil of Floor, Abs of Abs, Sign of Sign, ...")

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
    x = node.input(0)
    maker = None if x is None else x.node
    if x is None or maker is None or maker.domain or maker.op_type not in _UNCHANGED_AFTER[node.op_type]:
        return skip("the input can still be changed by it")
    return x
