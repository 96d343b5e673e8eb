"""Profiling around a run: record, then print the table and write the trace."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ..errors import ModelError
from ..options import Environment
from ..passes.phases import Phases
from .recorder import Recorder
from .trace import summary, write_trace


@contextmanager
def profiling(wanted: Environment, then: Phases, say: Callable[[str], None] | None = None,
              warn: Callable[[str], None] | None = None) -> Iterator[Recorder]:
    """Give a listener that records, and passes on to `then`; afterwards say the table and write the trace.

    A trace that cannot be written is a warning: the model matters more.
    """
    recorder = Recorder(wanted, then)
    try:
        with recorder:
            yield recorder
        if wanted.profile is not None:
            (say or _print)(summary(recorder))
            try:
                write_trace(recorder, wanted.profile)
            except ModelError as error:
                (warn or _warn)(str(error))
    finally:
        recorder.close()


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")


def _warn(text: str) -> None:
    sys.stderr.write(f"onnxsim: warning: {text}\n")
