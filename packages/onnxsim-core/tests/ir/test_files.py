import gc
import os

import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import files
from onnxsim_core.ir.files import File, resolve_external

DATA = bytes(range(256)) * 40


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "model.onnx"
    path.write_bytes(DATA)
    return path


def open_descriptors():
    return len(os.listdir("/dev/fd"))


def test_reads_any_range(path):
    file = File(path)
    assert file.size == len(DATA)
    assert file.path == str(path)
    assert file.identity == (os.stat(path).st_dev, os.stat(path).st_ino)
    for offset, length in [(0, 0), (0, len(DATA)), (7, 100), (len(DATA), 0), (len(DATA) - 1, 1)]:
        assert file.pread(offset, length) == DATA[offset : offset + length]
        assert bytes(file.view(offset, length)) == DATA[offset : offset + length]
        assert bytes(file.mmap()[offset : offset + length]) == DATA[offset : offset + length]


def test_views_are_read_only_and_outlive_the_file(path):
    view = File(path).view(1, 3)
    gc.collect()
    assert view.readonly
    assert bytes(view) == DATA[1:4]


def test_only_a_large_view_is_a_mapping(path, monkeypatch):
    monkeypatch.setattr(files, "MAP_FROM", 100)
    file = File(path)
    assert bytes(file.view(1, 100)) == DATA[1:101]
    assert file._map is None
    assert bytes(file.view(1, 101)) == DATA[1:102]
    assert file._map is not None


def test_a_large_view_is_declined_once_the_file_changed(path, monkeypatch):
    monkeypatch.setattr(files, "MAP_FROM", 100)
    file = File(path)
    os.truncate(path, 50)
    with pytest.raises(ModelError, match="changed while it was being read"):
        file.view(0, 200)


@pytest.mark.parametrize("way", ["preadv", "pread", "lseek"])
def test_all_ways_of_reading_agree(path, monkeypatch, way):
    if way != "preadv":
        monkeypatch.setattr(files, "_preadv", None)
    if way == "lseek":
        monkeypatch.setattr(files, "_pread", None)
    monkeypatch.setattr(files, "_MAX_READ", 1000)
    file = File(path)
    assert file.pread(5, 5000) == DATA[5:5005]
    assert bytes(file.view(5, 5000)) == DATA[5:5005]


@pytest.mark.parametrize(("offset", "length"), [(-1, 2), (0, -1), (len(DATA), 1), (1, len(DATA)), (1 << 70, 1)])
def test_a_range_outside_is_declined(path, offset, length):
    file = File(path)
    for read in (file.pread, file.view):
        with pytest.raises(ModelError, match="are wanted of a file of") as caught:
            read(offset, length)
        assert (caught.value.code, caught.value.offset) == ("range", offset)


@pytest.mark.parametrize("way", ["preadv", "pread", "lseek"])
def test_a_file_that_shrinks_gives_an_error_with_the_offset(path, monkeypatch, way):
    if way != "preadv":
        monkeypatch.setattr(files, "_preadv", None)
    if way == "lseek":
        monkeypatch.setattr(files, "_pread", None)
    file = File(path)
    os.truncate(path, 1000)
    for read in (file.pread, file.view):
        with pytest.raises(ModelError, match="became shorter") as caught:
            read(500, 5000)
        assert caught.value.offset == 1000
    assert file.pread(500, 500) == DATA[500:1000]


def test_changes_are_noticed(path):
    file = File(path)
    file.check_unchanged()
    os.utime(path, ns=(1, 1))
    with pytest.raises(ModelError, match="changed while it was being read"):
        file.check_unchanged()


def test_a_replaced_file_is_still_the_one_that_was_opened(path, tmp_path):
    file = File(path)
    (tmp_path / "new").write_bytes(b"new")
    os.replace(tmp_path / "new", path)
    assert file.pread(0, 100) == DATA[:100]


@pytest.mark.parametrize("place", ["nowhere", "folder", "model.onnx/inside", "fifo", "link to fifo", "nul\0", "loop"])
def test_only_regular_files_open(path, tmp_path, place):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    os.symlink("fifo", tmp_path / "link to fifo")
    os.symlink("loop", tmp_path / "loop")
    before = open_descriptors()
    with pytest.raises(ModelError) as caught:
        File(tmp_path / place)
    assert caught.value.code == "file"
    assert caught.value.where == str(tmp_path / place)
    assert open_descriptors() == before


