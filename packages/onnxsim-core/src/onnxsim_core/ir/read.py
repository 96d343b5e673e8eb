"""From a file, bytes or ModelProto to a `Model`.

Large tensors stay where they are: the wire scanner leaves spans in their place, and values hold tensors that refer to
them. Names are resolved scope by scope; nodes may stand in any order and are sorted when they do not stand in
topological order.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from ..errors import ModelError
from .dims import SymbolTable, parse
from .files import File, resolve_external
from .formal import OPAQUE, Form, form
from .graph import Function, Graph, Model, Node, Value, add_use
from .inline import inline_tensor, restore
from .sort import sort_nodes
from .tensors import ArrayTensor, MissingTensor, SpanTensor, Tensor, tensor_from_proto
from .wire import find_fault, scan

_VALUE_ATTRIBUTES = {"value", "value_int", "value_ints", "value_float", "value_floats", "value_string", "value_strings"}

_SIMPLE = frozenset({1, 2, 3, 6, 7, 8})
"""AttributeProto types that hold numbers and text alone."""
_HELD_WHOLE = {9, 11, 12}
"""AttributeProto types whose tensors stay in their protobuf message: TENSORS, SPARSE_TENSOR, SPARSE_TENSORS."""


class Reader:
    """Turns one ModelProto (large tensors as references) into a Model."""

    def __init__(
        self, proto: Any, *, file: File | None = None, data: bytes | None = None, base_dir: str | None = None
    ) -> None:
        self.model = Model(proto, SymbolTable())
        self.model.base_dir = base_dir
        self.file = file
        self.source: File | bytes | None = file if file is not None else data
        self.base_dir = base_dir
        self._files: dict[str, File] = {}
        self._forms: dict[str, Form | None] = {}
        self.in_function = False

    # --- model -----------------------------------------------------------------------------------------------------
    def read(self) -> Model:
        model, proto = self.model, self.model.proto
        if not proto.HasField("graph"):
            raise ModelError("the file holds no graph: it is not an ONNX model", hint="was the right file given?")
        model.ir_version = proto.ir_version
        if not proto.opset_import:
            raise ModelError("the model imports no operator set (opset_import is empty)")
        for entry in proto.opset_import:
            domain = "" if entry.domain == "ai.onnx" else _whole(entry.domain)
            model.opsets[domain] = max(entry.version, model.opsets.get(domain, 0))
        if self.source is not None:
            for part in (*proto.functions, *proto.training_info):
                restore(part, self.source)
        for function in proto.functions:
            key = (_function_domain(function), _whole(function.name), getattr(function, "overload", ""))
            model.functions[key] = Function(function)
        model.graph = Graph(model, proto.graph.name, proto.graph)
        self.graph(model.graph, proto.graph, None)
        return model

    # --- graphs ----------------------------------------------------------------------------------------------------
    def graph(self, graph: Graph, proto: Any, outer: Scope | None) -> None:
        scope = Scope(graph, outer)
        names = self.model.names
        for info in proto.value_info:
            graph.value_info[info.name] = info
        self._inputs(graph, proto, scope)
        for tensor in proto.initializer:
            self._initializer(graph, scope, tensor.name, self.tensor(tensor), tensor)
        for sparse in proto.sparse_initializer:
            if self.source is not None:
                restore(sparse, self.source)
            value = scope.define(sparse.values.name)
            graph.sparse[value.name] = sparse
            value.dtype = sparse.values.data_type
            value.shape = tuple(sparse.dims)
        for node in proto.node:
            self.node(graph, scope, node)
        for output in proto.output:
            value = scope.find(output.name)
            value.outputs += 1
            value.info = output
            if output.type.WhichOneof("value") not in (None, "tensor_type"):
                value.type_proto = output.type
            graph.outputs.append(value)
        names.update(scope.values)
        if scope.close():
            sort_nodes(graph)

    def _inputs(self, graph: Graph, proto: Any, scope: Scope) -> None:
        for info in proto.input:
            if info.name in scope.values:
                raise ModelError(f"two graph inputs have the name {info.name!r}", where=graph.where())
            value = scope.define(info.name)
            value.is_input = True
            value.info = info
            self.declared_type(value, info.type)
            graph.inputs.append(value)

    def _initializer(self, graph: Graph, scope: Scope, name: str, tensor: Tensor, proto: Any) -> None:
        value = scope.values.get(name)
        if value is None:
            value = scope.define(name)
        elif value.tensor is not None:
            raise ModelError(f"two initializers have the name {name!r}", where=graph.where())
        value.tensor = tensor
        value.dtype = tensor.dtype
        value.shape = tensor.dims
        if not value.is_input:
            value.info = proto if proto is not None and (proto.doc_string or proto.metadata_props) else None
        graph.constants[value] = None

    def declared_type(self, value: Value, proto: Any) -> None:
        """Take dtype and shape from a TypeProto; a negative size is an unknown one."""
        if proto.WhichOneof("value") != "tensor_type":
            value.type_proto = proto
            return
        tensor = proto.tensor_type
        value.dtype = tensor.elem_type
        if tensor.HasField("shape"):
            value.shape = tuple(self.size(dim) for dim in tensor.shape.dim)

    def size(self, dim: Any) -> Any:
        kind = dim.WhichOneof("value")
        if kind == "dim_value":
            return dim.dim_value if dim.dim_value >= 0 else self.model.symbols.fresh()
        name = dim.dim_param
        return parse(name if type(name) is str else name.decode("utf-8", "backslashreplace"), self.model.symbols)

    # --- nodes -----------------------------------------------------------------------------------------------------
    def node(self, graph: Graph, scope: Scope, proto: Any) -> None:
        op_type, domain = proto.op_type, proto.domain
        if type(op_type) is not str:
            op_type = readable(op_type)
        if domain:
            domain = "" if domain == "ai.onnx" else _whole(domain)
        if op_type == "Constant" and not domain and self._constant(graph, scope, proto):
            return
        known, find = scope.values.get, scope.find
        inputs: list[Value | None] = [known(name) or find(name) if name else None for name in proto.input]
        node = Node(op_type, inputs, [], domain=domain, name=proto.name, proto=proto, overload=proto.overload)
        for value in inputs:
            if value is not None:
                add_use(value, node)
        for name in proto.output:
            value = scope.produce(name) if name else Value("", graph)
            value.node = node
            node.outputs.append(value)
        graph.append(node)
        attributes = list(proto.attribute)
        if not domain and not self._fits(node, attributes):
            node.domain = OPAQUE
        for attribute in attributes:
            kind = attribute.type
            if kind in _SIMPLE or attribute.ref_attr_name:
                continue
            if kind == 5:
                self._body(node, attribute.name, attribute.g, scope)
            elif kind == 10:
                raise ModelError("a list-of-graphs attribute is not part of any ONNX operator", where=node.where())
            elif kind == 4 and attribute.t.data_location == 1:
                node.attributes[attribute.name] = self.tensor(attribute.t)
                node.changed = True
            elif kind in _HELD_WHOLE and self.source is not None:
                restore(attribute, self.source)

    def _fits(self, node: Node, attributes: Sequence[Any]) -> bool:
        """Has a node of the default domain the form its operator asks for, as far as that is known?"""
        op_type = node.op_type
        if op_type not in self._forms:
            called = any(key[:2] == ("", op_type) for key in self.model.functions)
            self._forms[op_type] = None if called else form(op_type, self.model.opset())
        wanted = self._forms[op_type]
        if wanted is None:
            return True
        return wanted.fits(node.inputs, len(node.outputs), attributes, in_function=self.in_function)

    def _body(self, node: Node, name: str, proto: Any, scope: Scope) -> None:
        assert node.graph is not None
        body = Graph(self.model, proto.name, proto)
        body.owner, body.owner_attribute = node, name
        if node.bodies is None:
            node.bodies = {}
        node.bodies[name] = body
        self.graph(body, proto, scope)

    def _constant(self, graph: Graph, scope: Scope, proto: Any) -> bool:
        """A Constant node becomes a constant value; forms without a plain tensor stay nodes."""
        attributes = proto.attribute
        if len(attributes) != 1 or len(proto.output) != 1 or not proto.output[0]:
            return False
        attribute = attributes[0]
        if attribute.name not in _VALUE_ATTRIBUTES or attribute.ref_attr_name:
            return False
        tensor = self.tensor(attribute.t) if attribute.name == "value" else constant_tensor(attribute)
        value = scope.produce(proto.output[0])
        value.tensor, value.dtype, value.shape = tensor, tensor.dtype, tensor.dims
        graph.constants[value] = None
        return True

    # --- tensors ---------------------------------------------------------------------------------------------------
    def tensor(self, proto: Any) -> Tensor:
        if proto.data_location != 1:
            return tensor_from_proto(proto)
        inline = inline_tensor(proto, self.source)
        if inline is not None:
            return inline
        fields = {entry.key: entry.value for entry in proto.external_data}
        location = os.fsdecode(fields.get("location", ""))
        try:
            offset = int(fields.get("offset") or 0)
            length = int(fields["length"]) if fields.get("length") else None
        except ValueError:
            raise ModelError(f"tensor {proto.name!r}: external offset or length is not a number") from None
        dims = tuple(proto.dims)
        if self.base_dir is None:
            return MissingTensor(proto.data_type, dims, f"tensor {proto.name!r} refers to external data "
                                 f"{location!r}, but the model came without a folder")
        return SpanTensor(proto.data_type, dims, self._external(location, proto.name), offset, length)

    def _external(self, location: str, name: str) -> File:
        file = self._files.get(location)
        if file is None:
            assert self.base_dir is not None
            # A download cache keeps model and data as links into one store.
            store = [os.path.dirname(os.path.realpath(self.file.path))] if self.file is not None else []
            path = resolve_external(self.base_dir, location, tensor=name, also=store)
            file = self._files[location] = File(path)
        return file


def _function_domain(function: Any) -> str:
    """The domain that calls of a function have. Nothing calls one that is named like an operator of ONNX itself."""
    if function.domain not in ("", "ai.onnx"):
        return _whole(function.domain)
    from onnx import defs

    return "\0hidden by ONNX" if defs.has(function.name) else ""


def readable(text: str | bytes) -> str:
    """A text for bytes that are not valid UTF-8, as protobuf hands them out; it is written as those bytes again."""
    return text if type(text) is str else text.decode("utf-8", "surrogateescape")  # type: ignore[union-attr]


def _whole(text: str | bytes) -> str:
    """The name of a domain or a function, which must be valid UTF-8."""
    if type(text) is str:
        return text
    raise ModelError(f"a domain or function has the name {text!r}, which is not valid UTF-8")


class Scope:
    """Names of one graph, with the graph around it. A name used before it is made is a promise `close` has to keep."""

    __slots__ = ("graph", "outer", "values", "promised", "unsorted")

    def __init__(self, graph: Graph, outer: Scope | None) -> None:
        self.graph = graph
        self.outer = outer
        self.values: dict[str, Value] = {}
        self.promised: dict[str, Value] = {}
        self.unsorted = False

    def define(self, name: str) -> Value:
        value = self.values[name] = Value(name, self.graph)
        return value

    def produce(self, name: str) -> Value:
        """The value of a node output of that name."""
        if name in self.values:
            raise ModelError(f"the name {name!r} is given to two values", where=self.graph.where())
        promised = self.promised.pop(name, None)
        if promised is not None:
            self.unsorted = True
            self.values[name] = promised
            return promised
        value = self.values[name] = Value(name, self.graph)
        return value

    def find(self, name: str) -> Value:
        value = self.values.get(name)
        if value is not None:
            return value
        outer = self.outer
        while outer is not None:
            value = outer.values.get(name)
            if value is not None:
                return value
            outer = outer.outer
        value = self.promised.get(name)
        if value is None:
            value = self.promised[name] = Value(name, self.graph)
        return value

    def close(self) -> bool:
        """Hand names nobody made to the scope around; True if nodes stand before their inputs."""
        for name, value in self.promised.items():
            if self.outer is None:
                users = [user.where() for user in value.uses]
                raise ModelError(f"{name!r} is used but nothing makes it", where=users[0] if users else "outputs")
            self._hand_out(name, value, self.outer)
        return self.unsorted

    def _hand_out(self, name: str, value: Value, outer: Scope) -> None:
        known = outer.promised.get(name)
        if known is None:
            value.graph = outer.graph
            outer.promised[name] = value
            return
        for user, count in value.uses.items():
            user.inputs[:] = [known if v is value else v for v in user.inputs]
            known.uses[user] = known.uses.get(user, 0) + count
        if value.outputs:
            known.outputs += value.outputs
            self.graph.outputs[:] = [known if v is value else v for v in self.graph.outputs]


def constant_tensor(attribute: Any) -> Tensor:
    """The tensor meant by Constant's value_int(s), value_float(s) or value_string(s).  Source: ONNX Constant-12."""
    import numpy as np

    name = attribute.name
    if name == "value_int":
        return ArrayTensor(np.array(attribute.i, np.int64))
    if name == "value_ints":
        return ArrayTensor(np.array(list(attribute.ints), np.int64))
    if name == "value_float":
        return ArrayTensor(np.array(attribute.f, np.float32))
    if name == "value_floats":
        return ArrayTensor(np.array(list(attribute.floats), np.float32))
    strings = [attribute.s] if name == "value_string" else list(attribute.strings)
    array = np.array(strings, dtype=object)
    return ArrayTensor(array.reshape(()) if name == "value_string" else array)


