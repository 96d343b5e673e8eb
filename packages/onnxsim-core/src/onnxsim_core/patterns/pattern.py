"""The left side of a rule: what a FunctionProto says is to be found.

Its inputs stand for any value, its body for the nodes to find, its outputs for the values to replace. An attribute
written `@name` stands for any value of that attribute.
"""

from __future__ import annotations

import re
from typing import Any

from ..errors import OptionError
from ..ir.graph import decode_attributes
from ..ir.read import constant_tensor
from ..ir.tensors import Tensor, tensor_from_proto

COMMUTATIVE = frozenset({"Add", "Mul", "And", "Or", "Xor", "Equal", "BitwiseAnd", "BitwiseOr", "BitwiseXor"})
"""Operators whose two operands may be swapped."""
UNORDERED = frozenset({"Max", "Min", "Sum", "Mean"})
"""Operators whose operands may stand in any order."""
REST = "..."
"""What the name of an input ends with that takes all further operands of a variadic operator."""
_HOLE = re.compile(rb"@([A-Za-z_]\w*)")
_VALUE_ATTRIBUTES = {"value", "value_int", "value_ints", "value_float", "value_floats", "value_string", "value_strings"}


class Hole:
    """An attribute `@name`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name


class PatternValue:
    """A value of a pattern: an input, a constant (`tensor`), or output number `index` of `node`."""

    __slots__ = ("name", "node", "index", "tensor", "readers")

    def __init__(self, name: str) -> None:
        self.name = name
        self.node: PatternNode | None = None
        self.index = 0
        self.tensor: Tensor | None = None
        self.readers: list[PatternNode] = []


class PatternNode:
    """A node to find."""

    __slots__ = ("op_type", "domain", "overload", "inputs", "outputs", "attributes", "rest")

    def __init__(self, op_type: str, domain: str, overload: str) -> None:
        self.op_type = op_type
        self.domain = domain
        self.overload = overload
        self.inputs: list[PatternValue | None] = []
        self.outputs: list[PatternValue | None] = []
        self.attributes: dict[str, Any] = {}
        self.rest: PatternValue | None = None


class Pattern:
    """What to find: `nodes` in order, `inputs` by name, `outputs` in order, and the `sinks`, nodes none of them reads.

    Raises:
        OptionError: the function is no pattern, with the reason.
    """

    def __init__(self, proto: Any, label: str) -> None:
        self.label = label
        self.nodes: list[PatternNode] = []
        self.holes: set[str] = set()
        self._values: dict[str, PatternValue] = {}
        self.inputs = {name: self._define(name) for name in proto.input}
        for node in proto.node:
            self._add(node)
        self.outputs = [self._output(name) for name in proto.output]
        if not self.nodes:
            raise self._fault("holds no node to find")
        if not self.outputs:
            raise self._fault("has no output")
        self.sinks = [node for node in self.nodes if not any(value and value.readers for value in node.outputs)]
        wanted = {id(value) for value in self.outputs}
        for node in self.sinks:
            if not any(id(value) in wanted for value in node.outputs):
                raise self._fault(f"makes {node.op_type}, which none of its outputs needs")
        self._require_connected()

    def _fault(self, text: str) -> OptionError:
        return OptionError(f"rewrite rule {self.label}: its pattern {text}")

    # --- reading ---------------------------------------------------------------------------------------------------
    def _define(self, name: str) -> PatternValue:
        if name in self._values:
            raise self._fault(f"gives the name {name!r} to two values")
        value = self._values[name] = PatternValue(name)
        return value

    def _add(self, proto: Any) -> None:
        domain = "" if proto.domain == "ai.onnx" else proto.domain
        if proto.op_type == "Constant" and not domain:
            self._constant(proto)
            return
        node = PatternNode(proto.op_type, domain, proto.overload)
        names = list(proto.input)
        if names and names[-1].endswith(REST):
            node.rest = self._read(names.pop(), node)
        if any(name.endswith(REST) for name in names):
            raise self._fault(f"has an input of the rest that is not the last one of {node.op_type}")
        node.inputs = [self._read(name, node) if name else None for name in names]
        node.attributes = self._attributes(proto)
        for index, name in enumerate(proto.output):
            if not name:
                node.outputs.append(None)
                continue
            value = self._define(name)
            value.node, value.index = node, index
            node.outputs.append(value)
        self.nodes.append(node)

    def _read(self, name: str, node: PatternNode) -> PatternValue:
        value = self._values.get(name)
        if value is None:
            raise self._fault(f"reads {name!r}, which is neither an input nor made before")
        value.readers.append(node)
        return value

    def _constant(self, proto: Any) -> None:
        attributes = list(proto.attribute)
        known = len(attributes) == 1 and attributes[0].name in _VALUE_ATTRIBUTES and not attributes[0].ref_attr_name
        if not known or len(proto.output) != 1:
            raise self._fault("has a Constant without one plain value")
        value = self._define(proto.output[0])
        value.tensor = tensor_from_proto(attributes[0].t) if attributes[0].name == "value" else \
            constant_tensor(attributes[0])

    def _attributes(self, proto: Any) -> dict[str, Any]:
        found: dict[str, Any] = decode_attributes(proto)
        for attribute in proto.attribute:
            name = hole_name(attribute)
            if name is not None:
                self.holes.add(name)
                found[attribute.name] = Hole(name)
            elif attribute.type in (5, 10):
                raise self._fault(f"has the body {attribute.name} of {proto.op_type}: bodies cannot be looked for")
        return found

    def _output(self, name: str) -> PatternValue:
        value = self._values.get(name)
        if value is None or value.node is None:
            raise self._fault(f"has the output {name!r}, which none of its nodes makes")
        return value

    # --- checks ----------------------------------------------------------------------------------------------------
    def _require_connected(self) -> None:
        """Every node must be reached from the first sink over values, constants aside."""
        reached = {id(self.sinks[0])}
        waiting = [self.sinks[0]]
        while waiting:
            for neighbour in neighbours(waiting.pop()):
                if id(neighbour) not in reached:
                    reached.add(id(neighbour))
                    waiting.append(neighbour)
        for node in self.nodes:
            if id(node) not in reached:
                raise self._fault(f"is not connected: nothing joins {node.op_type} with {self.sinks[0].op_type}")


def neighbours(node: PatternNode) -> list[PatternNode]:
    """Nodes that make or read a value which this node reads or makes."""
    found: list[PatternNode] = []
    for value in (*node.inputs, *node.outputs):
        if value is not None and value.tensor is None:
            found += value.readers
            if value.node is not None:
                found.append(value.node)
    return found


def hole_name(attribute: Any) -> str | None:
    """The name of a hole: an attribute that refers to one of the function's, or the text `@name`."""
    if attribute.ref_attr_name:
        name: str = attribute.ref_attr_name
        return name
    match = _HOLE.fullmatch(attribute.s) if attribute.type == 3 else None
    return match[1].decode() if match else None
