"""Whatever a model is given as, as a message of our own without weights and a way to the bytes of each tensor."""

from __future__ import annotations

import os
from typing import Any, Final, NamedTuple

from onnxsim_core import ModelError
from onnxsim_core.ir.files import File
from onnxsim_core.ir.graph import Model
from onnxsim_core.ir.read import Reader, parse_proto
from onnxsim_core.ir.tensors import BufferTensor, MissingTensor, ProtoTensor, Tensor
from onnxsim_core.ir.wire import scan
from onnxsim_core.ir.write import Writer

from .formats import format_of
from .protos import Resolve, copy_header, lean_copy, point_to
from .read import Archive, open_archive

_HELD: Final = "\x00held"
"""The location of a tensor that is held in a table; its offset is the place there. No file can have this name."""


class Source(NamedTuple):
    """A ModelProto that may be changed, whose tensors `resolve` knows; it may be asked while that is unchanged only."""

    proto: Any
    resolve: Resolve


def open_source(model: Any, base_dir: str | os.PathLike[str] | None = None) -> Source:
    """Open a model given as a path (of an archive, too), bytes, a ModelProto, an Archive or what `simplify` gives.

    Raises:
        ModelError: it cannot be read, is no model, or refers to data that cannot be found.
    """
    if isinstance(model, (str, os.PathLike)):
        path = os.fspath(model)
        return _of_archive(open_archive(path)) if format_of(path) is not None else _of_file(path)
    if isinstance(model, Archive):
        return _of_archive(model)
    if isinstance(model, (bytes, bytearray, memoryview)):
        data = bytes(model)
        stub, _ = scan(data)
        return _of_stub(parse_proto(stub, data), data=data, base_dir=base_dir)
    graph = model if isinstance(model, Model) else getattr(model, "graph", None)
    if isinstance(graph, Model):
        return _of_graph(graph)
    if hasattr(model, "SerializeToString") and hasattr(model, "graph") and hasattr(model, "opset_import"):
        return _of_proto(model, base_dir)
    kinds = "a path, bytes, an onnx.ModelProto, an Archive or a result of simplify"
    raise TypeError(f"a model is {kinds}, not {type(model).__name__}")


def _of_archive(archive: Archive) -> Source:
    return Source(archive.graph(), lambda tensor: _own(archive.tensor(tensor)))


def _of_file(path: str) -> Source:
    file = File(path)
    stub, _ = scan(file)
    return _of_stub(parse_proto(stub, file), file=file, base_dir=os.path.dirname(os.path.abspath(path)))


def _of_stub(proto: Any, *, base_dir: str | os.PathLike[str] | None, file: File | None = None,
             data: bytes | None = None) -> Source:
    if not proto.HasField("graph"):
        raise ModelError("it holds no graph: it is not an ONNX model", where=file.path if file is not None else None)
    folder = os.fspath(base_dir) if base_dir is not None else None
    reader = Reader(proto, file=file, data=data, base_dir=folder)

    def resolve(tensor: Any) -> Tensor:
        return _own(found(reader.tensor(tensor)))

    return Source(proto, resolve)


def _own(tensor: Tensor) -> Tensor:
    """The message that a tensor reads from is about to be changed."""
    if not isinstance(tensor, ProtoTensor):
        return tensor
    return BufferTensor(tensor.dtype, tensor.dims, tensor.tobytes())


def found(tensor: Tensor) -> Tensor:
    """The tensor, if its bytes can be had.

    Raises:
        ModelError: they are in a file that nobody can find.
    """
    if isinstance(tensor, MissingTensor):
        raise ModelError(tensor.reason, code="external-missing",
                         hint="give the model's path instead, or its folder as base_dir")
    return tensor


def _of_proto(model: Any, base_dir: str | os.PathLike[str] | None) -> Source:
    """A ModelProto is the caller's: its tensors are read from it, and a copy without them is changed."""
    from onnx import ModelProto

    held: list[Any] = []

    def hold(source: Any, target: Any) -> None:
        copy_header(source, target)
        point_to(target, _HELD, len(held), 0)
        held.append(source)

    if not model.HasField("graph"):
        raise ModelError("it holds no graph: it is not an ONNX model")
    proto = ModelProto()
    lean_copy(model, proto, hold)
    reader = Reader(model, base_dir=os.fspath(base_dir) if base_dir is not None else None)

    def resolve(tensor: Any) -> Tensor:
        number = _place(tensor)
        assert number is not None
        return found(reader.tensor(held[number]))

    return Source(proto, resolve)


def _of_graph(model: Model) -> Source:
    """The core's own graph, such as `SimplifyResult.graph`: written without weights, which stay where they are."""
    held: list[Tensor] = []
    places: dict[int, int] = {}

    def place(tensor: Tensor) -> tuple[str, int, int]:
        number = places.setdefault(id(tensor), len(held))
        if number == len(held):
            held.append(tensor)
        return _HELD, number, 0

    from onnx import ModelProto

    proto = ModelProto()
    proto.ParseFromString(Writer(model, place).rope().tobytes())

    reader = Reader(proto, base_dir=model.base_dir)

    def resolve(tensor: Any) -> Tensor:
        number = _place(tensor)
        return found(_own(reader.tensor(tensor)) if number is None else held[number])

    return Source(proto, resolve)


def _place(tensor: Any) -> int | None:
    """The place of a tensor in the table, None for one that is not held there."""
    fields = {entry.key: entry.value for entry in tensor.external_data}
    return int(fields["offset"]) if fields.get("location") == _HELD else None
