"""Opening archives: the graph with its tensors as places in the file, checked before anything is believed."""

from __future__ import annotations

import os
from typing import Any

from onnxsim_core import ModelError
from onnxsim_core.ir.files import File
from onnxsim_core.ir.graph import Model
from onnxsim_core.ir.inline import inline_tensor
from onnxsim_core.ir.read import Reader, parse_proto
from onnxsim_core.ir.rope import DataFile, Progress, Rope, write_atomic, write_external
from onnxsim_core.ir.tensors import ProtoTensor, Tensor
from onnxsim_core.ir.wire import INLINE
from onnxsim_core.options import EXTERNAL_DATA_THRESHOLD, parse_size

from . import layout_gguf, layout_safetensors
from .formats import GGUF, GRAPH_NAME, SAFETENSORS, Entry, Format
from .protos import EXTERNAL, fill, point_to, rope_of, tensors
from .safety import GRAPH_LIMIT, ArchiveError, shown

_INSIDE_BELOW = 1024
"""Tensors of fewer bytes stand in the model itself: sizes and axes must be seen by whoever infers shapes."""
_READ_BELOW = 4096


class Archive:
    """An open archive: its entries by name, the container's metadata, and the model.

    `simplify` of onnxsim-core takes it as a model; weights are then read from the archive, those that are needed. The
    file stays open, so replacing it does no harm.
    """

    def __init__(self, path: str | os.PathLike[str], format: Format | None = None) -> None:
        self.file = File(path)
        self.path: str = self.file.path
        self.format = format_within(self.file)
        if format is not None and self.format is not format:
            raise ArchiveError(f"a {self.format.name} file, not a {format.name} file", code="archive-format",
                               where=self.path, hint=f"import_{self.format.name} reads it")
        parse = layout_gguf.parse if self.format is GGUF else layout_safetensors.parse
        self.entries, self.metadata = parse(self.file)
        self._kinds: dict[tuple[int, int], set[str]] = {}
        """What lies where; several empty entries may lie at the same place."""
        for name, entry in self.entries.items():
            if name != GRAPH_NAME:
                self._kinds.setdefault((entry.offset, entry.nbytes), set()).add(entry.kind)

    def __repr__(self) -> str:
        return f"Archive({self.path!r}, {len(self.entries)} entries)"

    def graph(self) -> Any:
        """The embedded ModelProto, a new one each time, whose tensors lie in the archive.

        Raises:
            ArchiveError: there is none, it is damaged, or a tensor of it does not lie where an entry does.
        """
        proto = self._parsed(self.graph_entry())
        if not proto.HasField("graph"):
            raise self._broken("the embedded graph is empty")
        for _, tensor in tensors(proto):
            if tensor.data_location == EXTERNAL:
                self._relocate(tensor)
        return proto

    def graph_entry(self) -> Entry:
        """The entry that holds the graph.

        Raises:
            ArchiveError: this is an archive of weights alone.
        """
        entry = self.entries.get(GRAPH_NAME)
        if entry is None:
            raise ArchiveError("holds weights only: no graph is embedded in it", code="archive-no-graph",
                               where=self.path, hint="only an archive that onnxsim exported holds a model")
        if entry.kind not in ("I8", "U8") or not 0 < entry.nbytes <= GRAPH_LIMIT:
            raise self._broken(f"entry {GRAPH_NAME!r}, {entry.kind}{list(entry.shape)}, is no graph")
        return entry

    def _parsed(self, entry: Entry) -> Any:
        try:
            return parse_proto(self.file.pread(entry.offset, entry.nbytes))
        except ModelError as error:
            raise self._broken(f"the embedded graph is damaged: {error.message}", error.offset) from error

    def _relocate(self, tensor: Any) -> None:
        """Whatever file a tensor names, it is this one (which may have been renamed) or the archive is refused."""
        fields = {entry.key: entry.value for entry in tensor.external_data}
        try:
            offset, length = int(fields["offset"]), int(fields["length"])
        except (KeyError, ValueError):
            raise self._broken(f"tensor {shown(tensor.name)} has no offset and length") from None
        kinds = self._kinds.get((offset, length))
        if kinds is None:
            raise self._broken(f"tensor {shown(tensor.name)} lies where no entry does", offset)
        kind, _ = self.format.stored(tensor.data_type, tuple(tensor.dims))
        if kinds.isdisjoint((kind, "I8", "U8")):
            raise self._broken(f"tensor {shown(tensor.name)} should be {kind}, its entry is {min(kinds)}", offset)
        del tensor.external_data[:]
        for key, text in (("location", INLINE), ("offset", str(offset)), ("length", str(length))):
            tensor.external_data.add(key=key, value=text)
        try:
            self.tensor(tensor)
        except ModelError as error:
            raise self._broken(f"tensor {shown(tensor.name)}: {error.message}", offset) from error

    def tensor(self, proto: Any) -> Tensor:
        """The tensor of a TensorProto of `graph()`; it reads from the archive."""
        return inline_tensor(proto, self.file) or ProtoTensor(proto)

    def read_model(self) -> Model:
        """The model for the core, which calls this."""
        proto = self.graph()
        for _, tensor in tensors(proto):
            found = inline_tensor(tensor, self.file)
            if found is not None and found.nbytes < _READ_BELOW:
                fill(tensor, found)
        model = Reader(proto, file=self.file).read()
        model.files.append(self.file)
        return model

    def _broken(self, what: str, offset: int | None = None) -> ArchiveError:
        return ArchiveError(what, code="archive-graph", where=self.path, offset=offset)


