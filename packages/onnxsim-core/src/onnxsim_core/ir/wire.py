"""Protobuf wire format: take the large weights out of a ModelProto without parsing it, and build messages.

`scan` walks only the messages that can hold a large tensor and copies everything else as contiguous runs, so a
multi-gigabyte model costs about as much as its small part. Field numbers are those of onnx.proto (IR 14).
"""

from __future__ import annotations

from typing import Final, NoReturn

from ..errors import ModelError
from . import dtypes
from .files import File

INLINE: Final = "\x00inline"
"""The external-data location that means: these bytes lie in the scanned source itself. No file can have this name."""

MAX_DEPTH: Final = 100
"""Nesting protobuf's own parser stops at; nothing deeper can be a readable model."""

_SMALL_FILE: Final = 16
_MAX_STUB: Final = (1 << 31) - 1
_MAX_HEADER: Final = 20
_WINDOW: Final = 2 << 10
_MAX_WINDOW: Final = 1 << 20

Range = tuple[int, int]
Field = tuple[int, int, int, int]
Pieces = list["Range | bytes"]

# --- building -----------------------------------------------------------------------------------------------------

_VARINTS: Final = tuple(bytes((n,)) if n < 0x80 else bytes((n & 0x7F | 0x80, n >> 7)) for n in range(1 << 12))


def varint(value: int) -> bytes:
    """Base-128 varint; a negative number becomes its 64-bit two's complement, ten bytes.

    Raises:
        ModelError: the number does not fit 64 bits.
    """
    if 0 <= value < 4096:
        return _VARINTS[value]
    if value < 0:
        value += 1 << 64
    if not 0 <= value < 1 << 64:
        raise ModelError("a number does not fit 64 bits", code="varint")
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def tag(field: int, wire_type: int) -> bytes:
    """The key that stands before a field: 0 varint, 1 eight bytes, 2 length-delimited, 5 four bytes."""
    return varint(field << 3 | wire_type)


_LENGTH_KEYS: Final = tuple(varint(field << 3 | 2) for field in range(32))


def length_delimited(field: int, payload: bytes) -> bytes:
    """A whole field of wire type 2: key, length, payload."""
    length = len(payload)
    key = _LENGTH_KEYS[field] if field < 32 else varint(field << 3 | 2)
    return key + (_VARINTS[length] if length < 4096 else varint(length)) + payload


def external_entries(location: str, offset: int, length: int) -> bytes:
    """The external_data entries and data_location of a TensorProto whose bytes lie elsewhere."""
    entries = (("location", location), ("offset", str(offset)), ("length", str(length)))
    return (
        b"".join(
            length_delimited(13, length_delimited(1, key.encode()) + length_delimited(2, text.encode()))
            for key, text in entries
        )
        + b"\x70\x01"
    )


# --- scanning -----------------------------------------------------------------------------------------------------

_MODEL, _GRAPH, _NODE, _ATTRIBUTE, _SPARSE, _FUNCTION, _TRAINING, _TENSOR = range(8)

# Per message kind: key of a child message -> (kind, singular). A singular message given twice means their merger.
_CHILDREN: Final[tuple[dict[int, tuple[int, bool]], ...]] = (
    {58: (_GRAPH, True), 162: (_TRAINING, False), 202: (_FUNCTION, False)},
    {10: (_NODE, False), 42: (_TENSOR, False), 122: (_SPARSE, False)},
    {42: (_ATTRIBUTE, False)},
    {
        42: (_TENSOR, True),
        50: (_GRAPH, True),
        178: (_SPARSE, True),
        82: (_TENSOR, False),
        90: (_GRAPH, False),
        186: (_SPARSE, False),
    },
    {10: (_TENSOR, True), 18: (_TENSOR, True)},
    {58: (_NODE, False), 90: (_ATTRIBUTE, False)},
    {10: (_GRAPH, True), 18: (_GRAPH, True)},
)

