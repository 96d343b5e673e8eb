"""Parts of a rope into an open file: inside the kernel where it can be, in batches and chunks elsewhere."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..errors import ModelError
from .files import File
from .tensors import Tensor

Progress = Callable[[int, int], None]
"""Called with the bytes written so far and in all."""

_BATCH = 1 << 20
_STEP = 64 << 20
_KERNEL_FROM = 64 << 10
_HOLES_FROM = 1 << 20
_SMALL_GAP = 4096
_TARGET_FAILED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_KERNEL_COPY = tuple(
    name
    for name in ("copy_file_range", "sendfile")
    if hasattr(os, name) and (name != "sendfile" or sys.platform == "linux")
)


@dataclass(frozen=True, slots=True)
class Gap:
    """So many zero bytes; in a file that allows it, a hole."""

    nbytes: int


Part = bytes | Tensor | Gap
Span = tuple[File, int, int]


def checked_chunks(tensor: Tensor) -> Iterator[bytes | memoryview]:
    """Chunks of a tensor; ModelError when they are not as many bytes as announced, since lengths are written first."""
    left = tensor.nbytes
    for chunk in tensor.chunks():
        left -= len(chunk)
        if left < 0:
            break
        yield chunk
    if left:
        raise ModelError(f"{tensor!r} gave another number of bytes than it takes", code="tensor")


def joined(parts: Iterable[Part]) -> Iterator[Part | Span]:
    """The parts with tensors that lie in files as spans, neighbours in the same file as one."""
    run: Span | None = None
    for part in parts:
        span = part.span() if isinstance(part, Tensor) else None
        if run is not None:
            if span is not None and run[0] is span[0] and run[1] + run[2] == span[1]:
                run = (run[0], run[1], run[2] + span[2])
                continue
            yield run
        run = span
        if span is None:
            yield part
    if run is not None:
        yield run


class Spooler:
    """Writes at the position of a descriptor, first at the start. `holes` tells a file from a pipe or device."""

    __slots__ = ("_fd", "_holes", "_total", "_progress", "_done", "_batch", "_held", "_kernel")

    def __init__(self, fd: int, holes: bool, total: int, progress: Progress | None) -> None:
        self._fd = fd
        self._holes = holes
        self._total = total
        self._progress = progress
        self._done = 0
        self._batch: list[bytes | memoryview] = []
        self._held = 0
        self._kernel = list(_KERNEL_COPY)

    def write(self, parts: Iterable[Part]) -> None:
        """Write everything.

        Raises:
            ModelError: a source cannot be read, or changed since it was opened.
            OSError: the target cannot be written.
        """
        sources: dict[int, File] = {}
        for part in joined(parts):
            if isinstance(part, tuple):
                sources[id(part[0])] = part[0]
                self._span(*part)
            elif isinstance(part, bytes):
                self._put(part)
            elif isinstance(part, Gap):
                self._gap(part.nbytes)
            else:
                for chunk in checked_chunks(part):
                    self._put(chunk)
        self._flush()
        if self._holes:
            os.ftruncate(self._fd, self._done)
        for file in sources.values():
            file.check_unchanged()

    def _put(self, data: bytes | memoryview) -> None:
        self._batch.append(data)
        self._held += len(data)
        if self._held >= _BATCH:
            self._flush()

    def _flush(self) -> None:
        batch = self._batch
        if not batch:
            return
        view = memoryview(batch[0] if len(batch) == 1 else b"".join(batch))
        batch.clear()
        self._held = 0
        while view:
            count = os.write(self._fd, view[:_STEP])
            view = view[count:]
            self._advance(count)

    def _advance(self, count: int) -> None:
        self._done += count
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _gap(self, length: int) -> None:
        if self._holes and length >= _SMALL_GAP:
            self._flush()
            os.lseek(self._fd, length, os.SEEK_CUR)
            self._advance(length)
            return
        for start in range(0, length, _BATCH):
            self._put(bytes(min(_BATCH, length - start)))

    def _span(self, file: File, offset: int, length: int) -> None:
        if length < _KERNEL_FROM:
            self._put(file.pread(offset, length))
            return
        if not (self._holes and file.sparse and length >= _HOLES_FROM):
            self._flush()
            self._copy(file, offset, length)
            return
        at = offset
        for start, stop in file.data_extents(offset, length):
            self._gap(start - at)
            self._flush()
            self._copy(file, start, stop - start)
            at = stop
        self._gap(offset + length - at)

    def _copy(self, file: File, offset: int, length: int) -> None:
        """Copy a range by the quickest way that works; a way that does not is not tried again."""
        while length and self._kernel:
            try:
                with file.descriptor() as source:
                    count = self._kernel_step(source, offset, min(length, _STEP))
            except OSError as error:
                if error.errno in _TARGET_FAILED:
                    raise
                count = 0
            if count == 0:
                del self._kernel[0]
            else:
                offset += count
                length -= count
                self._advance(count)
        while length:
            count = min(length, _BATCH)
            self._put(file.pread(offset, count))
            self._flush()
            offset += count
            length -= count

    def _kernel_step(self, source: int, offset: int, count: int) -> int:
        if self._kernel[0] == "copy_file_range":
            return os.copy_file_range(source, self._fd, count, offset)
        return os.sendfile(self._fd, source, offset, count)
