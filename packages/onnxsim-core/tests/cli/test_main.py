"""The command as a whole, most of all what it says when something is wrong."""

import os
import subprocess
import sys

import numpy as np
import onnx
import pytest
from cli.running import assert_one_line, onnxsim, ops_of, reshape_model

import onnxsim_core
from onnxsim_core.cli.main import build_parser
from onnxsim_testkit import model


def command(*words, **settings):
    return subprocess.run([sys.executable, "-m", "onnxsim_core", *map(str, words)], capture_output=True, text=True,
                          timeout=120, **settings)


def in_shell(words, redirection):
    return subprocess.run(f'"{sys.executable}" -m onnxsim_core {words} {redirection}', shell=True, capture_output=True,
                          text=True, timeout=120)


# --- a real process ------------------------------------------------------------------------------------------------
def test_simplifying_in_a_process_of_its_own(tmp_path):
    ran = command(reshape_model(tmp_path / "a.onnx"), tmp_path / "b.onnx")

    assert (ran.returncode, ran.stderr) == (0, "")
    assert ops_of(tmp_path / "b.onnx") == ["Reshape"]
    assert "Original Model" in ran.stdout and "9 nodes -> 1" in ran.stdout


def test_the_help_imports_neither_onnx_nor_numpy():
    program = ("import sys; sys.modules['onnxsim_command'] = sys  # as if the command had started it\n"
               "from onnxsim_core.cli.main import main; main(['--help']);"
               "print(sorted({'onnx', 'numpy', 'rich', 'onnxruntime'} & set(sys.modules)))")
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert ran.stdout.startswith("usage: onnxsim [options] INPUT OUTPUT [CHECK_N]")
    assert ran.stdout.rstrip().endswith("[]")


def test_a_reader_that_goes_away_is_no_error():
    ran = subprocess.run(f'"{sys.executable}" -m onnxsim_core --list-default-optimizers | head -n 1',
                         shell=True, capture_output=True, text=True)

    assert ran.stdout.count("\n") == 1 and ran.stderr == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("words", ["-V", "{0}/a.onnx {0}/b.onnx", "{0}/a.onnx -o {0}/many"])
def test_a_closed_stream_is_no_error(tmp_path, closed, words):
    reshape_model(tmp_path / "a.onnx")
    ran = in_shell(words.format(tmp_path), closed)

    assert (ran.returncode, ran.stderr) == (0, "")
    assert bool(ran.stdout) == (closed == "2>&-")
    assert (tmp_path / "b.onnx").exists() == ("b.onnx" in words)
    assert (tmp_path / "many" / "a.onnx").exists() == ("many" in words)


def test_an_error_that_nobody_can_see_still_gives_its_code(tmp_path):
    ran = in_shell(f"{tmp_path}/none.onnx {tmp_path}/b.onnx -n no", "2>&-")

    assert (ran.returncode, ran.stdout) == (2, "")


# --- information ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("words", [["-V"], ["--version"], ["-v"], ["-V", "a.onnx"]])
def test_the_version(words):
    assert onnxsim(*words) == onnxsim("--version")
    assert onnxsim(*words).out == f"onnxsim {onnxsim_core.__version__}\n"


def test_without_words_the_usage_is_shown():
    ran = onnxsim()

    assert ran.code == 2 and ran.out.startswith("usage: onnxsim")


def test_every_option_has_a_help_text():
    for action in build_parser()._actions:
        assert action.help, action.option_strings


# --- what is wrong with the command line ---------------------------------------------------------------------------
@pytest.mark.parametrize(("words", "part"), [
    (["a.onnx"], "OUTPUT is missing"),
    (["-q"], "INPUT and OUTPUT are missing"),
    (["a.onnx", "b.onnx", "c.onnx"], "'c.onnx' is one word too many"),
    (["a.onnx", "b.onnx", "3", "-n", "2"], "given twice"),
    (["a.onnx", "b.onnx", "--frobnicate"], "no option --frobnicate"),
    (["a.onnx", "b.onnx", "--cuda", "--providers", "CPUExecutionProvider"], "--cuda is short for"),
    (["a.onnx", "b.onnx", "--quiet", "--json"], "contradict"),
    (["a.onnx", "b.onnx", "-j", "2"], "-o"),
    (["a.onnx", "-o", "x", "-j", "0"], "at least 1"),
    (["a.onnx", "-o", "x", "--html", "x.html"], "--html writes one file"),
    (["a.onnx", "-o", "x", "--node-reduction-plot"], "--node-reduction-plot writes one file"),
    (["a.onnx", "b.onnx", "--skip-optimization", "--enable-optimization", "nop"], "leaves out all passes"),
    (["a.onnx", "b.onnx", "--input-shape", "x:1", "--overwrite-input-shape", "x:1"], "is the old name of"),
    (["a.onnx", "b.onnx", "--input-fill", "twos"], "invalid choice"),
    (["a.onnx", "b.onnx", "--no-large-tensor=1X"], "is not a size"),
    (["a.onnx", "b.onnx", "--overwrite-input-shape", "x:a"], "is no input shape"),
    (["a.onnx", "b.onnx", "--check-rtol", "-1"], "is no tolerance"),
    (["a.onnx", "b.onnx", "-n", "many"], "is no number of times"),
    (["a.onnx", "b.onnx", "-n", "-3"], "'-3' is no number of times"),
    (["a.onnx", "b.onnx", "-3"], "'-3' is no number of times"),
    (["a.onnx", "-o", "x", "-3"], "'-3' is no number of times"),
])
def test_a_wrong_command_line(words, part):
    assert_one_line(onnxsim(*words), 2, part)


