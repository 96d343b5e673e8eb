"""A serialized message as bytes and tensors not yet read, and its way to disk.

Spans of files are copied block by block or within the kernel (`copy_file_range`), holes stay holes, and a target file
is replaced only when its successor is complete, so writing over the input is safe and a full disk harms nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from ..errors import ModelError
from .replace import Replacement
from .spool import Gap, Part, Progress, checked_chunks
from .tensors import Tensor
from .wire import tag, varint

__all__ = ["DataFile", "Gap", "Progress", "Rope", "write_atomic", "write_external"]

_ALIGN_LARGE = 4096
_ALIGN_SMALL = 64
_LARGE = 1 << 20


class Rope:
    """Bytes and tensors in order, with their total length known and no tensor read."""

    __slots__ = ("parts", "nbytes")

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.nbytes = 0

    def append(self, data: bytes) -> None:
        if data:
            self.parts.append(data)
            self.nbytes += len(data)

    def append_tensor(self, tensor: Tensor) -> None:
        """Append the raw bytes of a tensor, to be read when the rope is written."""
        length = tensor.nbytes
        if length:
            self.parts.append(tensor)
            self.nbytes += length

    def append_gap(self, length: int) -> None:
        """Append zero bytes."""
        if length:
            self.parts.append(Gap(length))
            self.nbytes += length

    def extend(self, other: Rope) -> None:
        self.parts += other.parts
        self.nbytes += other.nbytes

    def message(self, field: int) -> Rope:
        """A new rope holding this one as a length-delimited field."""
        made = Rope()
        made.append(tag(field, 2) + varint(self.nbytes))
        made.extend(self)
        return made

    def chunks(self) -> Iterator[bytes | memoryview]:
        """The bytes in order."""
        for part in self.parts:
            if isinstance(part, bytes):
                yield part
            elif isinstance(part, Gap):
                for start in range(0, part.nbytes, _LARGE):
                    yield bytes(min(_LARGE, part.nbytes - start))
            else:
                yield from checked_chunks(part)

    def tobytes(self) -> bytes:
        """Everything in memory."""
        return b"".join(self.chunks())


class DataFile:
    """The layout of an external data file: where each tensor goes. A tensor given twice is stored once.

    Large tensors start on a page so that a runtime can map them; others on a cache line.
    """

    __slots__ = ("location", "rope", "_placed", "_held")

    def __init__(self, location: str) -> None:
        self.location = location
        self.rope = Rope()
        self._placed: dict[object, tuple[int, int]] = {}
        self._held: list[Tensor] = []

    @property
    def nbytes(self) -> int:
        return self.rope.nbytes

    def add(self, tensor: Tensor) -> tuple[int, int]:
        """Offset and length of the tensor's bytes in the file."""
        span = tensor.span()
        key: object = (span[0].identity, span[1], span[2]) if span is not None else id(tensor)
        found = self._placed.get(key)
        if found is None:
            length = tensor.nbytes
            align = _ALIGN_LARGE if length >= _LARGE else _ALIGN_SMALL
            self.rope.append_gap(-self.rope.nbytes % align)
            found = self._placed[key] = (self.rope.nbytes, length)
            self.rope.append_tensor(tensor)
            # An id stays that tensor's only while the tensor lives.
            self._held.append(tensor)
        return found


def write_atomic(
    path: str | os.PathLike[str], rope: Rope, *, progress: Progress | None = None, fsync: bool = False
) -> None:
    """Write a file so that `path` holds either what it held or all of the rope, never a part.

    A symbolic link is followed: the file it points to is replaced. `path` may be a file the rope reads from. A device
    or pipe is written to directly. `fsync` waits until the bytes are on the disk.

    Raises:
        ModelError: the folder is missing or closed to writing, the path is a folder, the disk is full, or a source of
            the rope cannot be read. What was at `path` is still there.
    """
    with Replacement(path) as target:
        target.write(rope.parts, rope.nbytes, progress)
        target.commit(fsync)


def write_external(
    model_path: str | os.PathLike[str],
    model: Rope,
    data_path: str | os.PathLike[str],
    data: DataFile,
    *,
    progress: Progress | None = None,
    fsync: bool = False,
) -> None:
    """Write a model and its external data file; both are complete before the first of them is put in place.

    The data file is replaced first. If replacing the model then fails, the former data file is put back.

    Raises:
        ModelError: as `write_atomic`; or both paths are the same file.
    """
    if os.path.realpath(model_path) == os.path.realpath(data_path):
        raise ModelError("a model and its data cannot be the same file", code="output", where=os.fspath(data_path))
    total = model.nbytes + data.nbytes
    with Replacement(data_path) as data_target, Replacement(model_path) as model_target:
        data_target.write(data.rope.parts, total, progress)
        shifted = None if progress is None else _shifted(progress, data.nbytes)
        model_target.write(model.parts, total, shifted)
        data_target.commit(fsync, keep_old=True)
        model_target.commit(fsync)
        data_target.keep()


def _shifted(progress: Progress, by: int) -> Progress:
    return lambda done, total: progress(done + by, total)
