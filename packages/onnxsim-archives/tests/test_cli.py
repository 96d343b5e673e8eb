import os

import numpy as np
import onnx
import pytest
from archiving import arrays, canonical, model_of

from onnxsim_archives import import_gguf, import_safetensors
from onnxsim_archives.cli import main, run
from onnxsim_core import ModelError, OptionError

MODEL = model_of(*arrays(w=np.arange(3000, dtype=np.float32), b=np.int64([1])))


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    onnx.save(MODEL, "m.onnx")


@pytest.mark.parametrize(
    ("words", "made", "load"),
    [
        (["m.onnx", "m.onnx.safetensors"], "m.onnx.safetensors", import_safetensors),
        (["m.onnx", "M.GGUF"], "M.GGUF", import_gguf),
        (["m.onnx", "m.bin", "--format", "gguf"], "m.bin", import_gguf),
        (["m.onnx", "m.gguf", "--format", "safetensors"], "m.gguf", import_safetensors),
    ],
)
def test_exporting(words, made, load, capsys):
    assert run(["export", *words]) == 0
    assert canonical(load(made)) == canonical(MODEL)
    assert capsys.readouterr().out == f"{made}\n"


def test_one_archive_becomes_another():
    assert run(["export", "m.onnx", "m.gguf"]) == run(["export", "m.gguf", "m.safetensors"]) == 0
    assert canonical(import_safetensors("m.safetensors")) == canonical(MODEL)


@pytest.mark.parametrize(
    ("options", "files"),
    [
        ([], {"n.onnx"}),
        (["--external-data-threshold", "10KB"], {"n.onnx", "n.onnx.data"}),
        (["--refer"], {"n.onnx"}),
    ],
)
def test_importing(options, files):
    run(["export", "m.onnx", "m.gguf"])
    assert run(["import", "m.gguf", "n.onnx", *options]) == 0

    assert {*os.listdir()} - {"m.onnx", "m.gguf"} == files
    assert canonical(onnx.load("n.onnx")) == canonical(MODEL)
    assert (os.path.getsize("n.onnx") < 12_000) is bool(options)


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["export", "m.onnx"], "required: ARCHIVE"),
        (["export", "m.onnx", "m.bin"], "'m.bin' tells no format"),
        (["export", "m.onnx", "m.bin", "--format", "zip"], "invalid choice"),
        (["import", "m.gguf", "n.onnx", "--refer", "--external-data-threshold", "1KB"], "not allowed with"),
        (["import", "m.gguf", "n.onnx", "--external-data-threshold", "much"], "'much' is not a size"),
        (["pack"], "invalid choice: 'pack'"),
    ],
)
def test_a_wrong_command_line(words, text, capsys):
    with pytest.raises(OptionError, match=text):
        run(words)
    assert main(words) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert os.listdir() == ["m.onnx"]


def test_a_wrong_file(capsys):
    with pytest.raises(ModelError):
        run(["import", "m.onnx", "n.onnx"])
    assert main(["import", "m.onnx", "n.onnx"]) == 1
    assert capsys.readouterr().err.startswith("onnxsim: error: m.onnx: not a safetensors file")


def test_alone_it_shows_what_there_is(capsys):
    assert main([]) == 2
    assert "export" in capsys.readouterr().out
    assert main(["import", "--help"]) == 0
    assert "--refer" in capsys.readouterr().out
