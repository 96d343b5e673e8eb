"""What is printed, and where: results on stdout, warnings and errors on stderr, progress on a terminal only."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from ..report.plain import plain, plain_lines

if TYPE_CHECKING:
    from ..report.table import Table


class Terminal:
    """Prints for one command. With `as_json`, stdout holds one JSON document only; `label` opens every warning."""

    def __init__(self, *, quiet: bool = False, verbose: bool = False, as_json: bool = False, label: str = "") -> None:
        self.quiet = quiet
        self.verbose = verbose
        self.as_json = as_json
        self.label = f"{label}: " if label else ""

    @property
    def talks(self) -> bool:
        """Is there a person to tell the result to?"""
        return not self.quiet and not self.as_json

    def say(self, text: str) -> None:
        """A part of the result."""
        if self.talks:
            print(plain_lines(text))

    def detail(self, text: str) -> None:
        """Something only -v shows."""
        if self.verbose:
            print(plain_lines(text), file=sys.stderr)

    def warn(self, text: str) -> None:
        print(f"onnxsim: warning: {plain(self.label)}{one_line(text)}", file=sys.stderr)

    def fail(self, text: str) -> None:
        print(f"onnxsim: error: {one_line(text)}", file=sys.stderr)

    def table(self, table: Table) -> None:
        """A table as part of the result."""
        if self.talks:
            print(drawn(table))

    def json(self, data: Any) -> None:
        """The result, when it was asked for as JSON."""
        if self.as_json:
            json.dump(data, sys.stdout, indent=2, default=str)
            print()


def drawn(table: Table) -> str:
    """With rich on a terminal that shows colours, else in ASCII."""
    from ..report.table import ascii_table, rich_table

    if sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb":
        try:
            return rich_table(table, os.get_terminal_size(sys.stdout.fileno()).columns or 80)
        except (ImportError, OSError):
            pass
    return ascii_table(table)


def one_line(text: str) -> str:
    return plain(" ".join(str(text).split()))


def lenient_output() -> None:
    """Names that the terminal's encoding lacks are escaped instead of ending the command, and what is printed where
    a stream is closed is lost.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
