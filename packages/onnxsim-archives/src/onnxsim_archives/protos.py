"""A model as protobuf messages: each tensor in it by a key, references in place of data, data in place of references.

Archives keep the graph exactly as it is, so nothing here goes through the core's own graph, which turns Constant nodes
into constants and states what it knows of types.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from onnxsim_core.ir import dtypes
from onnxsim_core.ir.rope import Rope
from onnxsim_core.ir.tensors import Tensor
from onnxsim_core.ir.wire import length_delimited, tag, varint

EXTERNAL: Final = 1
_RAW_DATA = 9
_PLAIN_ATTRIBUTES: Final = frozenset({1, 2, 3, 6, 7, 8, 13, 14})
"""AttributeProto types without a tensor inside: numbers, strings, types, and lists of those."""
_HOLDERS: Final = {"ModelProto", "GraphProto", "NodeProto", "AttributeProto", "SparseTensorProto", "FunctionProto",
                   "TrainingInfoProto"}
_DATA: Final = ("raw_data", "float_data", "int32_data", "int64_data", "double_data", "uint64_data")
_WHERE: Final = frozenset({*_DATA, "external_data", "data_location"})

Resolve = Callable[[Any], Tensor]
"""The tensor that a TensorProto stands for."""


# --- walking -------------------------------------------------------------------------------------------------------
def tensors(model: Any) -> Iterator[tuple[str, Any]]:
    """Every TensorProto of a model whose elements have a fixed width, with a key that says where it stands.

    An initializer of the main graph has its own name as key; what stands deeper has the place before it, such as
    `If_3.then_branch/bias` or `Constant_0.value`. Keys need not be unique, since names of nodes are not.
    """
    for key, proto in _model(model):
        if proto.data_type in dtypes.BITS and not proto.HasField("segment"):
            yield key, proto


def _model(model: Any) -> Iterator[tuple[str, Any]]:
    yield from _graph(model.graph, "")
    for function in model.functions:
        names = (function.domain, function.name, getattr(function, "overload", ""))
        scope = ".".join(_str(name) for name in names if name)
        for attribute in function.attribute_proto:
            yield from _attribute(attribute, f"{scope}/{_str(attribute.name)}")
        yield from _nodes(function.node, f"{scope}/")
    for number, info in enumerate(model.training_info):
        yield from _graph(info.initialization, f"training_{number}.initialization/")
        yield from _graph(info.algorithm, f"training_{number}.algorithm/")


def _graph(graph: Any, scope: str) -> Iterator[tuple[str, Any]]:
    for proto in graph.initializer:
        yield scope + _str(proto.name), proto
    for proto in graph.sparse_initializer:
        yield from _sparse(proto, scope + _str(proto.values.name))
    yield from _nodes(graph.node, scope)


def _sparse(sparse: Any, key: str) -> Iterator[tuple[str, Any]]:
    yield key, sparse.values
    yield f"{key}.indices", sparse.indices


def _nodes(nodes: Any, scope: str) -> Iterator[tuple[str, Any]]:
    for number, node in enumerate(nodes):
        for attribute in node.attribute:
            if attribute.type not in _PLAIN_ATTRIBUTES:
                label = _str(node.name) or f"{_str(node.op_type)}_{number}"
                yield from _attribute(attribute, f"{scope}{label}.{_str(attribute.name)}")


def _attribute(attribute: Any, key: str) -> Iterator[tuple[str, Any]]:
    if attribute.HasField("t"):
        yield key, attribute.t
    if attribute.HasField("sparse_tensor"):
        yield from _sparse(attribute.sparse_tensor, key)
    if attribute.HasField("g"):
        yield from _graph(attribute.g, f"{key}/")
    for number, proto in enumerate(attribute.tensors):
        yield f"{key}.{number}", proto
    for number, sparse in enumerate(attribute.sparse_tensors):
        yield from _sparse(sparse, f"{key}.{number}")
    for number, graph in enumerate(attribute.graphs):
        yield from _graph(graph, f"{key}.{number}/")


def _str(text: str | bytes) -> str:
    """protobuf hands out a text that is not UTF-8 as the bytes it is."""
    return text if isinstance(text, str) else text.decode("utf-8", "backslashreplace")


# --- references ----------------------------------------------------------------------------------------------------
def point_to(proto: Any, location: str, offset: int, length: int) -> None:
    """Make a TensorProto refer to bytes elsewhere; the numbers take as much room whatever they are."""
    for field in _DATA:
        proto.ClearField(field)
    del proto.external_data[:]
    for key, text in (("location", location), ("offset", f"{offset:020}"), ("length", f"{length:020}")):
        proto.external_data.add(key=key, value=text)
    proto.data_location = EXTERNAL


def fill(proto: Any, tensor: Tensor) -> None:
    """Put the bytes of a tensor into its TensorProto."""
    for field in (*_DATA, "external_data", "data_location"):
        proto.ClearField(field)
    proto.raw_data = bytes(tensor.tobytes())


# --- copying without the data --------------------------------------------------------------------------------------
def lean_copy(source: Any, target: Any, copy_tensor: Callable[[Any, Any], None]) -> None:
    """Copy a message into an empty one; `copy_tensor(source, target)` copies each TensorProto of fixed width inside."""
    for field, value in source.ListFields():
        kind = field.message_type.name if field.message_type is not None else ""
        if kind not in _HOLDERS and kind != "TensorProto":
            _copy(target, field.name, value)
            continue
        copy = _copy_tensor if kind == "TensorProto" else _copy_node if kind == "NodeProto" else lean_copy
        if hasattr(value, "ListFields"):
            getattr(target, field.name).SetInParent()
            copy(value, getattr(target, field.name), copy_tensor)
        else:
            children = getattr(target, field.name)
            for child in value:
                copy(child, children.add(), copy_tensor)


def _copy_node(source: Any, target: Any, copy_tensor: Callable[[Any, Any], None]) -> None:
    if all(attribute.type in _PLAIN_ATTRIBUTES for attribute in source.attribute):
        target.CopyFrom(source)
    else:
        lean_copy(source, target, copy_tensor)


def _copy_tensor(source: Any, target: Any, copy_tensor: Callable[[Any, Any], None]) -> None:
    if source.data_type in dtypes.BITS and not source.HasField("segment"):
        copy_tensor(source, target)
    else:
        target.CopyFrom(source)


def copy_header(source: Any, target: Any) -> None:
    """Copy a TensorProto without its data and without saying where that is."""
    for field, value in source.ListFields():
        if field.name not in _WHERE:
            _copy(target, field.name, value)


def _copy(target: Any, name: str, value: Any) -> None:
    if isinstance(value, (str, bytes, int, float)):
        setattr(target, name, value)
    elif hasattr(value, "ListFields"):
        getattr(target, name).CopyFrom(value)
    else:
        getattr(target, name).extend(value)


# --- serialising with the data -------------------------------------------------------------------------------------
def rope_of(model: Any, resolve: Callable[[Any], Tensor | None]) -> Rope:
    """The serialized model with the bytes of every tensor that `resolve` gives; the message is used up on the way."""
    rope = _rope(model, resolve)
    if rope is None:
        rope = Rope()
        rope.append(model.SerializeToString())
    return rope


def _rope(message: Any, resolve: Callable[[Any], Tensor | None]) -> Rope | None:
    """None when nothing inside has its data elsewhere."""
    name = message.DESCRIPTOR.name
    if name == "TensorProto":
        return _tensor_rope(message, resolve(message))
    if name == "NodeProto" and all(attribute.type in _PLAIN_ATTRIBUTES for attribute in message.attribute):
        return None
    children: list[tuple[int, Any, Rope | None]] = []
    inside = []
    for field, value in message.ListFields():
        kind = field.message_type.name if field.message_type is not None else ""
        if kind in _HOLDERS or kind == "TensorProto":
            inside.append(field.name)
            for child in (value,) if hasattr(value, "ListFields") else value:
                children.append((field.number, child, _rope(child, resolve)))
    if all(rope is None for _, _, rope in children):
        return None
    rope = Rope()
    for number, child, made in children:
        if made is None:
            rope.append(length_delimited(number, child.SerializeToString()))
        else:
            rope.extend(made.message(number))
    for field_name in inside:
        message.ClearField(field_name)
    rope.append(message.SerializeToString())
    return rope


def _tensor_rope(proto: Any, tensor: Tensor | None) -> Rope | None:
    if tensor is None:
        return None
    proto.ClearField("external_data")
    proto.ClearField("data_location")
    rope = Rope()
    rope.append(proto.SerializeToString() + tag(_RAW_DATA, 2) + varint(tensor.nbytes))
    rope.append_tensor(tensor)
    return rope
