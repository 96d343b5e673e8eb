"""The state of a model as far as it computes: equal for models that differ in names, order and documentation only."""

from __future__ import annotations

from typing import Any

from ..ir.graph import AttributeRef, Graph, Model, Node, Value
from ..ir.tensors import Tensor

COMPARED = 1024
"""Constants up to this many bytes are compared by content; larger ones count as equal only when they are one."""


class States:
    """Numbers for values: two values get the same one when the same operators make them of the same things."""

    __slots__ = ("_numbers", "_kept")

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._kept: list[Any] = []

    def of(self, model: Model) -> int:
        """The number of a model's state."""
        known: dict[Value, int] = {}
        graph = self._graph(model.graph, known, 0)
        functions = tuple(sorted(function.proto.SerializeToString(deterministic=True)
                                 for function in model.functions.values()))
        outputs = tuple(value.name for value in model.graph.outputs)  # types follow; a model just read lacks them
        inputs = tuple((value.name, value.dtype) for value in model.graph.inputs)
        return self._number(("model", graph, functions, inputs, outputs, tuple(sorted(model.opsets.items()))))

    def _number(self, key: Any) -> int:
        return self._numbers.setdefault(key, len(self._numbers))

    def _graph(self, graph: Graph, known: dict[Value, int], depth: int) -> int:
        for place, value in enumerate(graph.inputs):
            known[value] = self._number(("input", depth, place, value.tensor is not None and
            self._tensor(value.tensor)))
        for value in graph.constants:
            if value not in known:
                assert value.tensor is not None
                known[value] = self._number(("constant", self._tensor(value.tensor)))
        nodes = sorted(self._node(node, known, depth) for node in graph)
        results = tuple(known.get(value, -1) for value in graph.outputs)
        return self._number(("graph", len(graph.inputs), tuple(nodes), results))

    def _node(self, node: Node, known: dict[Value, int], depth: int) -> int:
        inputs = tuple(-1 if value is None else self._value(value, known) for value in node.inputs)
        attributes = tuple((name, self._attribute(value)) for name, value in sorted(node.attributes.items()))
        bodies = tuple((name, self._graph(body, dict(known), depth + 1))
                       for name, body in sorted((node.bodies or {}).items()))
        named = tuple(bool(value.name) for value in node.outputs)
        number = self._number((node.domain, node.op_type, node.overload, inputs, attributes, bodies, named))
        for place, value in enumerate(node.outputs):
            known[value] = self._number(("output", number, place))
        return number

    def _value(self, value: Value, known: dict[Value, int]) -> int:
        found = known.get(value)
        if found is None:  # a sparse initializer
            found = known[value] = self._number(("named", value.name))
        return found

    def _attribute(self, value: Any) -> Any:
        if isinstance(value, Tensor):
            return value.dtype, value.dims, value.digest()
        if isinstance(value, tuple):
            return tuple(self._attribute(item) for item in value)
        if isinstance(value, AttributeRef):
            return "ref", value.proto.ref_attr_name
        if type(value) is float:
            return "float", value.hex()
        if type(value) in (int, bytes, str):
            return type(value).__name__, value
        return value.SerializeToString(deterministic=True)

    def _tensor(self, tensor: Tensor) -> Any:
        if tensor.nbytes <= COMPARED:
            content: Any = tensor.strings() if tensor.dtype == 8 else bytes(tensor.tobytes())
        else:
            content = id(tensor)
            self._kept.append(tensor)  # an id stays that tensor's only while the tensor lives
        return tensor.dtype, tensor.dims, content
