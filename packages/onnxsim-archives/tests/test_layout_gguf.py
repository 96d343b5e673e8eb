import struct

import gguf
import numpy as np
import pytest

from onnxsim_archives import ArchiveError, layout_gguf
from onnxsim_archives.formats import Entry
from onnxsim_archives.layout_gguf import layout, parse
from onnxsim_archives.safety import HEADER_LIMIT
from onnxsim_core.ir.files import File


def text(value):
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key, kind, data):
    return text(key) + struct.pack("<I", kind) + data


def tensor(name="t", sizes=(4,), number=0, offset=0):
    return text(name) + struct.pack(f"<I{len(sizes)}QIQ", len(sizes), *sizes, number, offset)


ONE = (tensor(),)


def file_of(tmp_path, *, magic=b"GGUF", version=3, pairs=(), tensors=ONE, counts=None, data=b"\0" * 64):
    head = magic + struct.pack("<IQQ", version, *(counts or (len(tensors), len(pairs)))) + b"".join((*pairs, *tensors))
    (tmp_path / "f.gguf").write_bytes(head + bytes(-len(head) % 32) + data)
    return File(tmp_path / "f.gguf")


def test_a_file_without_fault(tmp_path):
    pairs = (pair("n", 4, struct.pack("<I", 7)), pair("s", 8, text("ü")))
    file = file_of(tmp_path, pairs=pairs, tensors=(tensor("t", (2, 3), 0), tensor("u", (), 24, 32)))
    entries, metadata = parse(file)

    assert metadata == {"n": 7, "s": "ü"}
    assert entries["t"] == Entry("t", "F32", (3, 2), 24, file.size - 64)
    assert entries["u"] == Entry("u", "I8", (), 1, file.size - 32)