# --- what is wrong with files --------------------------------------------------------------------------------------
def damaged(tmp_path, kind):
    """A model file that cannot be simplified."""
    path = tmp_path / "bad.onnx"
    whole = reshape_model(tmp_path / "whole.onnx").read_bytes()
    if kind == "missing":
        return path
    if kind == "folder":
        path.mkdir()
        return path
    if kind == "data":
        big = model("g (float[512] x) => (float[512] y) { y = Add(x, w) }",
                    initializers={"w": np.ones(512, np.float32)})
        onnx.save(big, path, save_as_external_data=True, location="w.bin", size_threshold=0)
        (tmp_path / "w.bin").write_bytes(b"too short")
        return path
    if kind == "escape":
        big = onnx.load_from_string(whole)
        tensor = big.graph.initializer[0]
        tensor.ClearField("raw_data")
        tensor.data_location = onnx.TensorProto.EXTERNAL
        tensor.external_data.add(key="location", value="../../etc/passwd")
        path.write_bytes(big.SerializeToString())
        return path
    path.write_bytes({
        "empty": b"", "text": b"no model\n" * 9, "random": np.random.default_rng(1).bytes(4096),
        "truncated": whole[:len(whole) // 2], "no graph": onnx.ModelProto(ir_version=8).SerializeToString()}[kind])
    return path


KINDS = ["missing", "folder", "data", "escape", "empty", "text", "random", "truncated", "no graph"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_bad_model_is_one_line_and_the_previous_output_stays(tmp_path, kind):
    output = tmp_path / "out.onnx"
    output.write_bytes(b"previous")

    ran = onnxsim(damaged(tmp_path, kind), output)

    assert_one_line(ran, 1, "w.bin" if kind == "data" else "bad.onnx")
    assert output.read_bytes() == b"previous"
    assert ran.out == ""


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "data"])
def test_a_bad_model_cannot_be_inspected(tmp_path, kind):
    assert_one_line(onnxsim("inspect", damaged(tmp_path, kind)), 1, "bad.onnx")


def test_the_traceback_is_for_those_who_ask(tmp_path):
    ran = onnxsim(damaged(tmp_path, "empty"), tmp_path / "out.onnx", "-v")

    assert ran.code == 1 and "Traceback" in ran.err
    assert ran.err.rstrip().rpartition("\n")[2].startswith("onnxsim: error: ")


@pytest.mark.parametrize(("words", "code", "part"), [
    (["--skip-optimization", "fuse_bn_in_conv"], 2, "did you mean fuse_bn_into_conv"),
    (["--enable-optimization", "no_such_pass"], 2, "no pass called 'no_such_pass'"),
    (["--unused-output", "z"], 2, "no output called 'z'"),
    (["--unused-output", "y"], 2, "every output"),
    (["--overwrite-input-shape", "z:1"], 2, "no input called 'z'"),
    (["--overwrite-input-shape", "x:2,3"], 2, "dimensions"),
    (["--overwrite-input-shape", "x:2,3,5"], 2, "fixed to 4"),
    (["--overwrite-input-shape", "x:2,3,4", "x:2,3,4"], 2, "two shapes"),
    (["1", "--test-input-shape", "z:1"], 2, "no input called 'z'"),
    (["1", "--input-data-path", "x:missing.npy"], 2, "missing.npy: there is no such file"),
    (["--providers", "NoSuchExecutionProvider"], 2, "NoSuchExecutionProvider"),
])
def test_an_option_that_does_not_fit_the_model(tmp_path, words, code, part):
    output = tmp_path / "out.onnx"
    output.write_bytes(b"previous")

    assert_one_line(onnxsim(reshape_model(tmp_path / "a.onnx"), output, *words), code, part)
    assert output.read_bytes() == b"previous"


@pytest.mark.parametrize(("target", "part"), [
    ("no/such/folder/out.onnx", "the folder does not exist"),
    (".", "is a folder (to write into it, use -o"),
    ("a.onnx/out.onnx", "the folder does not exist"),
    ("out.safetensors", "pip install onnxsim-archives"),
    *([("/dev/full", "the disk is full")] if os.path.exists("/dev/full") else []),
])
def test_an_output_that_cannot_be_written(tmp_path, target, part):
    source = reshape_model(tmp_path / "a.onnx")

    assert_one_line(onnxsim(source, tmp_path / target, "--no-plugins"), 1, part)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx"]


def test_an_interrupted_run_says_so(tmp_path, monkeypatch):
    import onnxsim_core.api

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(onnxsim_core.api, "simplify", interrupted)
    ran = onnxsim(reshape_model(tmp_path / "a.onnx"), tmp_path / "b.onnx")

    assert (ran.code, ran.err) == (130, "onnxsim: interrupted\n")
