"""Read-only files that weights lie in, and the only way from a model's text to a path.

How bytes are read: `pread` into a buffer, so a file cut short by another process gives a `ModelError` instead of the
SIGBUS a mapping would. Only a view larger than `MAP_FROM` is a mapping: copying that much could exhaust memory, which
is worse and likelier than a file shrinking in the moment after its size was checked again. `mmap()` is there for
callers that want one anyway.

A file is opened once and stays open, so that replacing it by rename (output over input) leaves its bytes readable.
Models with one file per weight would run out of descriptors: beyond `KEEP_OPEN` open files, further ones are reopened
for each read and must then still be the same file. A model that nobody holds any more keeps its files open until its
cycles are found, so that is asked for first.
"""

from __future__ import annotations

import errno
import gc
import mmap as _mmap
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..errors import ModelError

MAP_FROM = 256 << 20
KEEP_OPEN = 256
_MAX_READ = 1 << 30
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
_pread = getattr(os, "pread", None)
_preadv = getattr(os, "preadv", None)
_open_files = 0
_opened = 0
"""Files opened since garbage was last looked for."""


class File:
    """A regular file opened for reading: its size and identity are those at opening time.

    Raises:
        ModelError: the path is missing, unreadable or not a regular file.
    """

    __slots__ = ("path", "size", "identity", "_stamp", "_sparse", "_fd", "_kept", "_lock", "_map", "__weakref__")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        global _open_files, _opened
        self._fd = -1
        self._kept = False
        self.path: str = os.fspath(path)
        self._lock = threading.Lock()
        self._map: _mmap.mmap | None = None
        fd = self._open()
        try:
            info = os.fstat(fd)
            if not stat.S_ISREG(info.st_mode):
                raise ModelError("not a regular file", code="file", where=self.path)
        except BaseException:
            os.close(fd)
            raise
        self.size: int = info.st_size
        self.identity: tuple[int, int] = (info.st_dev, info.st_ino)
        self._stamp = (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)
        self._sparse = getattr(info, "st_blocks", 1 << 62) * 512 < info.st_size
        _opened += 1
        if _open_files >= KEEP_OPEN and _opened > KEEP_OPEN:
            _opened = 0
            gc.collect()
        if _open_files < KEEP_OPEN:
            self._fd = fd
            self._kept = True
            _open_files += 1
        else:
            os.close(fd)

    def _open(self) -> int:
        try:
            # A directory or a FIFO would open (or block) before fstat could tell.
            if not stat.S_ISREG(os.stat(self.path).st_mode):
                kind = "a directory, not a file" if os.path.isdir(self.path) else "not a regular file"
                raise ModelError(kind, code="file", where=self.path)
            return os.open(self.path, _FLAGS)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise ModelError(f"cannot be opened: {reason}", code="file", where=self.path) from error

    def __repr__(self) -> str:
        return f"File({self.path!r}, {self.size} bytes)"

    @property
    def sparse(self) -> bool:
        """True when the file takes less room on disk than its size, so it may have holes."""
        return self._sparse

    @contextmanager
    def descriptor(self) -> Iterator[int]:
        """An open descriptor for the time of a `with`; its position belongs to nobody."""
        if self._fd >= 0:
            yield self._fd
            return
        fd = self._open()
        try:
            if _stamp(fd) != self._stamp:
                raise self._changed()
            yield fd
        finally:
            os.close(fd)

    def check_unchanged(self) -> None:
        """Raise ModelError when size or modification time differ from those at opening time."""
        with self.descriptor() as fd:
            if _stamp(fd) != self._stamp:
                raise self._changed()

    def _changed(self) -> ModelError:
        return ModelError("changed while it was being read", code="file", where=self.path)

    def check_range(self, offset: int, length: int) -> None:
        """Raise ModelError unless [offset, offset + length) lies in the file."""
        if offset < 0 or length < 0 or offset + length > self.size:
            raise ModelError(
                f"{length} bytes are wanted of a file of {self.size}", code="range", where=self.path, offset=offset
            )

    def pread(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from `offset` on.

        Raises:
            ModelError: the range is not in the file, or the file is shorter than it was.
        """
        self.check_range(offset, length)
        if self._fd >= 0 and _pread is not None:
            try:
                data: bytes = _pread(self._fd, length, offset)
            except OSError as error:
                raise self._failed(error, offset) from error
            if len(data) == length:
                return data
        buffer = bytearray(length)
        self.read_into(offset, memoryview(buffer))
        return bytes(buffer)

    def read_into(self, offset: int, buffer: memoryview) -> None:
        """Fill a writable byte buffer from `offset` on; raises like `pread`."""
        length = len(buffer)
        self.check_range(offset, length)
        done = 0
        with self.descriptor() as fd:
            while done < length:
                try:
                    count = self._read_some(fd, offset + done, buffer[done : done + _MAX_READ])
                except OSError as error:
                    raise self._failed(error, offset + done) from error
                if count <= 0:
                    raise ModelError(
                        "the file became shorter while it was being read",
                        code="file",
                        where=self.path,
                        offset=offset + done,
                    )
                done += count

    def _read_some(self, fd: int, offset: int, buffer: memoryview) -> int:
        if _preadv is not None:
            return _preadv(fd, [buffer], offset)  # type: ignore[no-any-return]
        if _pread is not None:
            data = _pread(fd, len(buffer), offset)
        else:
            with self._lock:
                os.lseek(fd, offset, os.SEEK_SET)
                data = os.read(fd, len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def _failed(self, error: OSError, offset: int) -> ModelError:
        return ModelError(f"cannot be read: {error.strerror or error}", code="file", where=self.path, offset=offset)

    def view(self, offset: int, length: int) -> memoryview:
        """Read-only bytes of the file: a private copy up to `MAP_FROM` bytes, beyond that a slice of a mapping."""
        self.check_range(offset, length)
        if length > MAP_FROM:
            self.check_unchanged()
            return memoryview(self.mmap())[offset : offset + length]
        # numpy's empty, unlike bytearray, neither clears the memory first nor breaks alignment.
        array: Any = np.empty(length, np.uint8)
        buffer = memoryview(array)
        self.read_into(offset, buffer)
        return buffer.toreadonly()

    def data_extents(self, offset: int, length: int) -> Iterator[tuple[int, int]]:
        """(start, end) of the parts of a range that may hold other bytes than zero, in order; the rest are holes."""
        end = offset + length
        whole = not self._sparse or not hasattr(os, "SEEK_DATA")
        with self.descriptor() as fd:
            while offset < end:
                try:
                    start = offset if whole else os.lseek(fd, offset, os.SEEK_DATA)
                    stop = end if whole else os.lseek(fd, start, os.SEEK_HOLE)
                except OSError as error:
                    if error.errno == errno.ENXIO:
                        return
                    start, stop = offset, end
                if start >= end:
                    return
                yield start, min(stop, end)
                offset = stop

    def mmap(self) -> _mmap.mmap:
        """The whole file mapped, made on first use. Reading it after another process cut the file kills this one."""
        with self._lock:
            if self._map is None:
                with self.descriptor() as fd:
                    try:
                        self._map = _mmap.mmap(fd, self.size, access=_mmap.ACCESS_READ)
                    except (OSError, ValueError) as error:
                        raise ModelError(f"cannot be mapped: {error}", code="file", where=self.path) from error
            return self._map

    def close(self) -> None:
        """Give the descriptor back, as dropping the object does; views stay usable, further reads reopen the path."""
        global _open_files
        fd, self._fd = self._fd, -1
        self._map = None
        if self._kept:
            self._kept = False
            _open_files -= 1
            os.close(fd)

    def __del__(self) -> None:
        if getattr(self, "_kept", False):
            self.close()


def _stamp(fd: int) -> tuple[int, int, int, int]:
    info = os.fstat(fd)
    return (info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns)


def resolve_external(
    base_dir: str | os.PathLike[str],
    location: str,
    *,
    tensor: str | None = None,
    also: Iterable[str | os.PathLike[str]] = (),
) -> str:
    """The real path of an external data file named by a model, which must lie inside the model's folder.

    Args:
        base_dir: folder the model was read from.
        location: text from the model; never trusted.
        tensor: name of the tensor, for the message.
        also: further folders symbolic links may lead to; a download cache that keeps model and data as links into
            one store passes the folder the model's own link leads to.

    Raises:
        ModelError: the location is empty, absolute, climbs out with `..`, leaves the folder through a symbolic link,
            is missing, or is not a regular file.
    """
    shown = f"external data {location!r}" + (f" of tensor {tensor!r}" if tensor else "")
    if not location or "\0" in location:
        raise ModelError(f"{shown} is not a file name", code="external-path")
    text = location.replace("\\", "/") if os.name == "nt" else location
    if text.startswith("/") or os.path.isabs(text) or os.path.splitdrive(text)[0]:
        raise ModelError(f"{shown} is an absolute path", code="external-path")
    parts = os.path.normpath(text).replace(os.sep, "/").split("/")
    if parts == ["."]:
        raise ModelError(f"{shown} is the model's folder itself", code="external-path")
    if parts[0] == "..":
        raise ModelError(f"{shown} leaves the model's folder", code="external-path")
    base = os.path.realpath(base_dir)
    try:
        path = os.path.realpath(os.path.join(base, text))
        if not any(_inside(path, folder) for folder in (base, *map(os.path.realpath, also))):
            raise ModelError(f"{shown} leaves the model's folder through a symbolic link", code="external-path")
        info = os.stat(path)
    except FileNotFoundError:
        raise ModelError(
            f"{shown} does not exist", code="external-missing", where=str(base), hint="it belongs beside the model"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ModelError(f"{shown} cannot be used: {reason}", code="external-path", where=str(base)) from error
    if not stat.S_ISREG(info.st_mode):
        raise ModelError(f"{shown} is not a regular file", code="external-path")
    return path


def _inside(path: str, folder: str) -> bool:
    prefix = folder if folder.endswith(os.sep) else folder + os.sep
    return path.startswith(prefix)
