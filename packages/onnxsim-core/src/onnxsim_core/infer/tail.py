"""Operators without a shape rule of their own: one node at a time through the inference function of its schema.

That covers the rare operators of ONNX and whatever users register with `onnx.defs.register_schema`, in Python too. The
function sees the node alone, with types, small constants and sizes, and no weights.
"""

from __future__ import annotations

from typing import Any

from ..ir.dims import Dim, Size
from ..ir.dtypes import STRING
from ..ir.formal import is_unicode
from ..ir.graph import Node, Value
from ..ir.tensors import to_proto_header
from ..ir.write import Writer
from .engine import Inference
from .registered import KNOWN, is_registered, key_of

SMALL_INPUT = 1024
"""Constants up to this many bytes are shown to the function."""


def infer_by_schema(node: Node, ctx: Inference) -> None:
    """Ask the registered schema about this node alone; what it does not know, or fails at, stays unknown."""
    _ask(find_schema(node, ctx), node, ctx)


def infer_by_known_schema(node: Node, ctx: Inference) -> None:
    """As `infer_by_schema`, but of the schemas that users registered only those that were imported are asked."""
    schema = find_schema(node, ctx)
    if schema is not None and is_registered(schema) and key_of(schema) not in KNOWN:
        schema = None
    _ask(schema, node, ctx)


def _ask(schema: Any, node: Node, ctx: Inference) -> None:
    if schema is None:
        return
    call = Call(node, ctx)
    if call.is_complete:
        call.take(ask(schema, call, ctx))


def find_schema(node: Node, ctx: Inference) -> Any:
    """The schema in force for an operator that is no local function, if it can infer."""
    from onnx import defs

    if node.bodies or (node.domain, node.op_type, node.overload) in ctx.model.functions:
        return None
    version = ctx.model.opset(node.domain)
    # A file may state a version that no schema can have, and names that are no text.
    if not 0 < version < 1 << 31 or not is_unicode(node.op_type):
        return None
    if not defs.has(node.op_type, version, node.domain):
        return None
    schema = defs.get_schema(node.op_type, version, node.domain)
    return schema if schema.has_type_and_shape_inference_function else None


def ask(schema: Any, call: Call, ctx: Inference) -> dict[str, Any]:
    """Types by output name; nothing when the function fails."""
    from onnx import helper, shape_inference

    imports = [helper.make_opsetid(domain, version) for domain, version in ctx.model.opsets.items()]
    try:
        found: dict[str, Any] = shape_inference.infer_node_outputs(
            schema, call.proto, call.types, call.data, opset_imports=imports
        )
    except Exception:  # noqa: BLE001  a user's Python function can raise anything, and a node can be malformed
        return {}
    return found


class Call:
    """A node as its schema sees it: values have counted names, a formula for a size has a name of its own."""

    __slots__ = ("node", "ctx", "proto", "types", "data", "is_complete", "_sizes", "_names")

    def __init__(self, node: Node, ctx: Inference) -> None:
        from onnx import NodeProto

        self.node = node
        self.ctx = ctx
        self.types: dict[str, Any] = {}
        self.data: dict[str, Any] = {}
        self._sizes: dict[str, Dim] = {}
        self._names: dict[Dim, str] = {}
        names: dict[Value, str] = {}
        self.is_complete = all(value is None or self._state(value, names) for value in node.inputs)
        self.proto = NodeProto.FromString(Writer(ctx.model).node(node).tobytes())
        del self.proto.input[:], self.proto.output[:]
        self.proto.input.extend("" if value is None else names.get(value, "") for value in node.inputs)
        self.proto.output.extend(f"y{i}" if value.name else "" for i, value in enumerate(node.outputs))

    def _state(self, value: Value, names: dict[Value, str]) -> bool:
        """Show what is known of an input; False if it has no type."""
        proto = self._type(value)
        if proto is None:
            return False
        name = names.setdefault(value, f"x{len(names)}")
        self.types[name] = proto
        tensor = value.tensor if value.is_constant else None
        if tensor is not None and tensor.dtype != STRING and tensor.nbytes <= SMALL_INPUT:
            data = to_proto_header(tensor, name)
            data.raw_data = bytes(tensor.tobytes())
            self.data[name] = data
        return True

    def _type(self, value: Value) -> Any:
        """TypeProto of what is known of a value, or None without a type."""
        from onnx import TypeProto

        if not value.dtype:
            return value.type_proto
        proto = TypeProto()
        proto.tensor_type.elem_type = value.dtype
        if value.shape is not None:
            proto.tensor_type.shape.SetInParent()
            for size in value.shape:
                dim = proto.tensor_type.shape.dim.add()
                if isinstance(size, int):
                    dim.dim_value = size
                else:
                    dim.dim_param = self._name(size)
        return proto

    def _name(self, size: Dim) -> str:
        """A symbol goes by its name. A formula may print like another or like a symbol, so formulas are counted."""
        name = self._names.get(size)
        if name is None:
            name = size.name or f"formula{len(self._names)}"
            while name in self._sizes or not size.name and self.ctx.symbols.get(name) is not None:
                name += "_"
            self._names[size] = name
            self._sizes[name] = size
        return name

    def take(self, found: dict[str, Any]) -> None:
        """State what came back."""
        for index, value in enumerate(self.node.outputs):
            proto: Any = found.get(f"y{index}")
            kind = None if proto is None else proto.WhichOneof("value")
            if kind == "tensor_type":
                tensor = proto.tensor_type
                shape = [self._size(dim) for dim in tensor.shape.dim] if tensor.HasField("shape") else None
                self.ctx.set(value, tensor.elem_type, shape)
            elif kind is not None and not value.dtype and value.type_proto is None:
                value.type_proto = proto
                if self.ctx.changed is not None:
                    self.ctx.changed(value)

    def _size(self, dim: Any) -> Size:
        """Names that were passed in, or that the model has, mean what they meant; any other is a size of its own."""
        if dim.HasField("dim_value") and dim.dim_value >= 0:
            number: int = dim.dim_value
            return number
        name = dim.dim_param
        if not name or dim.HasField("dim_value"):
            return self.ctx.fresh()
        size = self._sizes.get(name)
        if size is None:
            size = self.ctx.symbols.get(name)
        if size is None:
            size = self._sizes[name] = self.ctx.fresh()
        return size
