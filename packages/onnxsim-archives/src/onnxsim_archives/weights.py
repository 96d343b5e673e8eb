"""Weights of a GGUF file from anywhere, quantised ones too, into a model that has initializers of the same names."""

from __future__ import annotations

import os
from typing import Any

from onnxsim_core.ir import dtypes
from onnxsim_core.ir.tensors import ArrayTensor, SpanTensor, Tensor

from .blocks import DEQUANTIZED, dequantize
from .formats import GGUF, GRAPH_NAME, Entry
from .protos import EXTERNAL, fill, tensors
from .read import Archive
from .sources import open_source

_FLOAT_KINDS = {"F32": dtypes.FLOAT, "F16": dtypes.FLOAT16, "BF16": dtypes.BFLOAT16, "F64": dtypes.DOUBLE}
_FLOATS = frozenset(_FLOAT_KINDS.values())


def import_gguf_weights(model: Any, path: str | os.PathLike[str], *,
                        base_dir: str | os.PathLike[str] | None = None) -> tuple[Any, list[str]]:
    """A copy of a model with the weights of a GGUF file in its initializers, and the names of those that did not fit.

    Initializers of the main graph are matched by name and keep their type and dims, so the graph stays valid. Equal
    types are copied bit for bit; a quantised or other floating point tensor is converted to the initializer's floating
    point type, rounding to the nearest. Another shape, another kind of number and a quantisation that cannot be read
    do not fit. Names that one side lacks are ignored; external data that the file replaces need not exist.

    Args:
        model: a path, bytes or a ModelProto, as for `export_gguf`; never changed.
        path: the GGUF file; it need not hold a graph.
        base_dir: the folder of external data of a model that is not given as a path.

    Raises:
        ArchiveError: the file is no GGUF file, or damaged.
        ModelError: the model is damaged, or external data of other tensors is missing.
    """
    archive = Archive(path, GGUF)
    source = open_source(model, base_dir)
    skipped = []
    for proto in source.proto.graph.initializer:
        entry = archive.entries.get(proto.name)
        if entry is None or entry.name == GRAPH_NAME:
            continue
        tensor = _fitting(archive, entry, proto.data_type, tuple(proto.dims))
        if tensor is None:
            skipped.append(proto.name)
        else:
            fill(proto, tensor)
    for _, proto in tensors(source.proto):
        if proto.data_location == EXTERNAL:
            fill(proto, source.resolve(proto))
    return source.proto, skipped


def _fitting(archive: Archive, entry: Entry, dtype: int, dims: tuple[int, ...]) -> Tensor | None:
    """The entry's numbers as a tensor of a type and dims, None if they are of another kind or shape."""
    if dtype not in GGUF.kinds:
        return None
    kind, shape = GGUF.stored(dtype, dims)
    if _significant(entry.shape) != _significant(shape):
        return None
    if entry.kind == kind:
        return SpanTensor(dtype, dims, archive.file, entry.offset)
    if dtype not in _FLOATS:
        return None
    if entry.kind in _FLOAT_KINDS:
        array = SpanTensor(_FLOAT_KINDS[entry.kind], dims, archive.file, entry.offset).numpy()
    elif entry.kind in DEQUANTIZED:
        array = dequantize(entry.kind, archive.file.view(entry.offset, entry.nbytes)).reshape(dims)
    else:
        return None
    import numpy as np

    with np.errstate(over="ignore"):
        return ArrayTensor(array.astype(dtypes.numpy_dtype(dtype)), dtype)


def _significant(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Without leading axes of size one, which ggml drops."""
    start = 0
    while start < len(shape) and shape[start] == 1:
        start += 1
    return shape[start:]
