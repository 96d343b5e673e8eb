"""Loading a model together with a list of the tensors that lie outside its graph, as scripts for earlier releases do."""

import os
from collections.abc import Iterator
from hashlib import sha256
from importlib import import_module
from typing import Any, Final

from onnx import GraphProto, ModelProto, TensorProto

from onnxsim_core import ModelError
from onnxsim_core.ir.files import File
from onnxsim_core.ir.read import Reader, parse_proto
from onnxsim_core.ir.tensors import SpanTensor, Tensor

from ._names import NAMES, missing

GRAPH_ENTRY: Final = "model.onnx"


class LoadError(ModelError, RuntimeError):
    """A model that cannot be loaded. Earlier releases raised RuntimeError."""


class TensorPool:
    """The tensors outside of a model's graph, by name; each is read from its file when it is asked for."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        self._tensors = tensors

    def __len__(self) -> int:
        return len(self._tensors)

    def __contains__(self, name: object) -> bool:
        return name in self._tensors

    def __repr__(self) -> str:
        return f"TensorPool({len(self)} tensors)"

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted(self._tensors)

    def dtype(self, name: str) -> int:
        """A number of TensorProto.DataType."""
        return self._tensor(name).dtype

    def shape(self, name: str) -> list[int]:
        """The sizes of the axes."""
        return list(self._tensor(name).dims)

    def bytes(self, name: str) -> bytes:
        """The elements in row-major order, little endian, as TensorProto.raw_data has them."""
        return bytes(self._tensor(name).tobytes())

    def content_hash(self, name: str) -> str:
        """SHA-256 of type, sizes and bytes in hexadecimal: equal for equal tensors whatever their names are."""
        tensor = self._tensor(name)
        found = sha256(f"{tensor.dtype} {list(tensor.dims)}\n".encode())
        for chunk in tensor.chunks():
            found.update(chunk)
        return found.hexdigest()

    def _tensor(self, name: str) -> Tensor:
        try:
            return self._tensors[name]
        except KeyError:
            raise IndexError(f"no tensor outside the graph has the name {name!r}") from None


def load_model(path: str | os.PathLike[str], hydrate_all: bool = True) -> tuple[ModelProto, TensorPool]:
    """Load an .onnx file, or a .safetensors or .gguf archive, and list the initializers that lie outside its graph.

    Args:
        path: the file; what it is is told by its ending.
        hydrate_all: put their bytes into the model; otherwise the model goes on to refer to them.

    Returns:
        The model and its TensorPool, which is empty when all weights stand in the model file. That of an archive lists
        the graph too, as `model.onnx`.

    Raises:
        LoadError: the file is missing or damaged, or a tensor lies where it must not.
        ModuleNotFoundError: archives need onnxsim-archives.
    """
    name = os.fspath(path)
    load = _archive if name.endswith((".safetensors", ".gguf")) else _file
    try:
        return load(name, hydrate_all)
    except ModelError as error:
        raise LoadError(error.message, code=error.code, where=error.where, hint=error.hint, offset=error.offset) from error


def _file(path: str, hydrate_all: bool) -> tuple[ModelProto, TensorPool]:
    file = File(path)
    model = parse_proto(file.pread(0, file.size), file)
    reader = Reader(model, file=file, base_dir=os.path.dirname(os.path.abspath(path)))
    tensors = {}
    for proto in _initializers(model.graph):
        if proto.data_location == TensorProto.EXTERNAL:
            tensors[proto.name] = reader.tensor(proto)
            if hydrate_all:
                _fill(proto, tensors[proto.name])
    return model, TensorPool(tensors)


def _archive(path: str, hydrate_all: bool) -> tuple[ModelProto, TensorPool]:
    source = NAMES["open_archive"]
    try:
        archives = import_module(source.module)
    except ModuleNotFoundError as error:
        raise missing("load_model of an archive", source) from error
    read = archives.import_gguf if path.endswith(".gguf") else archives.import_safetensors
    archive = archives.open_archive(path)
    entry = archive.graph_entry()
    tensors: dict[str, Tensor] = {
        proto.name: archive.tensor(proto)
        for proto in _initializers(archive.graph().graph)
        if proto.data_location == TensorProto.EXTERNAL
    }
    tensors[GRAPH_ENTRY] = SpanTensor(TensorProto.INT8, (entry.nbytes,), archive.file, entry.offset, entry.nbytes)
    return read(path, refer=not hydrate_all), TensorPool(tensors)


def _initializers(graph: GraphProto) -> Iterator[TensorProto]:
    """Those of a graph and of the bodies in it."""
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _initializers(attribute.g)


def _fill(proto: Any, tensor: Tensor) -> None:
    proto.ClearField("external_data")
    proto.ClearField("data_location")
    proto.raw_data = bytes(tensor.tobytes())
