"""Parts of a rope into an open file: through one buffer, or within the kernel where file systems may share blocks.

The buffer is written when it is full and ends on a block of the file, which is quicker than the kernel's own copy of
ranges that lie elsewhere in a block at the source than at the target.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ..errors import ModelError
from .files import File
from .tensors import Tensor

Progress = Callable[[int, int], None]
"""Called with the bytes written so far and in all."""

_BUFFER = 256 << 10
_BLOCK = 4096
_STEP = 64 << 20
_SHARED_FROM = 64 << 10
_HOLES_FROM = 1 << 20
_SMALL_GAP = 4096
_LARGEST = (1 << 63) - 1
_TARGET_FAILED = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


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

    __slots__ = ("_fd", "_holes", "_total", "_progress", "_done", "_buffer", "_held", "_most", "_shares")

    def __init__(self, fd: int, holes: bool, total: int, progress: Progress | None) -> None:
        self._fd = fd
        self._holes = holes
        self._total = total
        self._progress = progress
        self._done = 0
        self._buffer = memoryview(bytearray(_BUFFER))
        self._held = 0
        self._most = _BUFFER
        self._shares = hasattr(os, "copy_file_range")

    def write(self, parts: Iterable[Part]) -> None:
        """Write everything.

        Raises:
            ModelError: a source cannot be read, or changed since it was opened.
            OSError: the target cannot be written.
        """
        sources: dict[int, File] = {}
        if self._holes and self._total:
            # A file of its final size takes data faster than one that grows.
            os.ftruncate(self._fd, min(self._total, _LARGEST))
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
        end = self._held + len(data)
        if end < self._most:
            self._buffer[self._held:end] = data
            self._held = end
            return
        view = memoryview(data)
        while view:
            room = self._most - self._held
            if not self._held and len(view) >= room:
                room += (len(view) - room) // _BUFFER * _BUFFER
                self._write(view[:room])
            else:
                count = min(room, len(view))
                self._buffer[self._held:self._held + count] = view[:count]
                self._filled(count)
            view = view[room:]

    def _filled(self, count: int) -> None:
        """So many more bytes are in the buffer."""
        self._held += count
        if self._held == self._most:
            self._flush()

    def _flush(self) -> None:
        held, self._held = self._held, 0
        if held:
            self._write(self._buffer[:held])

    def _write(self, view: memoryview) -> None:
        while view:
            count = os.write(self._fd, view[:_STEP])
            view = view[count:]
            self._advance(count)

    def _advance(self, count: int) -> None:
        self._done += count
        self._most = _BUFFER - self._done % _BLOCK
        if self._progress is not None:
            self._progress(self._done, self._total)

    def _gap(self, length: int) -> None:
        if self._holes and length >= _SMALL_GAP:
            self._flush()
            os.lseek(self._fd, length, os.SEEK_CUR)
            self._advance(length)
            return
        for start in range(0, length, _BUFFER):
            self._put(bytes(min(_BUFFER, length - start)))

    def _span(self, file: File, offset: int, length: int) -> None:
        if not (self._holes and file.sparse and length >= _HOLES_FROM):
            self._copy(file, offset, length)
            return
        at = offset
        for start, stop in file.data_extents(offset, length):
            self._gap(start - at)
            self._copy(file, start, stop - start)
            at = stop
        self._gap(offset + length - at)

    def _copy(self, file: File, offset: int, length: int) -> None:
        if self._shares and length >= _SHARED_FROM and not (offset % _BLOCK or (self._done + self._held) % _BLOCK):
            self._flush()
            offset, length = self._share(file, offset, length)
        while length:
            held = self._held
            count = min(length, self._most - held)
            file.read_into(offset, self._buffer[held:held + count])
            self._filled(count)
            offset += count
            length -= count

    def _share(self, file: File, offset: int, length: int) -> tuple[int, int]:
        """Copy within the kernel; once that did not work it is not tried again. Gives what is left."""
        while length and self._shares:
            try:
                with file.descriptor() as source:
                    count = os.copy_file_range(source, self._fd, min(length, _STEP), offset)
            except OSError as error:
                if error.errno in _TARGET_FAILED:
                    raise
                count = 0
            self._shares = count > 0
            offset += count
            length -= count
            self._advance(count)
        return offset, length
