import errno
import os

import numpy as np
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import dtypes, files
from onnxsim_core.ir.files import File
from onnxsim_core.ir.spool import Gap, Spooler, checked_chunks, joined
from onnxsim_core.ir.tensors import DeferredTensor, MissingTensor, SpanTensor, Tensor, from_array

RANDOM = np.random.default_rng(0).integers(0, 256, 3_000_000, np.uint8).tobytes()


@pytest.fixture
def source(tmp_path):
    (tmp_path / "source").write_bytes(RANDOM)
    return File(tmp_path / "source")


def span(file, offset, length):
    return SpanTensor(dtypes.UINT8, (length,), file, offset)


def spooled(tmp_path, parts, total=0, progress=None):
    """What a spooler writes, through a file and through a pipe-like descriptor; both must be the same."""
    results = []
    for holes in (True, False):
        path = tmp_path / f"out-{holes}"
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
        try:
            Spooler(fd, holes, total, progress).write(parts)
        finally:
            os.close(fd)
        results.append(path.read_bytes())
    assert results[0] == results[1]
    return results[0]


def mixed(source):
    """Parts of every kind and size, and the bytes they stand for."""
    array = np.arange(600_000, dtype=np.int32).reshape(600, 1000)
    parts = [
        b"head",
        span(source, 3, 10),
        span(source, 13, 90_000),
        Gap(5),
        span(source, 1_000_001, 1_900_000),
        b"x" * 3_000_000,
        Gap(3 << 20),
        from_array(array),
        DeferredTensor(dtypes.INT32, (1000, 600), lambda: array.T),
        from_array(np.zeros(0, np.float32)),
        b"tail",
        Gap(10_000),
    ]
    expected = b"".join(
        [
            *(b"head", RANDOM[3:90_013], bytes(5), RANDOM[1_000_001:2_900_001], b"x" * 3_000_000, bytes(3 << 20)),
            *(array.tobytes(), array.T.tobytes(), b"tail", bytes(10_000)),
        ]
    )
    return parts, expected


def test_all_kinds_of_parts_are_written_in_order(tmp_path, source):
    parts, expected = mixed(source)
    assert spooled(tmp_path, parts) == expected
    assert spooled(tmp_path, []) == b""


def refuse(*args):
    raise OSError(errno.EXDEV, "another device")


def nothing(*args):
    return 0


@pytest.mark.parametrize("kernel", [refuse, nothing, None])
def test_copying_outside_the_kernel_gives_the_same(tmp_path, source, monkeypatch, kernel):
    if kernel is None:
        monkeypatch.delattr(os, "copy_file_range")
    else:
        monkeypatch.setattr(os, "copy_file_range", kernel)
    parts, expected = mixed(source)
    assert spooled(tmp_path, parts) == expected


def test_a_way_that_fails_in_the_middle_is_taken_over_where_it_stopped(tmp_path, source, monkeypatch):
    original, calls = os.copy_file_range, []

    def half(source_fd, target_fd, count, offset):
        calls.append(offset)
        if len(calls) % 3 == 0:
            raise OSError(errno.EIO, "broken")
        return original(source_fd, target_fd, min(count, 70_000), offset)

    monkeypatch.setattr(os, "copy_file_range", half)
    parts = [b"a" * 8192, span(source, 4096, 2_000_000), b"z"]
    assert spooled(tmp_path, parts) == b"a" * 8192 + RANDOM[4096:2_004_096] + b"z"
    assert calls == [4096, 74_096, 144_096] * 2


def test_only_what_lies_alike_in_its_blocks_is_left_to_the_kernel(tmp_path, source, monkeypatch):
    original, calls = os.copy_file_range, []
    monkeypatch.setattr(os, "copy_file_range", lambda *args: calls.append(args[2:]) or original(*args))
    parts = [span(source, 4096, 70_000), b"a", span(source, 4096, 70_000), bytes(69_999), bytes(3727),
             span(source, 4095, 70_000), Gap(3696), span(source, 8192, 66_000)]
    expected = [RANDOM[4096:74_096], b"a", RANDOM[4096:74_096], bytes(73_726), RANDOM[4095:74_095], bytes(3696),
                RANDOM[8192:74_192]]
    assert spooled(tmp_path, parts) == b"".join(expected)
    assert calls == [(70_000, 4096)] * 2


def test_a_full_disk_is_not_mistaken_for_a_missing_feature(tmp_path, source, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, "no space")

    monkeypatch.setattr(os, "copy_file_range", full)
    with pytest.raises(OSError, match="no space"):
        spooled(tmp_path, [span(source, 0, 200_000)])


def test_more_than_any_file_holds_is_too_large(tmp_path):
    with open(tmp_path / "out", "wb") as file, pytest.raises(OSError) as caught:
        Spooler(file.fileno(), True, 1 << 63, None).write([b"few"])
    assert caught.value.errno == errno.EFBIG