def format_within(file: File) -> Format:
    """The container that a file is, by its first bytes."""
    return GGUF if file.size >= 4 and file.pread(0, 4) == layout_gguf.MAGIC else SAFETENSORS


def open_archive(path: str | os.PathLike[str]) -> Archive:
    """Open an archive that holds a model; no weight is read.

    Raises:
        ArchiveError: the file is damaged, or holds no graph.
        ModelError: the file cannot be opened.
    """
    archive = Archive(path)
    archive.graph_entry()
    return archive


def import_safetensors(path: str | os.PathLike[str], *, refer: bool = False) -> Any:
    """The model of a safetensors archive as a ModelProto.

    With `refer`, weights stay in the archive and the model refers to them as external data; it has to be saved beside
    the archive. `unpack_archive` makes a file of an archive without reading the weights.

    Raises:
        ArchiveError: the file is damaged, or holds no graph.
        ModelError: the file cannot be opened.
    """
    return _imported(Archive(path, SAFETENSORS), refer)


def import_gguf(path: str | os.PathLike[str], *, refer: bool = False) -> Any:
    """The model of a GGUF archive as a ModelProto; as `import_safetensors` otherwise."""
    return _imported(Archive(path, GGUF), refer)


def _imported(archive: Archive, keep: bool) -> Any:
    proto = archive.graph()
    place(proto, archive, os.path.basename(archive.path) if keep else None)
    return proto


def place(proto: Any, archive: Archive, location: str | None) -> None:
    """Fill in every tensor, or only the small ones and let the others refer to the archive at a location."""
    for _, tensor in tensors(proto):
        found = inline_tensor(tensor, archive.file)
        if found is None:
            continue
        if location is None or found.nbytes < _INSIDE_BELOW:
            fill(tensor, found)
        else:
            file_span = found.span()
            assert file_span is not None
            point_to(tensor, location, file_span[1], file_span[2])


def unpack_archive(path: str | os.PathLike[str], output_path: str | os.PathLike[str], *, refer: bool = False,
                   external_data_threshold: int | str | None = None, progress: Progress | None = None) -> None:
    """Write the model of an archive to an .onnx file; weights are copied from file to file and never held in memory.

    Args:
        refer: copy nothing; the model refers to the archive, which has to lie in its folder or below.
        external_data_threshold: from how many bytes on weights go to `<output_path>.data`; 1900 MB if not given.
        progress: called with the bytes written so far and in all.

    Raises:
        ArchiveError: the archive is damaged or holds no graph, or `refer` is asked for and it lies elsewhere.
        ModelError: the archive cannot be opened, or the model cannot be written.
    """
    archive = open_archive(path)
    output = os.fspath(output_path)
    proto = archive.graph()
    if refer:
        place(proto, archive, _location_from(output, archive.path))
        rope = Rope()
        rope.append(proto.SerializeToString())
        write_atomic(output, rope)
        return
    threshold = EXTERNAL_DATA_THRESHOLD if external_data_threshold is None else parse_size(external_data_threshold)
    sizes = [found.nbytes for _, one in tensors(proto) if (found := inline_tensor(one, archive.file)) is not None]
    if sum(sizes) <= threshold and sum(sizes) + proto.ByteSize() < GRAPH_LIMIT:
        write_atomic(output, rope_of(proto, lambda tensor: inline_tensor(tensor, archive.file)), progress=progress)
        return
    name = os.path.basename(output) + ".data"
    data = DataFile(name)
    for _, tensor in tensors(proto):
        found = inline_tensor(tensor, archive.file)
        if found is not None and found.nbytes < _INSIDE_BELOW:
            fill(tensor, found)
        elif found is not None:
            point_to(tensor, name, *data.add(found))
    rope = Rope()
    rope.append(proto.SerializeToString())
    write_external(output, rope, os.path.join(os.path.dirname(output), name), data, progress=progress)


def _location_from(output: str, path: str) -> str:
    """Where the archive lies, seen from the model's folder."""
    folder = os.path.realpath(os.path.dirname(output) or ".")
    try:
        location = os.path.relpath(os.path.realpath(path), folder)
    except ValueError:
        location = os.pardir
    if location.split(os.sep)[0] == os.pardir:
        raise ArchiveError("a model can refer to files in its own folder and below only", code="archive-refer",
                           where=path, hint=f"write the model beside the archive, not to {output}")
    return location.replace(os.sep, "/")


def read_gguf_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Key-values and tensors of any GGUF file: `{"kv": {...}, "tensors": [{"name", "shape", "ggml_type"}, ...]}`.

    Shapes are in C order, the reverse of how the file writes them; `ggml_type` is ggml's number.

    Raises:
        ArchiveError: the file is no GGUF file, or damaged.
    """
    archive = Archive(path, GGUF)
    listed = sorted(archive.entries.values(), key=lambda entry: entry.name)
    return {
        "kv": archive.metadata,
        "tensors": [{"name": entry.name, "shape": list(entry.shape), "ggml_type": layout_gguf.KINDS[entry.kind].number}
                    for entry in listed],
    }
