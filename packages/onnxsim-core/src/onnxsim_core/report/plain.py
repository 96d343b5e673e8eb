"""Text of a model, which anybody may have written, made fit to be shown."""

from __future__ import annotations

import re

_HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Control characters, halves of a surrogate pair, and what no XML may hold."""


def plain(text: str) -> str:
    r"""One line without control characters: they are shown as `\x1b`, so a terminal does not obey them.

    XML and HTML can hold the result; characters with a meaning there have yet to be escaped.
    """
    return _HIDDEN.sub(_shown, text)


def plain_lines(text: str) -> str:
    """The same for a text of several lines."""
    return "\n".join(map(plain, text.split("\n")))


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