def test_short_writes_are_continued(tmp_path, source, monkeypatch):
    original = os.write
    monkeypatch.setattr(os, "write", lambda fd, data: original(fd, bytes(data[:40_000])))
    monkeypatch.delattr(os, "copy_file_range")
    parts, expected = mixed(source)
    assert spooled(tmp_path, parts) == expected


def test_small_parts_are_written_together(tmp_path, monkeypatch):
    original, sizes = os.write, []

    def counted(fd, data):
        sizes.append(len(data))
        return original(fd, data)

    monkeypatch.setattr(os, "write", counted)
    assert len(spooled(tmp_path, [b"node" * 25] * 30_000)) == 3_000_000
    assert sizes == ([256 << 10] * 11 + [3_000_000 % (256 << 10)]) * 2


def test_progress_grows_to_the_total(tmp_path, source):
    parts, expected = mixed(source)
    seen = []
    path = tmp_path / "out"
    with open(path, "wb") as out:
        Spooler(out.fileno(), True, len(expected), lambda done, total: seen.append((done, total))).write(parts)
    done = [pair[0] for pair in seen]
    assert done == sorted(done) and done[-1] == len(expected)
    assert {pair[1] for pair in seen} == {len(expected)}


def test_neighbours_in_one_file_become_one_span(source):
    other = File(source.path)
    tensors = [span(source, 0, 10), span(source, 10, 5), span(source, 15, 5), span(source, 21, 4), span(other, 25, 1)]
    assert list(joined(tensors)) == [(source, 0, 20), (source, 21, 4), (other, 25, 1)]
    assert list(joined([tensors[0], b"x", tensors[1]])) == [(source, 0, 10), b"x", (source, 10, 5)]
    assert list(joined([])) == []


def test_a_source_that_shrinks_or_changes_is_noticed(tmp_path, source):
    parts = [span(source, 0, 2_000_000)]
    os.truncate(source.path, 1_000_000)
    with pytest.raises(ModelError, match="became shorter"):
        spooled(tmp_path, parts)


@pytest.mark.parametrize("length", [100, 2_000_000])
def test_a_source_written_to_since_it_was_opened_is_noticed(tmp_path, source, length):
    with open(source.path, "r+b") as file:
        file.write(b"changed")
    os.utime(source.path, ns=(1, 1))
    with pytest.raises(ModelError, match="changed while it was being read"):
        spooled(tmp_path, [span(source, 0, length)])


def test_sources_beyond_the_open_file_limit_are_copied_too(tmp_path, source, monkeypatch):
    monkeypatch.setattr(files, "KEEP_OPEN", 0)
    parts, expected = mixed(File(source.path))
    assert spooled(tmp_path, parts) == expected


def test_a_tensor_that_cannot_be_read_stops_it(tmp_path):
    with pytest.raises(ModelError, match="gone"):
        spooled(tmp_path, [b"head", MissingTensor(dtypes.UINT8, (10,), "gone")])


class Liar(Tensor):
    """A tensor whose chunks do not add up to its size."""

    __slots__ = ("given",)

    def chunks(self, size=0):
        yield from self.given


@pytest.mark.parametrize("given", [[], [b"ab"], [b"abc", b"d", b"e"]])
def test_a_tensor_must_give_as_many_bytes_as_it_announced(tmp_path, given):
    liar = Liar(dtypes.UINT8, (4,))
    liar.given = given
    with pytest.raises(ModelError, match="another number of bytes"):
        list(checked_chunks(liar))
    with pytest.raises(ModelError, match="another number of bytes"):
        spooled(tmp_path, [liar])
    liar.given = [b"ab", b"cd"]
    assert list(checked_chunks(liar)) == [b"ab", b"cd"]


def test_holes_of_a_source_stay_holes_at_any_offset(tmp_path):
    size = 3 << 30
    marks = [(0, b"first"), ((1 << 30) - 2, b"middle"), (size - 4, b"last")]
    with open(tmp_path / "sparse", "wb") as out:
        for offset, data in marks:
            out.seek(offset)
            out.write(data)
    file = File(tmp_path / "sparse")
    out = tmp_path / "out"
    fd = os.open(out, os.O_RDWR | os.O_CREAT)
    Spooler(fd, True, 0, None).write([b"123", span(file, 0, size), Gap(1 << 30), b"end"])
    os.close(fd)
    info = os.stat(out)
    assert info.st_size == 3 + size + (1 << 30) + 3
    assert info.st_blocks * 512 < 4 << 20
    written = File(out)
    for offset, data in marks:
        assert written.pread(3 + offset, len(data)) == data
        assert written.pread(3 + offset + len(data), 3) == b"\0\0\0"
    assert written.pread(info.st_size - 3, 3) == b"end"
    assert written.pread(0, 3) == b"123"


def test_a_hole_at_the_end_is_part_of_the_file(tmp_path):
    fd = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
    Spooler(fd, True, 0, None).write([b"x", Gap(1 << 20)])
    os.close(fd)
    assert (tmp_path / "out").read_bytes() == b"x" + bytes(1 << 20)
