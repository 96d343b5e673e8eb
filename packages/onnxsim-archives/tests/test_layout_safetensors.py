import json
import struct

import pytest
from safetensors import SafetensorError, safe_open

from onnxsim_archives import ArchiveError
from onnxsim_archives.formats import Entry
from onnxsim_archives.layout_safetensors import layout, parse
from onnxsim_archives.safety import HEADER_LIMIT
from onnxsim_core.ir.files import File

A = {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}
B = {"dtype": "F32", "shape": [1], "data_offsets": [2, 6]}


def file_of(tmp_path, header, data=b"\0" * 6, *, size=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    path = tmp_path / "f.safetensors"
    path.write_bytes(struct.pack("<Q", len(text) if size is None else size) + text + data)
    return File(path)


def test_a_file_without_fault(tmp_path):
    file = file_of(tmp_path, {"__metadata__": {"by": "hand"}, "a": A, "b": B})
    entries, metadata = parse(file)

    assert metadata == {"by": "hand"}
    assert entries["b"] == Entry("b", "F32", (1,), 4, file.size - 4)


def test_a_file_of_the_package_itself(tmp_path):
    import numpy as np
    from safetensors.numpy import save_file

    tensors = {"m": np.arange(6, dtype=np.float32).reshape(2, 3), "e": np.zeros((0, 2), np.int64), "s": np.float64(2)}
    save_file({name: np.asarray(array) for name, array in tensors.items()}, tmp_path / "p", {"k": "v"})
    file = File(tmp_path / "p")
    entries, metadata = parse(file)

    assert metadata == {"k": "v"}
    assert {name: (e.kind, e.shape) for name, e in entries.items()} == {
        "m": ("F32", (2, 3)), "e": ("I64", (0, 2)), "s": ("F64", ())}
    assert file.pread(entries["m"].offset, 24) == tensors["m"].tobytes()


@pytest.mark.parametrize(
    ("header", "code", "text"),
    [
        (b"", "archive-header", "no JSON"),
        (b"\xff{}", "archive-header", "no JSON"),
        (b"[1, 2]", "archive-header", "no table"),
        (b"[" * 100_000, "archive-header", "nested too deeply"),
        (b'{"a": ' + b"1" * 5000 + b"}", "archive-header", "no JSON"),
        ({"__metadata__": [], "a": A, "b": B}, "archive-header", "__metadata__"),
        ({"__metadata__": {"a": 1}, "a": A, "b": B}, "archive-header", "__metadata__"),
        ({"a": 1}, "archive-header", "'a' lacks"),
        ({"a": {"dtype": "U8", "shape": [2]}}, "archive-header", "'a' lacks"),
        ({"a": {**A, "data_offsets": [0, 2, 3]}}, "archive-header", "'a' lacks"),
        ({"a": {**A, "shape": [-2]}}, "archive-header", "size or offset that is none"),
        ({"a": {**A, "shape": [True, 2]}}, "archive-header", "size or offset that is none"),
        ({"a": {**A, "shape": [2.0]}}, "archive-header", "size or offset that is none"),
        ({"a": {**A, "shape": [1 << 70, 0]}}, "archive-header", "size or offset that is none"),
        ({"a": {**A, "data_offsets": ["0", "2"]}}, "archive-header", "size or offset that is none"),
        ({"a": {**A, "shape": [1] * 65 + [2]}}, "archive-header", "66 axes"),
        ({"a": {**A, "dtype": "U9"}}, "archive-header", "unknown dtype 'U9'"),
        ({"a": {**A, "dtype": ["U8"]}}, "archive-header", "unknown dtype"),
        ({"a": {**A, "shape": [3]}}, "archive-range", "does not take bytes 0 to 2"),
        ({"a": {**A, "data_offsets": [2, 0]}}, "archive-range", "does not take bytes 2 to 0"),
        ({"a": {"dtype": "F4", "shape": [3], "data_offsets": [0, 1]}}, "archive-range", "does not take"),
        ({"a": A, "b": {**B, "data_offsets": [1, 5]}}, "archive-overlap", "'a' and 'b' overlap"),
        ({"a": A, "b": {**B, "data_offsets": [4, 8]}}, "archive-range", "'b' takes bytes"),
        ({"a": A}, "archive-range", "cover 2 of 6 bytes"),
        (b'{"a": {"dtype": "U8", "shape": [6], "data_offsets": [0, 6]}, "a": {"dtype": "U8"}}', "archive-duplicate",
         "two entries have the name 'a'"),
        (b'{"a": {"dtype": "U8", "dtype": "U8", "shape": [6], "data_offsets": [0, 6]}}', "archive-duplicate", "'dtype"),
    ],
)  # fmt: skip
def test_every_fault_has_its_error(tmp_path, header, code, text):
    file = file_of(tmp_path, header)
    with pytest.raises(ArchiveError, match=text) as caught:
        parse(file)
    assert caught.value.code == code
    assert caught.value.where == file.path


@pytest.mark.parametrize("size", [8, HEADER_LIMIT + 1, (1 << 64) - 1])
def test_a_header_larger_than_the_file_or_the_limit_is_not_read(tmp_path, size):
    file = file_of(tmp_path, b"{}", b"", size=size)
    with pytest.raises(ArchiveError, match=f"announces a header of {size} bytes") as caught:
        parse(file)
    assert caught.value.code == "archive-header"


@pytest.mark.parametrize("length", range(8))
def test_a_file_that_is_too_short_for_a_header(tmp_path, length):
    (tmp_path / "f").write_bytes(b"\0" * length)
    with pytest.raises(ArchiveError, match="too short"):
        parse(File(tmp_path / "f"))


def test_what_the_package_refuses_is_refused_here(tmp_path):
    for header in ({"a": A}, {"a": {**A, "shape": [3]}, "b": B}, {"a": A, "b": {**B, "data_offsets": [1, 5]}}):
        file = file_of(tmp_path, header)
        with pytest.raises(SafetensorError), safe_open(file.path, "np"):
            pass
        with pytest.raises(ArchiveError):
            parse(file)


def test_entries_lie_at_multiples_of_their_size_and_without_a_gap():
    entries = [Entry("b", "U8", (3,), 3), Entry("z", "F64", (1,), 8), Entry("a", "U8", (1,), 1)]
    entries.append(Entry("h", "F16", (1,), 2))
    head, placed, end = layout(entries, "{}")

    assert [entry.name for entry in placed] == ["z", "h", "a", "b"]
    assert placed[0].offset == len(head) and len(head) % 8 == 0
    assert [entry.offset % size for entry, size in zip(placed, (8, 2, 1, 1))] == [0, 0, 0, 0]
    assert end == len(head) + 14


def test_a_header_that_no_reader_takes_is_an_error():
    entry = Entry("x" * HEADER_LIMIT, "U8", (1,), 1)
    with pytest.raises(ArchiveError, match="1 entries need a header"):
        layout([entry], "")
