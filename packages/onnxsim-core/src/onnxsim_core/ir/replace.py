"""One output file on its way: a temporary file beside the target, filled part by part, then renamed over it."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterable
from contextlib import suppress
from types import TracebackType

from ..errors import ModelError
from .spool import Part, Progress, Spooler

_REASONS = {
    errno.ENOENT: "the folder does not exist",
    errno.ENOTDIR: "a part of the path is not a folder",
    errno.EISDIR: "it is a folder",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.EROFS: "the file system is read-only",
    errno.ENOSPC: "the disk is full",
    errno.EDQUOT: "the disk quota is used up",
    errno.EFBIG: "the file is too large for the file system",
    errno.ENAMETOOLONG: "the name is too long",
}
_TEMPORARY = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


class Replacement:
    """Use as a context manager: `write`, then `commit`; left without commit, nothing has happened.

    Raises:
        ModelError: the target cannot be written.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.shown = os.fspath(path)
        self.target = ""
        self._temporary: str | None = None
        self._old: str | None = None
        self._replaced = False
        self._fd = -1
        self._holes = True
        try:
            self._create()
        except (OSError, ValueError) as error:
            raise self._failed(error) from error

    def _create(self) -> None:
        mode = None
        self.target = os.path.realpath(self.shown)
        try:
            info = os.stat(self.shown)
        except FileNotFoundError:
            pass
        else:
            if stat.S_ISDIR(info.st_mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            if not stat.S_ISREG(info.st_mode):
                # Renaming over /dev/null or a pipe would destroy it.
                self._holes = False
                self._fd = os.open(self.shown, os.O_WRONLY)
                return
            if not os.access(self.target, os.W_OK):
                raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
            mode = stat.S_IMODE(info.st_mode)
        self._temporary = self._beside()
        self._fd = os.open(self._temporary, _TEMPORARY, 0o666 if mode is None else mode & 0o600)
        if mode is not None and hasattr(os, "fchmod"):
            try:
                os.fchmod(self._fd, mode)
            except BaseException:
                self._discard()
                raise

    def _beside(self) -> str:
        return os.path.join(os.path.dirname(self.target), f".onnxsim-{secrets.token_hex(8)}.tmp")

    def _failed(self, error: OSError | ValueError) -> ModelError:
        number = getattr(error, "errno", None)
        reason = _REASONS.get(number or 0) or getattr(error, "strerror", None) or str(error)
        return ModelError(f"cannot be written: {reason}", code="output", where=self.shown)

    def __enter__(self) -> Replacement:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._discard()

    def _discard(self) -> None:
        """Undo whatever was not committed for good."""
        if self._fd >= 0:
            fd, self._fd = self._fd, -1
            os.close(fd)
        if self._temporary is not None:
            _remove(self._temporary)
            self._temporary = None
        if self._old is not None:
            with suppress(OSError):
                os.replace(self._old, self.target)
        elif self._replaced:
            _remove(self.target)
        self.keep()

    def write(self, parts: Iterable[Part], total: int, progress: Progress | None) -> None:
        """Write all parts from the start of the file on."""
        try:
            Spooler(self._fd, self._holes, total, progress).write(parts)
        except OSError as error:
            raise self._failed(error) from error

    def adopt(self, path: str) -> None:
        """Take a finished file of the same file system instead of writing one."""
        try:
            if self._temporary is None:
                with open(path, "rb") as source, os.fdopen(os.dup(self._fd), "wb") as device:
                    shutil.copyfileobj(source, device)
                return
            mode = stat.S_IMODE(os.stat(self.target).st_mode) if os.path.exists(self.target) else None
            os.replace(path, self._temporary)
            if mode is not None:
                os.chmod(self._temporary, mode)
        except OSError as error:
            raise self._failed(error) from error

    def commit(self, fsync: bool = False, *, keep_old: bool = False) -> None:
        """Put the file in place. With `keep_old`, leaving the context undoes that unless `keep` was called."""
        try:
            fd, self._fd = self._fd, -1
            try:
                if fsync and self._temporary is not None:
                    os.fsync(fd)
            finally:
                os.close(fd)
            if self._temporary is None:
                return
            if keep_old and os.path.lexists(self.target):
                old = self._beside()
                _second_name(self.target, old)
                self._old = old
            os.replace(self._temporary, self.target)
            self._temporary = None
            self._replaced = keep_old
            if fsync:
                _sync_folder(os.path.dirname(self.target))
        except OSError as error:
            raise self._failed(error) from error

    def keep(self) -> None:
        """Make a commit with `keep_old` final."""
        self._replaced = False
        if self._old is not None:
            _remove(self._old)
            self._old = None


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _second_name(path: str, other: str) -> None:
    """Give a file a second name, or where file systems know no such thing another one."""
    try:
        os.link(path, other)
    except OSError:
        os.rename(path, other)


def _sync_folder(path: str) -> None:
    if os.name == "nt":
        return
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
