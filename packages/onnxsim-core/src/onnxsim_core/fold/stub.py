"""A small model of some nodes whose inputs are all known, for a runtime."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..ir.dtypes import STRING
from ..ir.graph import Model, Node, Value
from ..ir.tensors import to_proto_header
from ..ir.write import Writer

FED_FROM = 1 << 20
"""Constants from this size on are fed, not copied into the model."""
IR_VERSION = 10
_FED = frozenset({1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13})
"""Types the runtime takes from numpy."""


class Stub:
    """The model, what it is fed, and the names of all results.

    Names are counted, so that nodes of different scopes can stand together. A single node with bodies keeps its names
    and those of the `captured` values, because the bodies use them.
    """

    def __init__(self, nodes: Sequence[Node], model: Model, captured: Iterable[Value] = ()) -> None:
        from onnx import ModelProto

        self.nodes = nodes
        self.model = ModelProto(ir_version=IR_VERSION)
        self.model.opset_import.add(domain="", version=model.opset())
        self.model.graph.name = "fold"
        self.feeds: dict[str, Any] = {}
        self.outputs: list[str] = []
        self._names: dict[Value, str] = {}
        self._kept = any(node.bodies for node in nodes)
        writer = Writer(model)
        for value in captured:
            self._constant(value)
        for node in nodes:
            self._node(node, writer)

    def _node(self, node: Node, writer: Writer) -> None:
        proto = self.model.graph.node.add()
        proto.MergeFromString(writer.node(node).tobytes())
        proto.name = f"n{len(self.model.graph.node)}"
        del proto.input[:]
        proto.input.extend(["" if value is None else self._constant(value) for value in node.inputs])
        if self._kept:
            names = [value.name for value in node.outputs]
        else:
            names = [f"{proto.name}_{index}" if value.name else "" for index, value in enumerate(node.outputs)]
            del proto.output[:]
            proto.output.extend(names)
        for value, name in zip(node.outputs, names, strict=True):
            if not value.is_dead:
                self.model.graph.output.add().name = name
                self.outputs.append(name)

    def _constant(self, value: Value) -> str:
        name = self._names.get(value)
        if name is not None:
            return name
        name = self._names[value] = value.name if self._kept else f"c{len(self._names)}"
        tensor = value.tensor
        assert tensor is not None
        graph = self.model.graph
        if tensor.dtype in _FED and tensor.nbytes >= FED_FROM:
            kind = graph.input.add(name=name).type.tensor_type
            kind.elem_type = tensor.dtype
            kind.shape.SetInParent()
            for size in tensor.dims:
                kind.shape.dim.add().dim_value = size
            self.feeds[name] = tensor.numpy()
            return name
        proto = to_proto_header(tensor, name)
        if tensor.dtype != STRING:
            proto.raw_data = bytes(tensor.tobytes())
        graph.initializer.append(proto)
        return name

    def by_node(self, results: Sequence[Any]) -> dict[Node, list[Any]]:
        """Results as given by the runtime, by node; an output nobody reads gets an empty tensor."""
        import numpy as np

        left = iter(results)
        empty = np.zeros(0, np.float32)
        return {node: [empty if value.is_dead else next(left) for value in node.outputs] for node in self.nodes}