_DATA_TYPE, _FLOAT_DATA, _DOUBLE_DATA, _RAW_DATA, _LOCATION = 16, 34, 82, 74, 112
_FLOAT_ELEMENT, _DOUBLE_ELEMENT = 37, 81
_TYPED_SPANS: Final = {
    _FLOAT_DATA: ((dtypes.FLOAT, dtypes.COMPLEX64), _FLOAT_ELEMENT, 4),
    _DOUBLE_DATA: ((dtypes.DOUBLE, dtypes.COMPLEX128), _DOUBLE_ELEMENT, 8),
}


def scan(source: File | bytes, threshold: int = 4096) -> tuple[bytes, int]:
    """A serialized ModelProto without its large weights, and how many tensors were taken out.

    Every TensorProto whose raw_data (or packed float_data, double_data that means the same bytes) has at least
    `threshold` bytes becomes one with data_location EXTERNAL and, as its last external_data entries, location
    `INLINE`, the absolute offset in `source` and the length. A source of less than sixteen thresholds (64 KiB) is
    returned as it is.
    What is not walked is not checked: the caller still has to parse the result.

    Raises:
        ModelError: the source is empty or its wire format is broken, with the offset; or what is left is too large.
    """
    size = source.size if isinstance(source, File) else len(source)
    if size == 0:
        raise ModelError("the model is empty (0 bytes)", code="empty", offset=0)
    threshold = max(threshold, 1)
    if size < _SMALL_FILE * threshold:
        return (source.pread(0, size) if isinstance(source, File) else bytes(source)), 0
    return _Scanner(source, size, threshold, threshold).stub()


def find_fault(source: File | bytes) -> ModelError:
    """The error for a source that protobuf refused: where its wire format breaks, if in a message known here."""
    size = source.size if isinstance(source, File) else len(source)
    try:
        _Scanner(source, size, 1 << 62, 0).walk(_MODEL, [(0, size)], 0)
    except ModelError as error:
        return error
    return ModelError(
        "the file is not an ONNX model: its protobuf bytes cannot be read",
        code="protobuf",
        hint="it may be truncated or of another format",
    )


