"""Attributes of the kind an operator expects: one of another kind, or left open in a function, counts as absent."""

from __future__ import annotations

from typing import Any

from ..ir.graph import Node


def integer(node: Node, name: str, default: int) -> int:
    """An INT attribute."""
    found = node.attribute(name)
    return found if type(found) is int else default


def integers(node: Node, name: str) -> tuple[int, ...]:
    """An INTS attribute; empty when there is none."""
    found = node.attribute(name)
    if type(found) is not tuple:
        return ()
    for entry in found:
        if type(entry) is not int:
            return ()
    return found


def entries(node: Node, name: str) -> tuple[Any, ...]:
    """A list attribute of any kind; empty when there is none."""
    found = node.attribute(name)
    return found if type(found) is tuple else ()


def word(node: Node, name: str, default: bytes) -> bytes:
    """A STRING attribute, as bytes."""
    found = node.attribute(name)
    return found if type(found) is bytes else default