def test_a_file_of_the_package_itself(tmp_path):
    writer = gguf.GGUFWriter(tmp_path / "p.gguf", "llama")
    weight = np.arange(64, dtype=np.float32).reshape(2, 32)
    packed = gguf.quants.quantize(weight, gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("w", weight)
    writer.add_tensor("q", packed, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
    writer.add_custom_alignment(128)
    writer.add_bool("flag", True)
    writer.add_float64("x", 0.1)
    writer.add_int64("i", -5)
    writer.add_array("list", [1, 2, 3])
    writer.add_array("words", ["a", "bc"])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    file = File(tmp_path / "p.gguf")
    entries, metadata = parse(file)

    assert metadata == {"general.architecture": "llama", "general.alignment": 128, "flag": True, "x": 0.1, "i": -5,
                        "list": [1, 2, 3], "words": ["a", "bc"]}
    assert (entries["q"].kind, entries["q"].shape, entries["q"].nbytes) == ("Q8_0", (2, 32), 68)
    assert file.pread(entries["w"].offset, 256) == weight.tobytes()
    assert file.pread(entries["q"].offset, 68) == packed.tobytes()


@pytest.mark.parametrize(
    ("broken", "code", "text"),
    [
        ({"magic": b"GGML"}, "archive-header", "not a GGUF file"),
        ({"version": 1}, "archive-version", "version 1 cannot"),
        ({"version": 3 << 24}, "archive-version", "big-endian"),
        ({"counts": (1 << 60, 0)}, "archive-header", "cannot fit"),
        ({"counts": (0, 1 << 60)}, "archive-header", "cannot fit"),
        ({"counts": (5, 0), "data": b""}, "archive-header", "."),
        ({"pairs": (pair("a", 99, b""),)}, "archive-header", "unknown value type 99"),
        ({"pairs": (pair("a", 8, struct.pack("<Q", 1 << 62)),)}, "archive-header", "cannot fit"),
        ({"pairs": (pair("a", 9, struct.pack("<IQ", 4, 1 << 50)),)}, "archive-header", "cannot fit"),
        ({"pairs": (pair("a", 9, struct.pack("<IQ", 8, 1 << 50)),)}, "archive-header", "cannot fit"),
        ({"pairs": (pair("a", 9, struct.pack("<IQ", 9, 1) * 9),)}, "archive-header", "nested deeper"),
        ({"pairs": (pair("a", 8, text(b"\xff")),)}, "archive-header", "not UTF-8"),
        ({"pairs": (pair("a", 0, b"\1"), pair("a", 0, b"\2"))}, "archive-duplicate", "key-values have the name 'a'"),
        ({"tensors": (tensor("a"), tensor("a", offset=32))}, "archive-duplicate", "entries have the name 'a'"),
        ({"tensors": (tensor(sizes=(1,) * 65),)}, "archive-header", "65 axes"),
        ({"tensors": (tensor(number=4),)}, "archive-header", "unknown ggml type 4"),
        ({"tensors": (tensor(number=2, sizes=(33,)),)}, "archive-header", "whole blocks of 32"),
        ({"tensors": (tensor(number=2, sizes=()),)}, "archive-header", "whole blocks of 32"),
        ({"tensors": (tensor(offset=16),)}, "archive-range", "no multiple of 32"),
        ({"tensors": (tensor(offset=64),)}, "archive-range", "'t' takes bytes"),
        ({"tensors": (tensor(sizes=(1 << 40, 1 << 40)),)}, "archive-range", "'t' takes bytes"),
        ({"tensors": (tensor("a", (16,)), tensor("b", offset=32))}, "archive-overlap", "'a' and 'b' overlap"),
        ({"pairs": (pair("general.alignment", 4, struct.pack("<I", 0)),)}, "archive-header", "power of two"),
        ({"pairs": (pair("general.alignment", 4, struct.pack("<I", 48)),)}, "archive-header", "power of two"),
        ({"pairs": (pair("general.alignment", 8, text("32")),)}, "archive-header", "power of two"),
    ],
)
def test_every_fault_has_its_error(tmp_path, broken, code, text):
    file = file_of(tmp_path, **broken)
    with pytest.raises(ArchiveError, match=text) as caught:
        parse(file)
    assert caught.value.code == code
    assert caught.value.where == file.path


def test_a_file_cut_anywhere_is_an_error(tmp_path):
    whole = (tmp_path / "f.gguf", file_of(tmp_path, pairs=(pair("s", 8, text("abc")),)))[0].read_bytes()
    shortest = len(whole) - 64 + 16  # the one tensor has 16 bytes, what follows is padding
    for length in range(shortest):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(ArchiveError):
            parse(File(tmp_path / "cut"))
    (tmp_path / "cut").write_bytes(whole[:shortest])
    assert list(parse(File(tmp_path / "cut"))[0]) == ["t"]


def test_a_header_beyond_the_limit_is_not_read(tmp_path, monkeypatch):
    file = file_of(tmp_path, pairs=tuple(pair(f"k{number}", 0, b"\1") for number in range(100)))
    assert len(parse(file)[1]) == 100
    monkeypatch.setattr(layout_gguf, "HEADER_LIMIT", 1000)
    with pytest.raises(ArchiveError, match="cannot fit into the rest|more than 1000 bytes"):
        parse(file)


def test_tensors_are_aligned_padded_and_in_the_order_of_their_descriptions(tmp_path):
    entries = [Entry("b", "F32", (3,), 12), Entry("a", "I8", (33,), 33), Entry("c", "I8", (0,), 0)]
    head, placed, end = layout(entries, "{}")

    assert len(head) % 32 == 0
    assert [(entry.name, entry.offset - len(head)) for entry in placed] == [("a", 0), ("b", 64), ("c", 96)]
    assert end == len(head) + 96
    (tmp_path / "f").write_bytes(head + bytes(end - len(head)))
    found = {t.name: (t.shape.tolist(), t.data_offset) for t in gguf.GGUFReader(tmp_path / "f").tensors}
    assert found == {entry.name: (list(entry.shape), entry.offset) for entry in placed}


def test_a_header_that_no_reader_takes_is_an_error():
    with pytest.raises(ArchiveError, match="1 entries need a header"):
        layout([Entry("x" * HEADER_LIMIT, "I8", (1,), 1)], "")
