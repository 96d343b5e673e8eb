import argparse
import os

import pytest

from onnxsim_core.cli.jobs import Job, jobs_of
from onnxsim_core.cli.parser import UsageError
from onnxsim_core.errors import ModelError


def jobs(*paths, check_n=None, output_dir=None):
    words = [str(path) for path in paths]
    return jobs_of(argparse.Namespace(paths=words, check_n=check_n, output_dir=output_dir, html=None, picture=None))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.onnx", "b.onnx", "deep/c.onnx", "note.txt"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    return tmp_path


def test_one_model(folder):
    assert jobs("a.onnx", "x.onnx") == [Job("a.onnx", "x.onnx", 0)]
    assert jobs("a.onnx", "x.onnx", "3") == [Job("a.onnx", "x.onnx", 3)]
    assert jobs("a.onnx", "x.onnx", check_n=2) == [Job("a.onnx", "x.onnx", 2)]
    assert jobs("a.onnx", "x.onnx", "0") == [Job("a.onnx", "x.onnx", 0)]
    assert jobs("a.onnx", "a.onnx") == [Job("a.onnx", "a.onnx", 0)]


def test_an_output_whose_name_is_a_number_is_an_output(folder):
    assert jobs("a.onnx", "7") == [Job("a.onnx", "7", 0)]


@pytest.mark.parametrize(("paths", "part"), [
    ((), "INPUT and OUTPUT are missing"),
    (("a.onnx",), "OUTPUT is missing"),
    (("a.onnx", "b.onnx", "x"), "one word too many"),
    (("a.onnx", "b.onnx", "x", "y"), "many models are simplified with -o"),
    (("a.onnx", "x.onnx", "-3"), "'-3' is no number of times"),
])
def test_too_few_and_too_many_words(folder, paths, part):
    with pytest.raises(UsageError, match=part):
        jobs(*paths)


def test_an_output_that_is_a_folder_or_in_none(folder):
    with pytest.raises(ModelError, match="is a folder"):
        jobs("a.onnx", "deep")
    with pytest.raises(ModelError, match="the folder does not exist"):
        jobs("a.onnx", "none/x.onnx")


def test_files_patterns_and_folders_keep_their_places_below_what_they_share(folder):
    out = str(folder / "out")
    found = jobs("*.onnx", "deep", "2", output_dir=out)

    assert found == [Job("a.onnx", os.path.join(out, "a.onnx"), 2), Job("b.onnx", os.path.join(out, "b.onnx"), 2),
                     Job(os.path.join("deep", "c.onnx"), os.path.join(out, "deep", "c.onnx"), 2)]


def test_a_model_named_twice_is_done_once(folder):
    assert len(jobs("a.onnx", "a.*", output_dir="out")) == 1


def test_a_missing_file_is_left_to_the_run(folder):
    assert [job.source for job in jobs("none.onnx", output_dir="out")] == ["none.onnx"]


@pytest.mark.parametrize(("paths", "out", "part"), [
    (("*.pb",), "out", r"no file fits \*\.pb"),
    (("a.onnx",), "note.txt", "it is no folder"),
    ((), "out", "no model to simplify"),
    (("a.onnx", os.path.join(".", "a.onnx")), "out", "would both be written"),
])
def test_what_cannot_go_into_a_folder(folder, paths, out, part):
    with pytest.raises(UsageError, match=part):
        jobs(*paths, output_dir=out)


def test_a_folder_without_models(folder):
    (folder / "empty").mkdir()
    with pytest.raises(UsageError, match=r"holds no \.onnx file"):
        jobs("empty", output_dir="out")
