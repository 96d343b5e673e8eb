"""From a `Model` back to protobuf: bytes with spliced weights for a file, or a ModelProto.

Nodes that did not change are written as the bytes they were read from. Weights are appended as tensors, which the rope
copies from where they lie. Field numbers are those of onnx.proto (IR 14).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .formal import OPAQUE
from .graph import AttributeRef, Graph, Model, Node, Value
from .rope import Rope
from .tensors import ProtoTensor, Tensor
from .wire import length_delimited, tag, varint

Place = Callable[[Tensor], "tuple[str, int, int] | None"]
FEW = 16
"""Up to so many numbers of an attribute are written here; onnx is quicker with more."""
_RAW = tag(9, 2)
_DIMS, _DTYPE = tag(1, 0), tag(2, 0)
_INT, _INTS, _IS_INT, _IS_INTS = tag(3, 0), tag(8, 0), tag(20, 0) + varint(2), tag(20, 0) + varint(7)


class Writer:
    """Serialises one model. `place` may say where a tensor's bytes lie outside: (location, offset, length)."""

    def __init__(self, model: Model, place: Place | None = None) -> None:
        self.model = model
        self.place = place
        self._types: dict[Any, bytes] = {}

    # --- model -----------------------------------------------------------------------------------------------------
    def rope(self) -> Rope:
        from onnx import ModelProto

        model = self.model
        head = ModelProto()
        for field, value in model.proto.ListFields():
            if field.name not in ("graph", "functions", "opset_import", "ir_version"):
                _copy_field(head, field.name, value)
        head.ir_version = model.ir_version
        written = set()
        for entry in model.proto.opset_import:
            domain = "" if entry.domain == "ai.onnx" else entry.domain
            if domain in model.opsets and domain not in written:
                head.opset_import.add(domain=entry.domain, version=model.opsets[domain])
                written.add(domain)
        for domain in sorted(set(model.opsets) - written):
            head.opset_import.add(domain=domain, version=model.opsets[domain])
        rope = Rope()
        rope.append(head.SerializeToString())
        rope.extend(self.graph(model.graph).message(7))
        for function in model.functions.values():
            rope.append(length_delimited(25, self.function(function)))
        return rope

    def function(self, function: Any) -> bytes:
        if function.graph is None:
            data: bytes = function.proto.SerializeToString()
            return data
        from onnx import FunctionProto

        head = FunctionProto()
        head.CopyFrom(function.proto)
        del head.node[:]
        del head.value_info[:]
        chunks = [head.SerializeToString()]
        chunks += [length_delimited(7, self._constant_node(value)) for value in function.graph.constants]
        chunks += [length_delimited(7, self.node(node).tobytes()) for node in function.graph]
        return b"".join(chunks)

    def _constant_node(self, value: Value) -> bytes:
        tensor = length_delimited(1, b"value") + tag(20, 0) + varint(4)
        body = Rope()
        self.tensor(body, value.tensor, "", None)
        attribute = tensor + length_delimited(5, body.tobytes())
        return (length_delimited(2, _text(value.name)) + length_delimited(4, b"Constant")
                + length_delimited(5, attribute))

    # --- graphs ----------------------------------------------------------------------------------------------------
    def graph(self, graph: Graph) -> Rope:
        rope = Rope()
        chunks: list[bytes] = []
        for node in graph:
            if node.changed or node.bodies:
                if node.bodies:
                    rope.append(b"".join(chunks))
                    chunks.clear()
                    rope.extend(self.node(node).message(1))
                else:
                    chunks.append(length_delimited(1, self.node(node).tobytes()))
            else:
                chunks.append(length_delimited(1, node.proto.SerializeToString()))
        chunks.append(length_delimited(2, _text(graph.name)))
        rope.append(b"".join(chunks))
        for value in graph.constants:
            self.initializer(rope, value)
        rope.append(self._tail(graph))
        return rope

    def _tail(self, graph: Graph) -> bytes:
        chunks: list[bytes] = []
        proto = graph.proto
        if proto is not None and proto.doc_string:
            chunks.append(length_delimited(10, _text(proto.doc_string)))
        scans = graph.owner is not None and graph.owner.op_type == "Scan"
        chunks += [length_delimited(11, self._entering(value) if scans else self.value_info(value)) for value in graph.inputs]
        write = self.value_info if graph.owner is None else self._leaving
        chunks += [length_delimited(12, write(value)) for value in graph.outputs]
        chunks += self._inner_types(graph)
        if proto is not None:
            kept = set(graph.sparse)
            alive = {v.name for n in graph for v in n.outputs} | {v.name for v in graph.constants} \
                | {v.name for v in graph.inputs} if proto.quantization_annotation else set()
            chunks += [length_delimited(14, a.SerializeToString()) for a in proto.quantization_annotation
                       if a.tensor_name in alive]
            chunks += [length_delimited(15, s.SerializeToString()) for name, s in graph.sparse.items() if name in kept]
            chunks += [length_delimited(16, m.SerializeToString()) for m in proto.metadata_props]
        return b"".join(chunks)

    def _inner_types(self, graph: Graph) -> list[bytes]:
        """value_info of every value inside whose type is known; kept entries are those the facts do not narrow."""
        chunks: list[bytes] = []
        declared = graph.value_info
        for node in graph:
            for value in node.outputs:
                name = value.name
                if value.outputs or not name:
                    continue
                info = declared.get(name) if declared else None
                if value.dtype and value.shape is not None:
                    kind = self.type(value) if info is None else self._named_type(value, info)
                    body = length_delimited(1, _text(name)) + length_delimited(2, kind)
                    if info is not None:
                        if info.doc_string:
                            body += length_delimited(3, _text(info.doc_string))
                        for entry in info.metadata_props:
                            body += length_delimited(4, entry.SerializeToString())
                    chunks.append(length_delimited(13, body))
                elif info is not None and not value.doubtful:
                    chunks.append(length_delimited(13, info.SerializeToString()))
        if declared:
            chunks += [length_delimited(13, declared[v.name].SerializeToString()) for v in graph.constants
                       if v.name in declared and not v.outputs and not v.is_input]
        return chunks

    def _named_type(self, value: Value, info: Any) -> bytes:
        """The type of a value; a size of which nothing is known goes by the name that the file gives it."""
        shape = value.shape
        dims = info.type.tensor_type.shape.dim
        if shape is None or len(dims) != len(shape) or not any(dim.dim_param for dim in dims):
            return self.type(value)
        sizes = []
        for size, dim in zip(shape, dims):
            sizes.append(self.dimension(size) or (length_delimited(2, _text(dim.dim_param)) if dim.dim_param else b""))
        written = length_delimited(2, b"".join(length_delimited(1, size) for size in sizes))
        return length_delimited(1, tag(1, 0) + varint(value.dtype) + written)

    def value_info(self, value: Value) -> bytes:
        """A graph input or output: as it was declared, under the value's name."""
        info = value.info
        if info is not None and hasattr(info, "type"):
            if info.name == value.name:
                data: bytes = info.SerializeToString()
                return data
            fresh = type(info)()
            fresh.CopyFrom(info)
            fresh.name = value.name
            data = fresh.SerializeToString()
            return data
        body = length_delimited(1, _text(value.name))
        return body + length_delimited(2, self.type(value)) if value.dtype or value.type_proto is not None else body

    def _entering(self, value: Value) -> bytes:
        """What enters the body of a Scan, without the sizes that its declaration is wrong or too sure about.

        onnxruntime makes room for the rows of a Scan by them, as far as it sees a row depend on them.
        """
        data = self.value_info(value)
        dims = value.info.type.tensor_type.shape.dim if hasattr(value.info, "type") else ()
        sizes = value.shape or ()
        if len(dims) != len(sizes) or all(dim.dim_value == size for dim, size in zip(dims, sizes) if dim.HasField("dim_value")):
            return data
        info = type(value.info).FromString(data)
        for dim, size in zip(info.type.tensor_type.shape.dim, sizes):
            if dim.HasField("dim_value") and dim.dim_value != size:
                dim.ClearField("dim_value")
        written: bytes = info.SerializeToString()
        return written

    def _leaving(self, value: Value) -> bytes:
        """What leaves a body; a constant that was declared without a type gets its own.

        onnx infers the type of what a node makes, but takes an initializer for an output of the type that is declared.
        """
        data = self.value_info(value)
        if value.node is not None or value.tensor is None or not hasattr(value.info, "type"):
            return data
        declared = value.info.type
        if declared.HasField("tensor_type") and declared.tensor_type.elem_type or declared.WhichOneof("value") not in (
                None, "tensor_type"):
            return data
        info = type(value.info).FromString(data)
        info.type.ParseFromString(self.type(value))
        written: bytes = info.SerializeToString()
        return written

    def type(self, value: Value) -> bytes:
        """TypeProto of a value; a size that is no plain symbol is written as its formula only if it has one."""
        if value.type_proto is not None and not value.dtype:
            data: bytes = value.type_proto.SerializeToString()
            return data
        key = (value.dtype, value.shape)
        found = self._types.get(key)
        if found is None:
            tensor = tag(1, 0) + varint(value.dtype)
            if value.shape is not None:
                dims = (length_delimited(1, self.dimension(size)) for size in value.shape)
                tensor += length_delimited(2, b"".join(dims))
            found = self._types[key] = length_delimited(1, tensor)
        return found

    def dimension(self, size: Any) -> bytes:
        """TensorShapeProto.Dimension: a number, a formula over the model's own symbols, or nothing known."""
        if type(size) is int:
            # No file holds a larger number; a model that has such a size does not run anyway.
            return tag(1, 0) + varint(size) if size < 1 << 63 else b""
        return b"" if self.model.symbols.is_anonymous(size) else length_delimited(2, _text(str(size)))

    # --- nodes -----------------------------------------------------------------------------------------------------
    def node(self, node: Node) -> Rope:
        """NodeProto of a node written anew."""
        rope = Rope()
        chunks = [length_delimited(1, b"" if v is None else _text(v.name)) for v in node.inputs]
        chunks += [length_delimited(2, _text(v.name)) for v in node.outputs]
        if node.name:
            chunks.append(length_delimited(3, _text(node.name)))
        chunks.append(length_delimited(4, _text(node.op_type)))
        proto = node.proto
        rope.append(b"".join(chunks))
        chunks = []
        if proto is not None and node._attributes is None:
            chunks += [length_delimited(5, a.SerializeToString()) for a in proto.attribute
                       if a.type != 5 or a.ref_attr_name]
        else:
            for name, value in node.attributes.items():
                attribute = self.attribute(name, value)
                rope.extend(attribute.message(5))
        for name, body in (node.bodies or {}).items():
            attribute = Rope()
            attribute.append(length_delimited(1, _text(name)))
            attribute.extend(self.graph(body).message(6))
            attribute.append(tag(20, 0) + varint(5))
            rope.extend(attribute.message(5))
        if proto is not None:
            if proto.doc_string:
                chunks.append(length_delimited(6, _text(proto.doc_string)))
            chunks += [length_delimited(9, m.SerializeToString()) for m in proto.metadata_props]
            if proto.HasField("overload") and proto.overload:
                chunks.append(length_delimited(8, _text(proto.overload)))
            chunks += [length_delimited(10, d.SerializeToString()) for d in getattr(proto, "device_configurations", ())]
        if node.domain and node.domain != OPAQUE:
            chunks.append(length_delimited(7, _text(node.domain)))
        rope.append(b"".join(chunks))
        return rope

    def attribute(self, name: str, value: Any) -> Rope:
        rope = Rope()
        head = length_delimited(1, _text(name))
        kind = type(value)
        if kind is int:
            rope.append(head + _INT + varint(value) + _IS_INT)
        elif kind is tuple and len(value) <= FEW and all(type(element) is int for element in value):
            rope.append(head + b"".join([_INTS + varint(number) for number in value]) + _IS_INTS)
        elif isinstance(value, AttributeRef):
            rope.append(value.proto.SerializeToString())
        elif isinstance(value, Tensor):
            rope.append(head + tag(20, 0) + varint(4))
            body = Rope()
            self.tensor(body, value, "", None)
            rope.extend(body.message(5))
        else:
            from onnx import AttributeProto, helper

            if isinstance(value, AttributeProto):
                rope.append(value.SerializeToString())
            else:
                made = helper.make_attribute("", value, attr_type=_attribute_kind(value))
                rope.append(made.SerializeToString() + head)
        return rope

    # --- tensors ---------------------------------------------------------------------------------------------------
    def initializer(self, rope: Rope, value: Value) -> None:
        tensor = value.tensor
        assert tensor is not None
        if isinstance(tensor, ProtoTensor) and tensor.proto.name == value.name and self._inline(tensor) \
                and tuple(tensor.proto.dims) == tensor.dims:
            rope.append(length_delimited(5, tensor.proto.SerializeToString()))
            return
        body = Rope()
        self.tensor(body, tensor, value.name, value.info if hasattr(value.info, "data_type") else None)
        rope.extend(body.message(5))

    def _inline(self, tensor: Tensor) -> bool:
        return self.place is None or self.place(tensor) is None

    def tensor(self, rope: Rope, tensor: Any, name: str, header: Any) -> None:
        """TensorProto with raw bytes, or strings in their own field, or a reference to data outside."""
        head = b"".join(_DIMS + varint(d) for d in tensor.dims) + _DTYPE + varint(tensor.dtype)
        if name:
            head += length_delimited(8, _text(name))
        if header is not None:
            if header.doc_string:
                head += length_delimited(12, _text(header.doc_string))
            head += b"".join(length_delimited(16, m.SerializeToString()) for m in header.metadata_props)
        if tensor.dtype == 8:
            head += b"".join(length_delimited(6, s) for s in string_elements(tensor))
            rope.append(head)
            return
        outside = self.place(tensor) if self.place is not None else None
        if outside is not None:
            location, offset, length = outside
            for key, entry in (("location", location), ("offset", str(offset)), ("length", str(length))):
                head += length_delimited(13, length_delimited(1, key.encode()) + length_delimited(2, _text(entry)))
            rope.append(head + tag(14, 0) + varint(1))
            return
        rope.append(head + _RAW + varint(tensor.nbytes))
        rope.append_tensor(tensor)


def string_elements(tensor: Tensor) -> list[bytes]:
    return [s if isinstance(s, bytes) else str(s).encode() for s in tensor.numpy().reshape(-1).tolist()]


def _attribute_kind(value: Any) -> int | None:
    """AttributeProto.AttributeType for a Python value other than whole numbers."""
    if isinstance(value, tuple):
        return {int: 7, float: 6, bytes: 8, str: 8}.get(type(value[0]))
    return {int: 2, float: 1, bytes: 3, str: 3, bool: 2}.get(type(value))


def _text(text: str | bytes) -> bytes:
    """UTF-8; protobuf hands out a name that is not valid UTF-8 as the bytes it is."""
    return text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")


def _copy_field(target: Any, name: str, value: Any) -> None:
    if isinstance(value, (str, bytes, int, float)):
        setattr(target, name, value)
    elif hasattr(value, "extend") or hasattr(value, "add"):
        getattr(target, name).extend(value)
    else:
        getattr(target, name).CopyFrom(value)
