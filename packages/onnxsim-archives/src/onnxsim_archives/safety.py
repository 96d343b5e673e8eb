"""What an archive may not do to the one who opens it: limits, and the error that says which of them it breaks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from onnxsim_core import ModelError

HEADER_LIMIT: Final = 100_000_000
"""Bytes a header may take; the safetensors package refuses more."""
GRAPH_LIMIT: Final = (1 << 31) - 1
"""Bytes a protobuf message may take."""
RANK_LIMIT: Final = 64
"""More axes than that numpy cannot hold."""


class ArchiveError(ModelError, RuntimeError):
    """An archive that is damaged, hostile or holds no graph, or a model that no archive can hold."""

    default_code = "archive"


def check_spans(spans: Iterable[tuple[int, int, str]], start: int, end: int, *, where: str) -> None:
    """Check that (offset, length, name) spans lie in [start, end) and that no byte belongs to two of them.

    Raises:
        ArchiveError: one leaves the range, or two overlap.
    """
    last, owner = start, ""
    for offset, length, name in sorted(spans):
        if offset < start or length < 0 or offset + length > end:
            raise ArchiveError(f"entry {shown(name)} takes bytes {offset} to {offset + length}, the data are {start} "
                               f"to {end}", code="archive-range", where=where, hint="the file may be truncated")
        if offset < last and length:
            raise ArchiveError(f"entries {shown(owner)} and {shown(name)} overlap", code="archive-overlap", where=where,
                               offset=offset)
        if offset + length > last:
            last, owner = offset + length, name


def shown(name: str) -> str:
    """A name from a file, fit for a message."""
    return repr(name if len(name) <= 80 else f"{name[:77]}...")
