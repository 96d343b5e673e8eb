"""Writing a `Model` to a file, and making a ModelProto of it."""

from __future__ import annotations

import os
from typing import Any

from ..errors import ModelError
from .files import File
from .graph import Model
from .rope import DataFile, Progress, write_atomic, write_external
from .tensors import Tensor
from .write import Writer

INLINE_LIMIT = (2 << 30) - (64 << 20)
"""A protobuf message must stay under 2 GiB."""
EXTERNAL_FROM = 1024
"""Tensors below this many bytes stay in the model file."""


def save_model(model: Model, path: str, *, external_threshold: int, progress: Progress | None = None) -> int:
    """Write the model; beyond `external_threshold` bytes of weights (or 2 GiB) they go to `<name>.data` beside it.

    Gives the bytes written, those of the data file included.
    """
    if not goes_outside(model, external_threshold):
        rope = Writer(model).rope()
        write_atomic(path, rope, progress=progress)
        return rope.nbytes
    name = os.path.basename(data_path(path))
    data = DataFile(name)
    places: dict[int, tuple[str, int, int]] = {}

    def place(tensor: Tensor) -> tuple[str, int, int] | None:
        if tensor.nbytes < EXTERNAL_FROM or tensor.dtype == 8:
            return None
        found = places.get(id(tensor))
        if found is None:
            offset, length = data.add(tensor)
            found = places[id(tensor)] = (name, offset, length)
        return found

    rope = Writer(model, place).rope()
    write_external(path, rope, data_path(path), data, progress=progress)
    return rope.nbytes + data.nbytes


def data_path(path: str) -> str:
    """The file beside a model that takes its weights."""
    return path + ".data"


def goes_outside(model: Model, external_threshold: int) -> bool:
    """Are the weights too large to stay in the model file?"""
    total = sum(t.nbytes for t in large_tensors(model))
    return total > external_threshold or total >= INLINE_LIMIT


def spare_sources(model: Model, path: str, external_threshold: int) -> None:
    """Refuse to write where weights of the model that was read lie, unless that model itself is replaced.

    Raises:
        ModelError: the file, or the one beside it for the weights, is external data of the input.
    """
    if len(model.files) < 2 or os.path.realpath(path) == os.path.realpath(model.files[0].path):
        return
    targets = [path, data_path(path)] if goes_outside(model, external_threshold) else [path]
    for target in targets:
        if any(_is(target, file) for file in model.files[1:]):
            raise ModelError("cannot be written: the weights of the input model lie there", code="output", where=target,
                             hint="choose another name for the output")


def _is(path: str, file: File) -> bool:
    try:
        info = os.stat(path)
    except (OSError, ValueError):
        return False
    return (info.st_dev, info.st_ino) == file.identity


def large_tensors(model: Model) -> list[Tensor]:
    """Tensors of initializers in every graph that are large enough to matter for the file's size."""
    return [v.tensor for g in model.graphs() for v in g.constants
            if v.tensor is not None and v.tensor.nbytes >= EXTERNAL_FROM]


def model_proto(model: Model) -> Any:
    """The model as a ModelProto with all weights inside."""
    from onnx import ModelProto

    proto = ModelProto()
    rope = Writer(model).rope()
    if rope.nbytes < INLINE_LIMIT:
        proto.ParseFromString(rope.tobytes())
        return proto
    return _huge_proto(model)


def _huge_proto(model: Model) -> Any:
    """Over 2 GiB no serialized form exists: parse the model without its large weights, then put them in one by one."""
    from onnx import ModelProto

    held: dict[str, Tensor] = {}

    def place(tensor: Tensor) -> tuple[str, int, int] | None:
        if tensor.nbytes < EXTERNAL_FROM or tensor.dtype == 8:
            return None
        key = str(len(held))
        held[key] = tensor
        return key, 0, tensor.nbytes

    proto = ModelProto()
    proto.ParseFromString(Writer(model, place).rope().tobytes())
    for tensor in _external_protos(proto.graph):
        source = held[next(e.value for e in tensor.external_data if e.key == "location")]
        tensor.ClearField("external_data")
        tensor.ClearField("data_location")
        tensor.raw_data = bytes(source.tobytes())
    return proto


def _external_protos(graph: Any) -> Any:
    for tensor in graph.initializer:
        if tensor.data_location == 1:
            yield tensor
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.type == 5:
                yield from _external_protos(attribute.g)
            elif attribute.type == 4 and attribute.t.data_location == 1:
                yield attribute.t


