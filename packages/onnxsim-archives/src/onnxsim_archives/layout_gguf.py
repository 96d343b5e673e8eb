"""The GGUF container, version 3: a header of typed key-values and tensor descriptions, then aligned data.

Source: docs/gguf.md of the ggml repository. Sizes are written fastest axis first; every tensor starts at a multiple of
the alignment, in the order of the descriptions, as ggml's own reader demands.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from onnxsim_core.ir.files import File

from .formats import NOTES_KEY, Entry
from .safety import HEADER_LIMIT, RANK_LIMIT, ArchiveError, check_spans, shown

MAGIC: Final = b"GGUF"
ALIGNMENT: Final = 32
_VERSIONS = (2, 3)
_ALIGNMENT_KEY = "general.alignment"
_U32, _STRING, _ARRAY = 4, 8, 9
_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_MAX_DEPTH = 4


class Kind(NamedTuple):
    """A ggml element type: its number, and how many elements take how many bytes together."""

    number: int
    elements: int
    nbytes: int


KINDS: Final = {
    "F32": Kind(0, 1, 4), "F16": Kind(1, 1, 2), "Q4_0": Kind(2, 32, 18), "Q4_1": Kind(3, 32, 20),
    "Q5_0": Kind(6, 32, 22), "Q5_1": Kind(7, 32, 24), "Q8_0": Kind(8, 32, 34), "Q8_1": Kind(9, 32, 40),
    "Q2_K": Kind(10, 256, 84), "Q3_K": Kind(11, 256, 110), "Q4_K": Kind(12, 256, 144), "Q5_K": Kind(13, 256, 176),
    "Q6_K": Kind(14, 256, 210), "Q8_K": Kind(15, 256, 292), "IQ2_XXS": Kind(16, 256, 66), "IQ2_XS": Kind(17, 256, 74),
    "IQ3_XXS": Kind(18, 256, 98), "IQ1_S": Kind(19, 256, 50), "IQ4_NL": Kind(20, 32, 18), "IQ3_S": Kind(21, 256, 110),
    "IQ2_S": Kind(22, 256, 82), "IQ4_XS": Kind(23, 256, 136), "I8": Kind(24, 1, 1), "I16": Kind(25, 1, 2),
    "I32": Kind(26, 1, 4),
    "I64": Kind(27, 1, 8), "F64": Kind(28, 1, 8), "IQ1_M": Kind(29, 256, 56), "BF16": Kind(30, 1, 2),
    "TQ1_0": Kind(34, 256, 54), "TQ2_0": Kind(35, 256, 66), "MXFP4": Kind(39, 32, 17), "NVFP4": Kind(40, 64, 36),
    "Q1_0": Kind(41, 128, 18),
}
_BY_NUMBER: Final = {kind.number: name for name, kind in KINDS.items()}


def layout(entries: list[Entry], notes: str) -> tuple[bytes, list[Entry], int]:
    """The header, the entries in file order with their offsets, and the size of the file.

    Raises:
        ArchiveError: the header would be larger than readers accept.
    """
    ordered = sorted(entries, key=lambda entry: entry.name)
    pairs = [_text("general.architecture") + struct.pack("<I", _STRING) + _text("onnx"),
             _text(_ALIGNMENT_KEY) + struct.pack("<II", _U32, ALIGNMENT),
             _text(NOTES_KEY) + struct.pack("<I", _STRING) + _text(notes)]
    parts = [MAGIC, struct.pack("<IQQ", _VERSIONS[-1], len(ordered), len(pairs)), *pairs]
    at, offsets = 0, []
    for entry in ordered:
        offsets.append(at)
        sizes = struct.pack(f"<I{len(entry.shape)}Q", len(entry.shape), *reversed(entry.shape))
        parts.append(_text(entry.name) + sizes + struct.pack("<IQ", KINDS[entry.kind].number, at))
        at += entry.nbytes + -entry.nbytes % ALIGNMENT
    head = b"".join(parts)
    if len(head) > HEADER_LIMIT:
        raise ArchiveError(f"{len(entries)} entries need a header of {len(head)} bytes, more than {HEADER_LIMIT}",
                           code="archive-header")
    head += bytes(-len(head) % ALIGNMENT)
    placed = [replace(entry, offset=len(head) + offset) for entry, offset in zip(ordered, offsets)]
    return head, placed, len(head) + at


def _text(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack("<Q", len(encoded)) + encoded


def parse(file: File) -> tuple[dict[str, Entry], dict[str, Any]]:
    """Entries by name, and the key-values.

    Raises:
        ArchiveError: the file is no GGUF file, or breaks a rule of the format.
    """
    cursor = _Cursor(file)
    if cursor.bytes(4) != MAGIC:
        raise ArchiveError("not a GGUF file", code="archive-header", where=file.path, offset=0)
    version = cursor.number("I")
    if version not in _VERSIONS:
        byte_order = ", or big-endian" if version & 0xFFFF == 0 else ""
        raise ArchiveError(f"GGUF version {version}{byte_order} cannot be read, only 2 and 3 can",
                           code="archive-version", where=file.path)
    tensors, pairs = cursor.number("Q"), cursor.number("Q")
    metadata: dict[str, Any] = {}
    for _ in range(cursor.count(pairs, 13)):
        key = cursor.text()
        if key in metadata:
            raise cursor.broken(f"two key-values have the name {shown(key)}", "archive-duplicate")
        metadata[key] = cursor.value(cursor.number("I"), 0)
    found: dict[str, Entry] = {}
    for _ in range(cursor.count(tensors, 24)):
        entry = _entry(cursor)
        if entry.name in found:
            raise cursor.broken(f"two entries have the name {shown(entry.name)}", "archive-duplicate")
        found[entry.name] = entry
    alignment = metadata.get(_ALIGNMENT_KEY, ALIGNMENT)
    if type(alignment) is not int or not 0 < alignment <= 1 << 20 or alignment & (alignment - 1):
        raise cursor.broken(f"{_ALIGNMENT_KEY} is {alignment!r}, not a power of two")
    start = cursor.at + -cursor.at % alignment
    for entry in found.values():
        if entry.offset % alignment:
            raise cursor.broken(f"entry {shown(entry.name)} starts at no multiple of {alignment}", "archive-range")
    entries = {name: replace(entry, offset=start + entry.offset) for name, entry in found.items()}
    spans = [(entry.offset, entry.nbytes, name) for name, entry in entries.items()]
    check_spans(spans, min(start, file.size), file.size, where=file.path)
    return entries, metadata


def _entry(cursor: _Cursor) -> Entry:
    name = cursor.text()
    rank = cursor.number("I")
    if rank > RANK_LIMIT:
        raise cursor.broken(f"entry {shown(name)} has {rank} axes")
    shape = tuple(reversed([cursor.number("Q") for _ in range(rank)]))
    number, offset = cursor.number("I"), cursor.number("Q")
    kind = _BY_NUMBER.get(number)
    if kind is None:
        raise cursor.broken(f"entry {shown(name)} has the unknown ggml type {number}")
    _, elements, nbytes = KINDS[kind]
    if elements > 1 and (not shape or shape[-1] % elements):
        raise cursor.broken(f"entry {shown(name)}, {kind}{list(shape)}, is not made of whole blocks of {elements}")
    return Entry(name, kind, shape, math.prod(shape) // elements * nbytes, offset)


class _Cursor:
    """Reads the header from the start on, through windows, and never past the file or the limit."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.at = 0
        self.end = min(file.size, HEADER_LIMIT)
        self._base = 0
        self._data = b""

    def broken(self, what: str, code: str = "archive-header") -> ArchiveError:
        return ArchiveError(f"damaged GGUF file: {what}", code=code, where=self.file.path, offset=self.at)

    def bytes(self, count: int) -> bytes:
        if count > self.end - self.at:
            full = self.end < self.file.size
            reason = f"its header takes more than {HEADER_LIMIT} bytes" if full else "it ends within its header"
            raise self.broken(reason)
        at = self.at - self._base
        if at + count > len(self._data):
            self._data = self.file.pread(self.at, min(max(count, 1 << 16), self.end - self.at))
            self._base, at = self.at, 0
        self.at += count
        return self._data[at : at + count]

    def count(self, number: int, least: int) -> int:
        """A number of things that take at least so many bytes each."""
        if number > (self.end - self.at) // least:
            raise self.broken(f"{number} things cannot fit into the rest of the header")
        return number

    def number(self, code: str) -> Any:
        data = self.bytes(struct.calcsize(code))
        return struct.unpack(f"<{code}", data)[0]

    def text(self) -> str:
        data = self.bytes(self.count(self.number("Q"), 1))
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise self.broken("a text is not UTF-8") from None

    def value(self, kind: int, depth: int) -> Any:
        if kind == _STRING:
            return self.text()
        if kind == _ARRAY:
            return self._array(depth)
        code = _SCALARS.get(kind)
        if code is None:
            raise self.broken(f"unknown value type {kind}")
        return self.number(code)

    def _array(self, depth: int) -> list[Any]:
        if depth >= _MAX_DEPTH:
            raise self.broken(f"arrays nested deeper than {_MAX_DEPTH}")
        kind, number = self.number("I"), self.number("Q")
        code = _SCALARS.get(kind)
        if code is not None:
            count = self.count(number, struct.calcsize(code))
            return list(struct.unpack(f"<{count}{code}", self.bytes(count * struct.calcsize(code))))
        read: Callable[[], Any] = self.text if kind == _STRING else lambda: self.value(kind, depth + 1)
        return [read() for _ in range(self.count(number, 8))]
