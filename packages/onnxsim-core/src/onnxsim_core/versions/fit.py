"""Downwards, without a step: does a node use only what the version before had?"""

from __future__ import annotations

from typing import Any

from ..ir.formal import newest
from ..ir.graph import AttributeRef, Node, Value
from . import steps
from .history import allowed_types, arity, attribute_defaults, since, type_text, versions

NEW_VALUES: dict[tuple[str, int, str], frozenset[bytes]] = {
    ("Pad", 19, "mode"): frozenset({b"wrap"}),
    ("ScatterElements", 18, "reduction"): frozenset({b"max", b"min"}),
    ("ScatterND", 18, "reduction"): frozenset({b"max", b"min"}),
}
"""Attribute values that came with a version of their operator."""
ONES = frozenset({"dilations"})
"""Attributes whose neutral value is 1 for every axis."""
ALL_FLOAT8 = frozenset({"saturate", "round_mode"})
"""Attributes that only say how to round to types which the version before does not have."""


def misfit(node: Node, version: int, before: int) -> str | None:
    """Why a node of `version` cannot stand as one of `before`; None when it can."""
    op_type = node.op_type
    old, new = attribute_defaults(op_type, before), attribute_defaults(op_type, version)
    for name, value in node.attributes.items():
        if name not in old and name in new and not is_neutral(name, value, new[name]):
            return f"the attribute {name} is new in version {version}"
        if (op_type, version, name) in NEW_VALUES and value in NEW_VALUES[op_type, version, name]:
            return f"{name}={value.decode()} is new in version {version}"
    return mistyped(node, before)


def mistyped(node: Node, version: int) -> str | None:
    """Why a version of its operator does not take the node's inputs and outputs; None when it does."""
    fewest, most, outputs = arity(node.op_type, version)
    inputs = len(node.inputs)
    if inputs > most or inputs < fewest or len([value for value in node.outputs if value.name]) > outputs:
        return f"version {version} has other inputs or outputs"
    return _wrong_type(node.inputs, allowed_types(node.op_type, version), "input", version) or \
        _wrong_type(node.outputs, allowed_types(node.op_type, version, outputs=True), "output", version)


def _wrong_type(values: Any, allowed: tuple[frozenset[str], ...], kind: str, before: int) -> str | None:
    for index, value in enumerate(values):
        if value is None or not allowed or not isinstance(value, Value):
            continue
        text = type_text(value)
        if text and text not in allowed[min(index, len(allowed) - 1)]:
            return f"version {before} does not take {text} as {kind} {index}"
    return None


def is_neutral(name: str, value: Any, default: Any) -> bool:
    """Does the attribute say nothing that the version before did not do anyway?"""
    if isinstance(value, AttributeRef):
        return False
    if name in ONES:
        return isinstance(value, tuple) and all(entry == 1 for entry in value)
    return name in ALL_FLOAT8 or default is not None and value == default


def additions(node: Node, version: int, before: int) -> dict[str, Any]:
    """Attributes of the node that `before` does not have, as changes that remove them."""
    old = attribute_defaults(node.op_type, before)
    return {name: None for name in node.attributes
            if name not in old and name in attribute_defaults(node.op_type, version)}


def means_the_same(proto: Any, opset: int, other: int) -> bool:
    """Does a NodeProto written for one operator set say the same in another?"""
    if opset != other and max(opset, other) > newest():
        return False
    steps.load()
    op_type = proto.op_type
    low, high = sorted((since(op_type, opset), since(op_type, other)))
    if low == high:
        return True
    if not low or any((op_type, version) in steps.UP for version in versions(op_type) if low < version <= high):
        return False
    version = since(op_type, other)
    _, inputs, outputs = arity(op_type, version)
    known = attribute_defaults(op_type, version)
    return len(proto.input) <= inputs and len(proto.output) <= outputs and all(
        attribute.name in known for attribute in proto.attribute)
