"""What a constant comes from, where initializers are not to count as constants.

A node does not fold when it computes from initializers, or from initializers and Constant nodes, and nothing else.
Sizes of tensors are something else: shape arithmetic folds although its indices may be initializers.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..ir.graph import Node, Value


class Origins:
    """Which values are rooted in initializers alone (`tunable`) and which in Constant nodes alone (`plain`)."""

    __slots__ = ("tunable", "plain")

    def __init__(self, initializers: Iterable[Value], constants: Iterable[Value]) -> None:
        self.tunable = set(initializers)
        self.plain = set(constants)

    def blocks(self, node: Node) -> bool:
        """Must the node stay because only initializers, or they and Constant nodes, go into it?"""
        found = False
        for value in node.inputs:
            if value is None or value in self.plain:
                continue
            if value not in self.tunable:
                return False
            found = True
        if found:
            self.tunable.update(node.outputs)
        return found

    def note(self, node: Node, constant: Value) -> None:
        """The node became this constant."""
        if node.inputs and all(value is None or value in self.plain for value in node.inputs):
            self.plain.add(constant)
