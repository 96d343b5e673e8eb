"""Plugins of the command line."""

from __future__ import annotations

import sys

from ..plugins import CliHost, FormatHost, PassHost, load
from .parser import Parser


def _warn(text: str) -> None:
    print(f"onnxsim: warning: {text}", file=sys.stderr)


def extend(parser: Parser) -> CliHost:
    """Add what installed packages offer to the parser."""
    host = CliHost(parser)
    load("onnxsim.cli", host, _warn)
    return host


def formats(*, with_plugins: bool) -> FormatHost:
    """The containers that can be read and written."""
    host = FormatHost()
    if with_plugins:
        load("onnxsim.formats", host, _warn)
    return host


def load_passes(*, with_plugins: bool) -> None:
    """Add passes of installed packages to the catalogue."""
    if with_plugins:
        load("onnxsim.passes", PassHost(), _warn)
