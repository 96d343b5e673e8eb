"""The parser of the command: argparse, with words sorted first and errors that fit on one line."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from ..errors import OptionError
from ..plugins import ABSENT_OPTIONS, NEEDLESS_OPTIONS
from .words import Looks, arrange

USAGE = "onnxsim [options] INPUT OUTPUT [CHECK_N]\n       onnxsim [options] INPUT ... -o DIR\n       " \
        "onnxsim inspect MODEL [MODEL]"
DESCRIPTION = "Simplify an ONNX model: the same outputs from a smaller graph."


class UsageError(OptionError):
    """The command line itself is wrong."""

    default_code = "usage"


class Parser(argparse.ArgumentParser):
    """argparse, except that words are arranged first and that errors are raised, in one line, for `main` to show."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("usage", USAGE)
        super().__init__(prog="onnxsim", allow_abbrev=False, **settings)
        self.looks: dict[str, Looks] = {}
        self.wanted: Callable[[Sequence[str]], int] = wanted_paths

    def told_by(self, action: argparse.Action, looks: Looks) -> argparse.Action:
        """Values of this option are told from models by what they look like."""
        self.looks[action.dest] = looks
        return action

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """Parse a command line.

        Raises:
            UsageError: it is wrong.
            SystemExit: an option such as `--help` has said all there is to say.
        """
        ordered = arrange(words, self._option_string_actions, self.looks, self.wanted)
        args, unknown = self.parse_known_args(ordered)
        for word in unknown:
            if word not in NEEDLESS_OPTIONS:
                self._refuse(word)
        return args

    def _refuse(self, word: str) -> NoReturn:
        option = word.partition("=")[0]
        for prefix, brings in ABSENT_OPTIONS.items():
            if option == prefix or option.startswith(f"{prefix}-"):
                raise UsageError(f"{option} comes with {brings}, which is not installed",
                                 hint=f"pip install {brings}")
        close = difflib.get_close_matches(option, self._option_string_actions, 2, 0.6)
        hint = f"did you mean {' or '.join(close)}?" if close else "onnxsim --help lists the options"
        raise UsageError(f"there is no option {option}" if option.startswith("-") else f"{word!r} is one word too many",
                         hint=hint)

    def error(self, message: str) -> NoReturn:
        raise UsageError(message.removeprefix("argument "))


def wanted_paths(options: Sequence[str]) -> int:
    """How many models a command line must name."""
    return 1 if any(word.startswith(("-o", "--output-dir")) for word in options) else 2
