"""Exporting: every tensor gets an entry, the graph refers to them, and the file is put in place when it is whole."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from onnxsim_core.ir import dtypes
from onnxsim_core.ir.rope import Progress, Rope, write_atomic
from onnxsim_core.ir.tensors import Tensor

from . import layout_gguf, layout_safetensors
from .formats import GGUF, GRAPH_NAME, SAFETENSORS, Entry, Format
from .names import EntryNames
from .protos import point_to, tensors
from .safety import GRAPH_LIMIT, ArchiveError
from .sources import Source, open_source


def export_safetensors(model: Any, path: str | os.PathLike[str], *, base_dir: str | os.PathLike[str] | None = None,
                       progress: Progress | None = None) -> None:
    """Write a model, graph and weights, to one safetensors file.

    Args:
        model: a path (weights are then copied from file to file), bytes, a ModelProto, an `Archive`, or what `simplify`
            gives. It is never changed.
        path: the file to write; it takes the place of what is there when it is whole.
        base_dir: the folder of external data of a model that is not given as a path.
        progress: called with the bytes written so far and in all.

    Raises:
        ModelError: the model is damaged, its external data is missing, or the file cannot be written.
    """
    write_archive(open_source(model, base_dir), os.fspath(path), SAFETENSORS, progress)


def export_gguf(model: Any, path: str | os.PathLike[str], *, base_dir: str | os.PathLike[str] | None = None,
                progress: Progress | None = None) -> None:
    """Write a model, graph and weights, to one GGUF file; as `export_safetensors` otherwise."""
    write_archive(open_source(model, base_dir), os.fspath(path), GGUF, progress)


@dataclass(slots=True)
class _Plan:
    """What goes into an archive: payloads by entry, which message refers to which entry, and notes for readers."""

    format: Format
    names: EntryNames
    entries: list[Entry] = field(default_factory=list)
    payloads: dict[str, Tensor] = field(default_factory=dict)
    references: list[tuple[Any, str]] = field(default_factory=list)
    notes: dict[str, dict[str, Any]] = field(default_factory=dict)
    tied: dict[str, str] = field(default_factory=dict)
    _same: dict[object, str] = field(default_factory=dict)

    def add(self, key: str, proto: Any, tensor: Tensor) -> None:
        """Plan for one tensor; one whose bytes are another's refers to that one's entry."""
        dims = tuple(proto.dims)
        span = tensor.span()
        place = (span[0].identity, *span[1:]) if span is not None else id(tensor)
        identity = (place, proto.data_type, dims)
        name = self._same.get(identity) if tensor.nbytes else None
        if name is not None:
            self.tied[key] = name
        else:
            name = self._same[identity] = self.names.assign(key)
            kind, shape = self.format.stored(proto.data_type, dims)
            self.entries.append(Entry(name, kind, shape, tensor.nbytes))
            self.payloads[name] = tensor
            self._note(name, key, proto.data_type, dims, shape)
        self.references.append((proto, name))

    def _note(self, name: str, key: str, dtype: int, dims: tuple[int, ...], shape: tuple[int, ...]) -> None:
        note: dict[str, Any] = {}
        if name != key:
            note["key"] = key
        if dtype not in self.format.kinds:
            note["dtype"] = dtypes.name(dtype)
        if dims != shape:
            note["shape"] = list(dims)
        if note:
            self.notes[name] = note

    def noted(self) -> str:
        return json.dumps({"version": 1, "entries": self.notes, "tied": self.tied}, separators=(",", ":"))


def write_archive(source: Source, path: str, format: Format, progress: Progress | None = None) -> int:
    """Write a source, which is used up, as an archive; gives the bytes written.

    Raises:
        ModelError: as the exporting functions.
    """
    proto = source.proto
    plan = _Plan(format, EntryNames(format))
    for key, tensor in tensors(proto):
        plan.add(key, tensor, source.resolve(tensor))
    location = os.path.basename(path).encode("utf-8", "replace").decode()
    lengths = {entry.name: entry.nbytes for entry in plan.entries}
    for tensor, name in plan.references:
        point_to(tensor, location, 0, lengths[name])
    size = proto.ByteSize()
    if size > GRAPH_LIMIT:
        raise ArchiveError(f"the graph without its weights takes {size} bytes, more than protobuf can hold",
                           code="archive-graph")
    graph = Entry(GRAPH_NAME, "I8", (size,), size)
    lay = layout_gguf.layout if format is GGUF else layout_safetensors.layout
    head, placed, end = lay([*plan.entries, graph], plan.noted())
    offsets = {entry.name: entry.offset for entry in placed}
    for tensor, name in plan.references:
        tensor.external_data[1].value = f"{offsets[name]:020}"
    rope = Rope()
    rope.append(head)
    for entry in placed:
        rope.append_gap(entry.offset - rope.nbytes)
        if entry.name == GRAPH_NAME:
            rope.append(proto.SerializeToString())
        else:
            rope.append_tensor(plan.payloads[entry.name])
    rope.append_gap(end - rope.nbytes)
    write_atomic(path, rope, progress=progress)
    return rope.nbytes
