"""Being told to stop: what `timeout`, containers and a closed terminal send ends the command as Ctrl-C does.

By default these signals end a process on the spot, with what it was writing left beside the output.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_PATIENCE_S = 3.0
"""How long further signals are ignored: the clean-up is under way."""
_RETRY_S = 0.05


@contextmanager
def orderly_exit() -> Iterator[None]:
    """Inside, SIGTERM and SIGHUP raise SystemExit(128 + signal), and SIGINT KeyboardInterrupt, a few seconds apart.

    A handler that somebody set stays, and nothing happens in other threads than the main one, where Python has no
    handlers.
    """
    last = -_PATIENCE_S

    def leave(number: int, frame: FrameType | None) -> None:
        nonlocal last
        if time.monotonic() - last < _PATIENCE_S:
            return
        if _imports(frame):
            later = threading.Timer(_RETRY_S, _send, (number,))
            later.daemon = True
            later.start()
            return
        last = time.monotonic()
        raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    replaced: dict[int, Any] = {}
    try:
        if threading.current_thread() is threading.main_thread():
            for number in (getattr(signal, name) for name in _NAMES if hasattr(signal, name)):
                before = signal.getsignal(number)
                if before in (signal.SIG_DFL, signal.default_int_handler):
                    replaced[number] = before  # noted first: the signal may come before the next line
                    signal.signal(number, leave)
        yield
    finally:
        for number, before in replaced.items():
            signal.signal(number, before)


def _imports(frame: FrameType | None) -> bool:
    """Is a module being imported? One written in C turns whatever is raised then into an ImportError."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _send(number: int) -> None:
    """Send a signal to the main thread, so that it does not sleep on."""
    if sys.platform == "win32":
        signal.raise_signal(number)
    else:
        signal.pthread_kill(threading.main_thread().ident or 0, number)
