import errno
import gc
import os
import resource
import stat
import threading
from contextlib import contextmanager

import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import replace
from onnxsim_core.ir.replace import Replacement


def put(path, data=b"new", fsync=False):
    with Replacement(path) as target:
        target.write([data], len(data), None)
        target.commit(fsync)


@contextmanager
def untouched(folder):
    """Nothing in a folder changes, and no descriptor is left open."""

    def state():
        return {
            str(path): (os.readlink(path) if path.is_symlink() else path.is_file() and path.read_bytes())
            for path in folder.rglob("*")
        }

    gc.collect()  # what earlier tests left open must not be closed in between
    before, descriptors = state(), len(os.listdir("/dev/fd"))
    yield
    assert state() == before
    assert len(os.listdir("/dev/fd")) == descriptors


@pytest.mark.parametrize("fsync", [False, True])
@pytest.mark.parametrize("old", [None, b"older and longer"])
def test_a_file_is_made_or_replaced(tmp_path, old, fsync):
    path = tmp_path / "m.onnx"
    if old is not None:
        path.write_bytes(old)
    put(path, b"new", fsync)
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_a_relative_path_and_a_very_long_name_work(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = "m" * 250 + ".onnx"
    put(name)
    assert (tmp_path / name).read_bytes() == b"new"


def test_until_commit_the_old_file_is_there(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    with Replacement(path) as target:
        target.write([b"new"], 3, None)
        assert path.read_bytes() == b"old"
        (temporary,) = set(os.listdir(tmp_path)) - {"m.onnx"}
        assert temporary.startswith(".onnxsim-") and temporary.endswith(".tmp")
        target.commit()
        assert path.read_bytes() == b"new"


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_without_commit_nothing_happened(tmp_path, error):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    with untouched(tmp_path), pytest.raises(error), Replacement(path) as target:
        target.write([b"new"], 3, None)
        raise error


def test_two_writers_do_not_meet(tmp_path):
    path = tmp_path / "m.onnx"
    with Replacement(path) as one, Replacement(path) as two:
        one.write([b"one"], 3, None)
        two.write([b"two"], 3, None)
        one.commit()
        assert path.read_bytes() == b"one"
        two.commit()
    assert path.read_bytes() == b"two"
    assert os.listdir(tmp_path) == ["m.onnx"]


@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600), (0o002, 0o664)])
def test_a_new_file_has_the_mode_of_any_new_file(tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        put(tmp_path / "m.onnx")
    finally:
        os.umask(before)
    assert stat.S_IMODE(os.stat(tmp_path / "m.onnx").st_mode) == mode


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o666, 0o755])
def test_a_replaced_file_keeps_its_mode(tmp_path, mode):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    os.chmod(path, mode)
    put(path)
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(os.stat(path).st_mode) == mode


@pytest.mark.parametrize("exists", [True, False])
def test_a_link_is_written_through(tmp_path, exists):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "m.onnx"
    if exists:
        target.write_bytes(b"old")
    os.symlink("real/m.onnx", tmp_path / "link")
    put(tmp_path / "link")
    assert os.readlink(tmp_path / "link") == "real/m.onnx"
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path / "real") == ["m.onnx"]


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ("nowhere/m.onnx", "the folder does not exist"),
        ("file/m.onnx", "a part of the path is not a folder"),
        ("folder", "it is a folder"),
        ("folder/", "it is a folder"),
        (".", "it is a folder"),
        ("m" * 300, "the name is too long"),
        ("nul\0", "null"),
        ("loop", "symbolic links"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_in_one_line(tmp_path, place, reason):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_bytes(b"x")
    os.symlink("loop", tmp_path / "loop")
    path = f"{tmp_path}/{place}"
    with untouched(tmp_path), pytest.raises(ModelError, match=reason) as caught:
        put(path)
    assert (caught.value.code, caught.value.where) == ("output", path)
    assert "\n" not in str(caught.value)


def test_a_write_protected_file_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    os.chmod(path, 0o444)
    # A superuser may write everything; the answer of the system for anybody else stands in.
    monkeypatch.setattr(os, "access", lambda *args: False)
    with untouched(tmp_path), pytest.raises(ModelError, match="permission denied"):
        put(path)


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.EACCES, "permission denied"),
        (errno.EROFS, "file system is read-only"),
        (errno.EMFILE, "[Tt]oo many open"),
    ],
)
def test_a_folder_closed_to_writing_is_named(tmp_path, monkeypatch, number, reason):
    def closed(*args, **kwargs):
        raise OSError(number, os.strerror(number))

    with untouched(tmp_path), monkeypatch.context() as patch, pytest.raises(ModelError, match=reason):
        patch.setattr(os, "open", closed)
        put(tmp_path / "m.onnx")