def read_model(source: Any) -> Model:
    """Read a model from a path, bytes, a ModelProto (never changed), an onnx_ir.Model, or what has a `read_model()`.

    The last is how a container that only a plugin knows hands out its model.

    Raises:
        ModelError: the source is not a model, is damaged, or its external data cannot be used.
    """
    if isinstance(source, (bytes, bytearray, memoryview)):
        return _from_bytes(bytes(source))
    if isinstance(source, (str, os.PathLike)):
        return _from_path(os.fspath(source))
    if hasattr(source, "SerializeToString") and hasattr(source, "graph") and hasattr(source, "opset_import"):
        return Reader(source, base_dir=os.getcwd()).read()
    if hasattr(source, "read_model"):
        model: Model = source.read_model()
        return model
    if type(source).__module__.partition(".")[0] == "onnx_ir":
        import onnx_ir

        return Reader(onnx_ir.to_proto(source), base_dir=os.getcwd()).read()
    raise TypeError(f"a model is a path, bytes or an onnx.ModelProto, not {type(source).__name__}")


def parse_proto(data: bytes, source: File | bytes | None = None) -> Any:
    """ModelProto from bytes; damaged bytes give a ModelError with the place in them, or in the file they are from."""
    from google.protobuf.message import DecodeError
    from onnx import ModelProto

    proto = ModelProto()
    try:
        proto.ParseFromString(data)
    except DecodeError:
        raise find_fault(source or data) from None
    return proto


LARGE_TENSOR = 4096
"""Tensors of at least this many bytes stay in the file."""
WHOLE_FILE = 1 << 20
"""A file below this size is read whole: looking for large tensors in it would take longer."""


def _from_bytes(data: bytes) -> Model:
    stub, _ = scan(data, LARGE_TENSOR if len(data) >= WHOLE_FILE else WHOLE_FILE)
    return Reader(parse_proto(stub, data), data=data).read()


def _from_path(path: str) -> Model:
    file = File(path)
    stub, _ = scan(file, LARGE_TENSOR if file.size >= WHOLE_FILE else WHOLE_FILE)
    reader = Reader(parse_proto(stub, file), file=file, base_dir=os.path.dirname(os.path.abspath(path)))
    model = reader.read()
    model.files += [file, *reader._files.values()]
    return model