def test_the_descriptor_goes_with_the_object(path):
    before = open_descriptors()
    kept = files._open_files
    file = File(path)
    assert open_descriptors() == before + 1
    del file
    gc.collect()
    assert open_descriptors() == before
    assert files._open_files == kept


def test_closing_twice_is_harmless_and_reading_goes_on(path):
    kept = files._open_files
    file = File(path)
    view = file.view(0, 10)
    file.close()
    file.close()
    assert files._open_files == kept
    assert bytes(view) == DATA[:10]
    assert file.pread(3, 4) == DATA[3:7]


def test_beyond_a_number_of_files_each_read_opens_anew(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "KEEP_OPEN", files._open_files + 2)
    before = open_descriptors()
    many = []
    for i in range(20):
        (tmp_path / str(i)).write_bytes(bytes([i]) * 100)
        many.append(File(tmp_path / str(i)))
    assert open_descriptors() == before + 2
    assert [file.pread(50, 1)[0] for file in many] == list(range(20))
    assert [bytes(file.view(99, 1))[0] for file in many] == list(range(20))
    assert open_descriptors() == before + 2


def test_files_of_forgotten_models_make_room(tmp_path, monkeypatch):
    """A graph refers to itself, so what it held open stays so until the collector comes by."""
    (tmp_path / "old").write_bytes(DATA)
    (tmp_path / "new").write_bytes(DATA)
    gc.collect()
    monkeypatch.setattr(files, "KEEP_OPEN", files._open_files + 5)
    monkeypatch.setattr(files, "_opened", files._open_files)
    gc.disable()
    try:
        for _ in range(5):
            cycle = [File(tmp_path / "old")]
            cycle.append(cycle)
        del cycle
        assert files._open_files == files.KEEP_OPEN
        file = File(tmp_path / "new")
    finally:
        gc.enable()
    os.unlink(tmp_path / "new")
    assert file.pread(0, len(DATA)) == DATA and files._open_files < files.KEEP_OPEN


def test_a_file_opened_anew_must_be_the_same_one(tmp_path, path, monkeypatch):
    monkeypatch.setattr(files, "KEEP_OPEN", 0)
    file = File(path)
    (tmp_path / "new").write_bytes(DATA)
    os.replace(tmp_path / "new", path)
    with pytest.raises(ModelError, match="changed while it was being read"):
        file.pread(0, 10)
    os.unlink(path)
    with pytest.raises(ModelError, match="cannot be opened: No such file"):
        file.pread(0, 10)


