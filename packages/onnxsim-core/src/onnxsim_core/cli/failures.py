"""What ends a command: each error becomes one line on stderr and an exit code."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable

from ..errors import CheckError, OnnxsimError, OptionError
from .terminal import one_line

DONE, FAILED, USAGE, DIFFERS, INTERRUPTED, CLOSED = 0, 1, 2, 3, 130, 141


def guarded(work: Callable[[], int], *, verbose: bool = False) -> int:
    """Run `work` and give its exit code, or that of what it raised; a traceback is shown with `verbose` only."""
    try:
        code, text = attempt(work, verbose=verbose)
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up_stdout()
        return CLOSED
    if text:
        print(f"onnxsim: {text}", file=sys.stderr)
    return code


def attempt(work: Callable[[], int], *, verbose: bool = False) -> tuple[int, str]:
    """The exit code of `work`, and what to say about what it raised (nothing if it raised nothing)."""
    try:
        return work(), ""
    except SystemExit as leaving:
        return (leaving.code if isinstance(leaving.code, int) else FAILED if leaving.code else DONE), ""
    except KeyboardInterrupt:
        return INTERRUPTED, "interrupted"
    except BrokenPipeError:
        raise
    except Exception as error:  # noqa: BLE001  the command ends here, whatever came out of it
        if verbose:
            traceback.print_exc()
        return code_of(error), f"error: {message(error)}"


def code_of(error: BaseException) -> int:
    """The exit code for an error."""
    return USAGE if isinstance(error, OptionError) else DIFFERS if isinstance(error, CheckError) else FAILED


def message(error: BaseException) -> str:
    """An error in one line; what nobody raised on purpose is named, and -v recommended."""
    if isinstance(error, OnnxsimError):
        return one_line(str(error))
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or one_line(str(error))}"
    if isinstance(error, MemoryError):
        return "out of memory"
    text = one_line(str(error))
    return f"{type(error).__name__}{': ' + text if text else ''} (unexpected; -v shows where it happened)"


def _give_up_stdout() -> None:
    """The reader is gone: nothing more can be printed, not even by the interpreter when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):
        pass
