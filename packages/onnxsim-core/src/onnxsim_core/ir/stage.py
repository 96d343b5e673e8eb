"""A model written in full beside its target, to be tried out before it takes the target's place."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import tempfile
from types import TracebackType

from ..errors import ModelError
from .graph import Model
from .replace import Replacement
from .save import save_model
from .spool import Progress


class StagedModel:
    """Use as a context manager: `path` is the finished model of `nbytes` bytes; `commit` puts it in place, leaving
    without that drops it.

    The folder it waits in lies on the target's file system, so nothing is copied a second time.

    Raises:
        ModelError: the target cannot be written.
    """

    def __init__(self, model: Model, target: str, *, external_threshold: int, progress: Progress | None = None) -> None:
        self.target = target
        name = os.path.basename(target)
        with Replacement(target):
            pass  # a target that cannot be written is known before the work, not after it
        special = os.path.exists(target) and not os.path.isfile(target)
        beside = tempfile.gettempdir() if special else os.path.dirname(os.path.realpath(target))
        # Named before it is made: whatever interrupts this, the folder is known to be removed.
        self._folder = os.path.join(beside, f".onnxsim-{secrets.token_hex(8)}")
        self.path = os.path.join(self._folder, name)
        try:
            self._make_folder()
            self.nbytes = save_model(model, self.path, external_threshold=external_threshold, progress=progress)
        except ModelError as error:
            self.drop()
            if error.where is not None and error.where.startswith(self._folder):
                error.where = target
            raise
        except BaseException:
            self.drop()
            raise

    def _make_folder(self) -> None:
        try:
            os.mkdir(self._folder, 0o700)
        except OSError as error:
            raise ModelError(f"cannot be written: {error.strerror}", code="output", where=self.target) from error

    def __enter__(self) -> StagedModel:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.drop()

    def drop(self) -> None:
        """Remove what was not put in place."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def commit(self) -> None:
        """Put the model, and its data file first, in place of what was there; either both or none."""
        data = self.path + ".data"
        if not os.path.exists(data):
            with Replacement(self.target) as target:
                target.adopt(self.path)
                target.commit()
            return
        beside = os.path.join(os.path.dirname(self.target), os.path.basename(data))
        if os.path.isdir(beside):
            raise ModelError(f"cannot be written: {os.strerror(errno.EISDIR)}", code="output", where=beside)
        with Replacement(beside) as data_target, Replacement(self.target) as target:
            data_target.adopt(data)
            target.adopt(self.path)
            data_target.commit(keep_old=True)
            target.commit()
            data_target.keep()