class _Scanner:
    """One walk over one source. `least` is the size from which a message is looked into."""

    __slots__ = ("source", "size", "threshold", "least", "taken", "_data", "_base", "_safe", "_window")

    def __init__(self, source: File | bytes, size: int, threshold: int, least: int) -> None:
        self.source = source
        self.size = size
        self.threshold = threshold
        self.least = least
        self.taken = 0
        self._window = _WINDOW
        self._base = 0
        self._data: bytes = b"" if isinstance(source, File) else source
        self._safe = -1 if isinstance(source, File) else size

    def stub(self) -> tuple[bytes, int]:
        found = self.walk(_MODEL, [(0, self.size)], 0)
        pieces, length = found if found is not None else ([(0, self.size)], self.size)
        if length > _MAX_STUB:
            raise ModelError(
                f"{length} bytes of the model are neither raw_data nor external, more than protobuf can hold",
                code="too-large",
                hint="save it with external data",
            )
        return b"".join(self._bytes(piece) for piece in pieces), self.taken

    def _bytes(self, piece: Range | bytes) -> bytes:
        if isinstance(piece, bytes):
            return piece
        start, end = piece
        return self.source.pread(start, end - start) if isinstance(self.source, File) else self.source[start:end]

    def _load(self, start: int) -> None:
        """Make the window begin at `start`; it grows while reading goes straight on."""
        assert isinstance(self.source, File)
        end = self._base + len(self._data)
        near = 0 <= end - start <= _MAX_HEADER
        self._window = min(self._window * 2, _MAX_WINDOW) if near else _WINDOW
        self._data = self.source.pread(start, min(self._window, self.size - start))
        self._base = start
        # Up to here a key and a length are in the window whole; at the end of the file an IndexError tells.
        self._safe = len(self._data) - (0 if start + len(self._data) == self.size else _MAX_HEADER)

    def fields(self, start: int, end: int, wanted: dict[int, tuple[int, bool]] | None) -> list[Field]:
        """(key, field start, payload start, field end) of the fields of a message, in order.

        With `wanted`, only length-delimited fields with these keys that are large, or singular, are listed.
        """
        found: list[Field] = []
        least = self.least
        data, base = self._data, self._base
        safe = self._safe
        pos = start
        try:
            while pos < end:
                at = pos - base
                if not 0 <= at <= safe:
                    self._load(pos)
                    data, base, safe = self._data, self._base, self._safe
                    at = 0
                key = data[at]
                at += 1
                if key > 0x7F:
                    key, at = self._varint(data, at - 1, 32)
                kind = key & 7
                if kind == 2:
                    length = data[at]
                    at += 1
                    if length > 0x7F:
                        length, at = self._varint(data, at - 1, 64)
                    stop = base + at + length
                else:
                    length = 0
                    stop = self._skip(kind, key, data, at, end)
                if stop > end:
                    self.fail(f"a field of {stop - pos} bytes is longer than the {end - pos} left", pos)
                if key < 8:
                    self.fail("field number 0", pos)
                if wanted is None:
                    found.append((key, pos, base + at, stop))
                elif kind == 2 and key in wanted and (length >= least or wanted[key][1]):
                    found.append((key, pos, base + at, stop))
                pos = stop
        except IndexError:
            self.fail("it ends in the middle of a field", pos)
        return found

    def _skip(self, kind: int, key: int, data: bytes, at: int, end: int) -> int:
        """Position after the value of a field that is not length-delimited."""
        start = self._base + at
        if kind == 0:
            stop = at + 10
            while data[at] > 0x7F:
                at += 1
                if at == stop:
                    self.fail("a varint of more than ten bytes", start)
            return self._base + at + 1
        if kind == 5:
            return start + 4
        if kind == 1:
            return start + 8
        if kind == 3:
            return self._skip_group(start, end, key >> 3)
        self.fail("a group ends that did not begin" if kind == 4 else f"unknown wire type {kind}", start)

    def _varint(self, data: bytes, at: int, bits: int) -> tuple[int, int]:
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                break
            shift += 7
            if shift > 63:
                self.fail("a varint of more than ten bytes", self._base + at)
        if value >> bits:
            self.fail(f"a number of more than {bits} bits", self._base + at)
        return value, at

    def _skip_group(self, start: int, end: int, number: int) -> int:
        """Position after the key that closes a group, a form long out of use but legal in unknown fields."""
        pos = start
        open_groups = [number]
        while open_groups:
            if pos >= end:
                self.fail("a group does not end", start)
            key, pos = self._read_varint(pos, end)
            kind = key & 7
            if kind == 0:
                _, pos = self._read_varint(pos, end)
            elif kind == 1 or kind == 5:
                pos += 8 if kind == 1 else 4
            elif kind == 2:
                length, pos = self._read_varint(pos, end)
                pos += length
            elif kind == 3:
                open_groups.append(key >> 3)
                if len(open_groups) > MAX_DEPTH:
                    self.fail(f"groups nested deeper than {MAX_DEPTH}", pos)
            elif kind != 4 or open_groups.pop() != key >> 3:
                self.fail("a group is closed that is not open" if kind == 4 else f"unknown wire type {kind}", pos)
        return pos

    def _read_varint(self, pos: int, end: int) -> tuple[int, int]:
        raw = self._bytes((pos, min(pos + 10, end, self.size)))
        value, used = self._varint(raw, 0, 64)
        return value, pos + used

    def fail(self, what: str, offset: int) -> NoReturn:
        raise ModelError(
            f"the file is not an ONNX model: {what}",
            code="wire",
            offset=offset,
            hint="it may be truncated or of another format",
        )

    def walk(self, kind: int, ranges: list[Range], depth: int) -> tuple[Pieces, int] | None:
        """The message that `ranges` make up together, rewritten; None when it holds nothing large."""
        if kind == _TENSOR:
            return self._tensor(ranges)
        if depth > MAX_DEPTH:
            self.fail(f"messages nested deeper than {MAX_DEPTH}", ranges[0][0])
        children = _CHILDREN[kind]
        edits: list[tuple[int, int, Pieces, int]] = []
        singular: dict[int, list[Field]] = {}
        for start, end in ranges:
            for field in self.fields(start, end, children):
                key, begin, payload, stop = field
                child, single = children[key]
                if single:
                    singular.setdefault(key, []).append(field)
                    continue
                made = self.walk(child, [(payload, stop)], depth + 1)
                if made is not None:
                    edits.append((begin, stop, *_framed(key, made)))
        for key, fields in singular.items():
            if max(field[3] - field[2] for field in fields) < self.least:
                continue
            made = self.walk(children[key][0], [(field[2], field[3]) for field in fields], depth + 1)
            if made is not None:
                edits += [(field[1], field[3], [], 0) for field in fields[:-1]]
                edits.append((fields[-1][1], fields[-1][3], *_framed(key, made)))
        return _spliced(ranges, edits) if edits else None

    def _tensor(self, ranges: list[Range]) -> tuple[Pieces, int] | None:
        """A TensorProto with its large data replaced by a reference; the last of repeated fields counts."""
        dtype = location = 0
        data: dict[int, list[Field]] = {}
        for start, end in ranges:
            for field in self.fields(start, end, None):
                key = field[0]
                if key == _DATA_TYPE or key == _LOCATION:
                    value = self._read_varint(field[2], field[3])[0] & 0xFFFFFFFF
                    if key == _DATA_TYPE:
                        dtype = value
                    elif value < 2:
                        location = value
                elif key in (_RAW_DATA, _FLOAT_DATA, _DOUBLE_DATA, _FLOAT_ELEMENT, _DOUBLE_ELEMENT):
                    data.setdefault(key, []).append(field)
        if location == 1 or dtype not in dtypes.BITS:
            return None
        removed: list[Field] = []
        if _RAW_DATA in data:
            removed = data[_RAW_DATA]
        else:
            for key, (kinds, element, width) in _TYPED_SPANS.items():
                fields = data.get(key, [])
                if dtype in kinds and len(fields) == 1 and element not in data:
                    removed = fields if (fields[0][3] - fields[0][2]) % width == 0 else []
        if not removed or removed[-1][3] - removed[-1][2] < self.threshold:
            return None
        self.taken += 1
        edits: list[tuple[int, int, Pieces, int]] = [(field[1], field[3], [], 0) for field in removed]
        pieces, length = _spliced(ranges, edits)
        entries = external_entries(INLINE, removed[-1][2], removed[-1][3] - removed[-1][2])
        pieces.append(entries)
        return pieces, length + len(entries)


def _framed(key: int, made: tuple[Pieces, int]) -> tuple[Pieces, int]:
    pieces, length = made
    head = varint(key) + varint(length)
    return [head, *pieces], length + len(head)


def _spliced(ranges: list[Range], edits: list[tuple[int, int, Pieces, int]]) -> tuple[Pieces, int]:
    """The bytes of `ranges` with every edited field replaced; edits are disjoint and each lies in one range."""
    edits.sort(key=lambda edit: edit[0])
    pieces: Pieces = []
    total = 0
    ends = iter(edits)
    edit = next(ends, None)
    for start, end in ranges:
        while edit is not None and start <= edit[0] < end:
            if edit[0] > start:
                pieces.append((start, edit[0]))
                total += edit[0] - start
            pieces += edit[2]
            total += edit[3]
            start = edit[1]
            edit = next(ends, None)
        if end > start:
            pieces.append((start, end))
            total += end - start
    return pieces, total
