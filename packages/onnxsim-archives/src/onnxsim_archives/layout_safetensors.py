"""The safetensors container: eight bytes of length, a JSON header, the data without a gap.

Source: the format's specification in the safetensors repository. Entries stand by element width, widest first, then by
name, as the package writes them, so that every element lies at a multiple of its own size.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Any, Final

from onnxsim_core.ir.files import File

from .formats import NOTES_KEY, SAFETENSORS, Entry
from .safety import HEADER_LIMIT, RANK_LIMIT, ArchiveError, check_spans, shown

BITS: Final = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E5M2": 8, "F8_E4M3": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8, "F4": 4,
    "F6_E2M3": 6, "F6_E3M2": 6, "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "C64": 64,
    "F64": 64, "I64": 64, "U64": 64,
}
_ALIGN = 8


def layout(entries: list[Entry], notes: str) -> tuple[bytes, list[Entry], int]:
    """The header, the entries in file order with their offsets, and the size of the file.

    Raises:
        ArchiveError: the header would be larger than readers accept.
    """
    ordered = sorted(entries, key=lambda entry: (-BITS[entry.kind], entry.name))
    header: dict[str, Any] = {"__metadata__": {NOTES_KEY: notes}}
    at = 0
    for entry in ordered:
        end = at + entry.nbytes
        header[entry.name] = {"dtype": entry.kind, "shape": list(entry.shape), "data_offsets": [at, end]}
        at = end
    text = json.dumps(header, separators=(",", ":")).encode("ascii")
    text += b" " * (-len(text) % _ALIGN)
    if len(text) > HEADER_LIMIT:
        raise ArchiveError(f"{len(entries)} entries need a header of {len(text)} bytes, readers accept {HEADER_LIMIT}",
                           code="archive-header")
    head = len(text).to_bytes(8, "little") + text
    placed = [replace(entry, offset=len(head) + header[entry.name]["data_offsets"][0]) for entry in ordered]
    return head, placed, len(head) + at


def parse(file: File) -> tuple[dict[str, Entry], dict[str, Any]]:
    """Entries by name, and the metadata.

    Raises:
        ArchiveError: the file is no safetensors file, or breaks a rule of the format.
    """
    size, header = _header(file)
    start = 8 + size
    metadata = header.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise _broken(file, "its __metadata__ is no table of texts")
    entries = {name: _entry(file, name, fields, start) for name, fields in header.items()}
    spans = [(entry.offset, entry.nbytes, name) for name, entry in entries.items()]
    check_spans(spans, start, file.size, where=file.path)
    covered = sum(entry.nbytes for entry in entries.values())
    if start + covered != file.size:
        raise ArchiveError(f"its entries cover {covered} of {file.size - start} bytes of data", code="archive-range",
                           where=file.path, hint="the format allows no gap")
    return entries, metadata


def _header(file: File) -> tuple[int, dict[str, Any]]:
    if file.size < 8:
        raise ArchiveError("too short for a safetensors file", code="archive-header", where=file.path, offset=0)
    size = int.from_bytes(file.pread(0, 8), "little")
    if size > HEADER_LIMIT or size > file.size - 8:
        raise ArchiveError(f"not a safetensors file: it announces a header of {size} bytes", code="archive-header",
                           where=file.path, offset=0, hint=f"it has {file.size} bytes, {HEADER_LIMIT} are the limit")
    try:
        header = json.loads(file.pread(8, size).decode(), object_pairs_hook=_unique)
    except _DuplicateError as error:
        raise ArchiveError(f"two entries have the name {shown(str(error))}", code="archive-duplicate",
                           where=file.path) from None
    except (ValueError, RecursionError) as error:
        reason = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise _broken(file, f"its header is no JSON: {reason}") from None
    if not isinstance(header, dict):
        raise _broken(file, "its header is no table")
    return size, header


class _DuplicateError(Exception):
    """A key that stands twice in one table."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _DuplicateError(next(name for name in names if names.count(name) > 1))
    return found


def _entry(file: File, name: str, fields: Any, start: int) -> Entry:
    try:
        kind, shape, (begin, end) = fields["dtype"], tuple(fields["shape"]), fields["data_offsets"]
    except (KeyError, TypeError, ValueError):
        raise _broken(file, f"entry {shown(name)} lacks dtype, shape or data_offsets") from None
    if not all(type(number) is int and 0 <= number < 1 << 63 for number in (*shape, begin, end)):
        raise _broken(file, f"entry {shown(name)} has a size or offset that is none")
    if len(shape) > RANK_LIMIT:
        raise _broken(file, f"entry {shown(name)} has {len(shape)} axes")
    bits = BITS.get(kind) if isinstance(kind, str) else None
    if bits is None:
        raise _broken(file, f"entry {shown(name)} has the unknown dtype {kind!r}")
    wanted = math.prod(shape) * bits
    if wanted % 8 or end < begin or end - begin != wanted // 8:
        raise ArchiveError(f"entry {shown(name)}, {kind}{list(shape)}, does not take bytes {begin} to {end}",
                           code="archive-range", where=file.path)
    return Entry(name, kind, shape, end - begin, start + begin)


def _broken(file: File, what: str) -> ArchiveError:
    return ArchiveError(f"not a {SAFETENSORS.name} file: {what}", code="archive-header", where=file.path)
