"""What the `onnxsim` command gains: through the entry points of the installed distribution."""

import importlib.metadata
import subprocess
import sys

import numpy as np
import onnx
import pytest
from archiving import arrays, model_of

from onnxsim_archives import export_gguf, export_safetensors, import_gguf, import_safetensors, open_archive
from onnxsim_archives.plugin import register, register_command
from onnxsim_core.cli.main import main
from onnxsim_core.errors import PluginError
from onnxsim_core.plugins import CliHost, FormatHost


def product():
    """x @ w through an Identity."""
    nodes = [onnx.helper.make_node("MatMul", ["x", "w"], ["t"]), onnx.helper.make_node("Identity", ["t"], ["y"])]
    model = model_of(*arrays(w=np.arange(4000, dtype=np.float32).reshape(4, 1000)), nodes=nodes)
    model.graph.input.append(onnx.helper.make_tensor_value_info("x", 1, ["n", 4]))
    del model.graph.output[:]
    model.graph.output.append(onnx.helper.make_tensor_value_info("y", 1, ["n", 1000]))
    return model


def test_the_distribution_offers_both_under_the_groups_of_the_core():
    found = {
        (entry.group, entry.name): entry.load()
        for entry in importlib.metadata.distribution("onnxsim-archives").entry_points
    }

    assert found == {("onnxsim.cli", "archives"): register_command, ("onnxsim.formats", "archives"): register}


def test_formats_are_registered_by_suffix(tmp_path):
    host = FormatHost()
    register(host)
    export_gguf(product(), tmp_path / "a.gguf")

    assert {*host.formats} == {".safetensors", ".gguf"}
    assert host.reader("m.onnx") is None
    assert repr(host.reader("A.ONNX.GGUF")(str(tmp_path / "a.gguf"))) == repr(open_archive(tmp_path / "a.gguf"))
    with pytest.raises(PluginError):
        register(host)


def test_the_command_is_registered():
    from onnxsim_core.cli.main import build_parser

    parser = build_parser()
    host = CliHost(parser)
    register_command(host)

    assert host.commands["archive"]([]) == 2
    assert "archive export MODEL" in parser.format_help()


@pytest.mark.parametrize("source", ["m.onnx", "m.onnx.safetensors", "m.onnx.gguf"])
@pytest.mark.parametrize(
    ("target", "load"),
    [("s.onnx", onnx.load), ("s.onnx.safetensors", import_safetensors), ("s.gguf", import_gguf)],
)
def test_the_command_simplifies_from_and_to_archives(tmp_path, monkeypatch, capsys, source, target, load):
    monkeypatch.chdir(tmp_path)
    model = product()
    onnx.save(model, "m.onnx")
    export_safetensors(model, "m.onnx.safetensors")
    export_gguf(model, "m.onnx.gguf")

    assert main([source, target, "2"]) == 0
    simplified = load(target)
    assert [node.op_type for node in simplified.graph.node] == ["MatMul"]
    assert simplified.graph.initializer[0].raw_data == model.graph.initializer[0].raw_data
    assert f"{target}: 2 nodes -> 1, equal on 2" in capsys.readouterr().out


def test_the_command_archives_and_inspects(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    onnx.save(product(), "m.onnx")

    assert main(["archive", "export", "m.onnx", "m.gguf"]) == 0
    assert main(["archive", "import", "m.gguf", "n.onnx"]) == 0
    assert main(["inspect", "m.gguf"]) == 0
    assert "MatMul" in capsys.readouterr().out
    assert onnx.load("n.onnx") == product()


@pytest.mark.parametrize("option", [["--save-as-external-data"], ["--external-data-threshold", "1KB"]])
def test_an_archive_is_one_file(tmp_path, monkeypatch, capsys, option):
    monkeypatch.chdir(tmp_path)
    onnx.save(product(), "m.onnx")

    assert main(["m.onnx", "s.gguf", *option]) == 2
    assert "s.gguf is one file" in capsys.readouterr().err
    assert not (tmp_path / "s.gguf").exists()


def test_what_is_wrong_with_an_archive_is_one_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "w.gguf").write_bytes(b"GGUF")

    assert main(["w.gguf", "s.onnx"]) == 1
    error = capsys.readouterr().err
    assert error.startswith("onnxsim: error: w.gguf: damaged GGUF file") and error.count("\n") == 1


def test_the_command_finds_the_plugin_without_importing_onnx():
    code = "import sys, onnxsim_command, onnxsim_archives.plugin; print('onnx' in sys.modules, 'numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "False"]