@contextmanager
def file_size_limit(size):
    """A limit on the size of files, which the kernel enforces like a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_write_that_fails_in_the_middle_leaves_the_old_file(tmp_path):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    with untouched(tmp_path), pytest.raises(ModelError, match="too large for the file system") as caught:
        with file_size_limit(1 << 20):
            put(path, bytes(range(256)) * 8192)
    assert caught.value.code == "output"


def test_a_full_disk_is_named():
    with pytest.raises(ModelError, match="/dev/full: cannot be written: the disk is full"):
        put("/dev/full")


@pytest.mark.parametrize("call", ["replace", "fsync", "fchmod"])
def test_a_failure_at_the_end_leaves_the_old_file(tmp_path, monkeypatch, call):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")

    def fail(*args):
        raise OSError(errno.EIO, "Input/output error")

    with untouched(tmp_path), monkeypatch.context() as patch, pytest.raises(ModelError, match="Input/output error"):
        patch.setattr(os, call, fail)
        put(path, fsync=True)


def test_devices_and_pipes_are_written_to_and_stay(tmp_path):
    put(os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    got = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    put(pipe, b"x" * 200_000, fsync=True)
    reader.join()
    assert got == [b"x" * 200_000]
    assert stat.S_ISFIFO(os.stat(pipe).st_mode)
    assert os.listdir(tmp_path) == ["pipe"]


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
@pytest.mark.parametrize("old", [None, b"old"])
@pytest.mark.parametrize("kept", [True, False])
def test_a_commit_can_be_taken_back_until_it_is_kept(tmp_path, monkeypatch, links, old, kept):
    def refuse(*args):
        raise OSError(errno.EPERM, "no hard links here")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    path = tmp_path / "w.bin"
    if old is not None:
        path.write_bytes(old)
    with Replacement(path) as target:
        target.write([b"new"], 3, None)
        target.commit(keep_old=True)
        assert path.read_bytes() == b"new"
        if kept:
            target.keep()
    expected = b"new" if kept else old
    assert os.listdir(tmp_path) == ([] if expected is None else ["w.bin"])
    assert expected is None or path.read_bytes() == expected


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "no hard links"])
def test_a_failed_commit_with_the_old_file_set_aside_brings_it_back(tmp_path, monkeypatch, links):
    path = tmp_path / "w.bin"
    path.write_bytes(b"old")
    original = os.replace

    def fail_once(source, target):
        monkeypatch.setattr(os, "replace", original)
        raise OSError(errno.EIO, "Input/output error")

    def refuse(*args):
        raise OSError(errno.EPERM, "no hard links here")

    if not links:
        monkeypatch.setattr(os, "link", refuse)
    monkeypatch.setattr(os, "replace", fail_once)
    with untouched(tmp_path), pytest.raises(ModelError, match="Input/output error"), Replacement(path) as target:
        target.write([b"new"], 3, None)
        target.commit(keep_old=True)


def test_names_of_temporary_files_cannot_be_guessed(tmp_path):
    target = Replacement(tmp_path / "m.onnx")
    names = {target._beside() for _ in range(100)}
    assert len(names) == 100
    target._discard()
    assert replace._TEMPORARY & os.O_EXCL
