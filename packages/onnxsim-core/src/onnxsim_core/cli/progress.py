"""One line on the terminal that says what is being done while it takes long; nothing where nobody looks."""

from __future__ import annotations

import sys
import threading
import time
from typing import TextIO

from ..passes.phases import Phases
from ..report.plain import plain
from ..report.quantity import bytes_text

_SHOWN_AFTER_S = 0.4
_EVERY_S = 0.1
_WIDTH = 120
_CLEAR = "\r\x1b[K"


class Progress(Phases):
    """Follows a run and redraws its line from a thread of its own, if it is `drawn`. Use as a context manager."""

    def __init__(self, label: str, stream: TextIO | None = None, *, drawn: bool = True) -> None:
        self.label = plain(label)
        self.drawn = drawn
        self.stream = sys.stderr if stream is None else stream
        self.stage, self.done, self.total = "", 0, 0
        self._since = time.monotonic()
        self._over = threading.Event()
        self._drawn = False
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Progress:
        if self.drawn and self.stream.isatty():
            self._thread = threading.Thread(target=self._draw_until_over, name="onnxsim-progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        if self._drawn:
            self.stream.write(_CLEAR)
            self.stream.flush()

    def step(self, stage: str, done: int, total: int) -> None:
        self.stage, self.done, self.total = stage, done, total

    def text(self) -> str:
        """What the line says now."""
        elapsed = f"{time.monotonic() - self._since:.0f} s"
        if self.stage == "simplifying":
            what = f"simplifying, round {self.done}"
        elif self.stage == "checking" and self.total:
            what = f"checking {self.done}/{self.total}"
        elif self.stage == "writing" and self.total:
            what = f"writing {bytes_text(self.done)} of {bytes_text(self.total)}"
        else:
            what = self.stage or "starting"
        return f"{self.label}: {what} ({elapsed})"

    def _draw_until_over(self) -> None:
        if self._over.wait(_SHOWN_AFTER_S):
            return
        shown = ""
        while not self._over.wait(_EVERY_S):
            text = self.text()[:_WIDTH]
            if text != shown:
                self.stream.write(_CLEAR + text)
                self.stream.flush()
                shown, self._drawn = text, True