def test_an_empty_file_opens_but_cannot_be_mapped(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    file = File(tmp_path / "empty")
    assert (file.size, file.pread(0, 0), bytes(file.view(0, 0))) == (0, b"", b"")
    with pytest.raises(ModelError, match="cannot be mapped"):
        file.mmap()


def test_extents_of_a_sparse_file_leave_out_its_holes(tmp_path):
    path = tmp_path / "sparse"
    with open(path, "wb") as out:
        for offset in (0, 10 << 20, 20 << 20):
            out.seek(offset)
            out.write(b"x" * 4096)
        out.truncate(30 << 20)
    file = File(path)
    assert file.sparse
    extents = list(file.data_extents(100, (30 << 20) - 100))
    covered = sum(end - start for start, end in extents)
    assert 3 * 4096 - 100 <= covered < 1 << 20
    for mark in (200, 10 << 20, (20 << 20) + 4095):
        assert any(start <= mark < end for start, end in extents)
    assert extents == sorted(extents)
    assert list(file.data_extents(11 << 20, 1 << 20)) == []
    assert list(file.data_extents(25 << 20, 5 << 20)) == []
    assert list(file.data_extents(10 << 20, 10)) == [(10 << 20, (10 << 20) + 10)]


def test_extents_of_a_dense_file_are_one(path):
    file = File(path)
    assert not file.sparse
    assert list(file.data_extents(5, 100)) == [(5, 105)]
    assert list(file.data_extents(5, 0)) == []


# --- external paths ---


@pytest.fixture
def folder(tmp_path):
    base = tmp_path / "model"
    (base / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "model-2").mkdir()
    (tmp_path / "model-2" / "w.bin").write_bytes(b"other")
    for name in ("w.bin", "sub/w.bin", "sub/..w", "a b"):
        (base / name).write_bytes(b"w")
    return base


@pytest.mark.parametrize("location", ["w.bin", "./w.bin", "sub/w.bin", "sub/../w.bin", "sub//w.bin", "sub/..w", "a b"])
def test_files_inside_the_folder_are_found(folder, location):
    found = resolve_external(folder, location)
    assert os.path.samefile(found, folder / location)
    assert found == os.path.realpath(found)


@pytest.mark.parametrize(
    ("location", "reason"),
    [
        ("", "is not a file name"),
        ("w\0.bin", "is not a file name"),
        (".", "is the model's folder itself"),
        ("sub/..", "is the model's folder itself"),
        ("/etc/passwd", "is an absolute path"),
        ("//etc/passwd", "is an absolute path"),
        ("..", "leaves the model's folder"),
        ("../secret", "leaves the model's folder"),
        ("../model/w.bin", "leaves the model's folder"),
        ("../model-2/w.bin", "leaves the model's folder"),
        ("sub/../../secret", "leaves the model's folder"),
        ("sub", "is not a regular file"),
        ("w" * 5000, "cannot be used"),
        ("w.bin/x", "cannot be used"),
    ],
)
def test_everything_else_is_declined(folder, location, reason):
    with pytest.raises(ModelError, match=reason) as caught:
        resolve_external(folder, location, tensor="conv.weight")
    assert caught.value.code == "external-path"
    assert "'conv.weight'" in str(caught.value)


def test_a_missing_file_is_told_apart(folder):
    with pytest.raises(ModelError, match="does not exist") as caught:
        resolve_external(folder, "sub/nothing.bin")
    assert caught.value.code == "external-missing"


@pytest.mark.parametrize(
    ("link", "target", "location"),
    [
        ("out.bin", "../secret", "out.bin"),
        ("out", "..", "out/secret"),
        ("out", "../model-2", "out/w.bin"),
        ("out", "/", "out/etc/passwd"),
        ("out", "../model-2", "out/../secret"),
    ],
)
def test_links_out_of_the_folder_are_declined(folder, link, target, location):
    os.symlink(target, folder / link)
    with pytest.raises(ModelError, match="through a symbolic link") as caught:
        resolve_external(folder, location)
    assert caught.value.code == "external-path"


def test_links_within_the_folder_are_followed(folder, tmp_path):
    os.symlink("sub/w.bin", folder / "in.bin")
    os.symlink(folder, tmp_path / "alias")
    assert resolve_external(folder, "in.bin") == str(folder / "sub" / "w.bin")
    assert resolve_external(tmp_path / "alias", "w.bin") == str(folder / "w.bin")


@pytest.mark.parametrize("kind", ["dangling", "loop", "fifo"])
def test_links_to_nothing_and_fifos_are_declined(folder, kind):
    if kind == "fifo":
        os.mkfifo(folder / "x")
    else:
        os.symlink("nothing" if kind == "dangling" else "x", folder / "x")
    with pytest.raises(ModelError):
        resolve_external(folder, "x")


def test_a_store_of_the_model_s_own_link_may_be_allowed(tmp_path):
    store, shown = tmp_path / "blobs", tmp_path / "snapshot"
    store.mkdir()
    shown.mkdir()
    (store / "1234").write_bytes(b"w")
    os.symlink("../blobs/1234", shown / "w.bin")
    with pytest.raises(ModelError, match="symbolic link"):
        resolve_external(shown, "w.bin")
    assert resolve_external(shown, "w.bin", also=[store]) == str(store / "1234")


def test_a_folder_at_the_root_of_the_file_system_holds_everything_below(tmp_path):
    (tmp_path / "w").write_bytes(b"w")
    real = os.path.realpath(tmp_path / "w")
    assert resolve_external("/", real.lstrip("/")) == real
