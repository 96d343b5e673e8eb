"""Steps: how a node of one version of its operator is written at the version before or after.

A step is registered under the operator and the version at which the change came. `up` steps write a node of the version
before as one of that version, `down` steps the reverse. Like a rewrite rule, a step edits nothing: it builds with
`op` and returns what stands for the outputs, or None when the node can stay as it is, or `skip(reason)` when it
cannot be done. A change without a step only added something: upwards the node stays, downwards it stays when it does
not use the addition.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ..errors import OnnxsimError
from ..ir.graph import Node, Value
from ..rewrite.builder import Builder
from ..rewrite.rule import Skip

Step = Callable[[Node, Builder], "Value | tuple[Value, ...] | Skip | None"]

UP: dict[tuple[str, int], Step] = {}
DOWN: dict[tuple[str, int], Step] = {}
FAMILIES = ("up_inputs", "up_meanings", "up_first", "down_inputs", "down_meanings", "down_types", "down_resize")


def up(*op_types: str, at: int) -> Callable[[Step], Step]:
    """Decorator: the step to version `at` of these operators."""
    return _adder(UP, op_types, at)


def down(*op_types: str, at: int) -> Callable[[Step], Step]:
    """Decorator: the step from version `at` of these operators to the one before."""
    return _adder(DOWN, op_types, at)


def _adder(table: dict[tuple[str, int], Step], op_types: tuple[str, ...], at: int) -> Callable[[Step], Step]:
    def add(step: Step) -> Step:
        for op_type in op_types:
            if (op_type, at) in table:
                raise OnnxsimError(f"the step of {op_type} at version {at} is registered twice")
            table[op_type, at] = step
        return step

    return add


def load() -> None:
    """Import every family of steps."""
    for family in FAMILIES:
        import_module(f".{family}", __package__)


# --- what steps share ------------------------------------------------------------------------------------------------
def rank_of(value: Value | None) -> int | None:
    """The rank of a value, or None."""
    return None if value is None or value.shape is None else len(value.shape)


def numbers(value: Value | None) -> Any:
    """The numbers of a constant as an ndarray, or None."""
    if value is None or not value.is_constant:
        return None
    assert value.tensor is not None
    return value.tensor.numpy()


def rebuilt(op: Builder, node: Node, inputs: list[Value | None] | tuple[Value | None, ...], *, op_type: str = "",
            outputs: int = 0, **changes: Any) -> tuple[Value, ...]:
    """`node` with other inputs, attributes changed (None removes one), and all its outputs."""
    if not op_type and not outputs:
        return op.anew(node, inputs, **changes)
    return op.node(op_type or node.op_type, inputs, domain=node.domain, name=node.name, proto=node.proto,
                   outputs=outputs or len(node.outputs), **{**node.attributes, **changes})
