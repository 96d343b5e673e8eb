import os

import numpy as np
import onnx
import pytest
from cli.running import assert_one_line, onnxsim, ops_of, reshape_model

from onnxsim_core.cli.files import profile_file, spare_files
from onnxsim_core.cli.jobs import Job
from onnxsim_core.cli.main import build_parser
from onnxsim_core.errors import OptionError
from onnxsim_testkit import model


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with a model and inputs for it."""
    monkeypatch.chdir(tmp_path)
    reshape_model(tmp_path / "m.onnx")
    np.save(tmp_path / "x.npy", np.zeros((2, 3, 4), np.float32))
    (tmp_path / "deep").mkdir()
    return tmp_path


def held(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


def refused(folder, words, *parts):
    """The command fails as for a wrong option, and every file is what it was."""
    before = held(folder)
    assert_one_line(onnxsim(*words), 2, "are the same file", *parts)
    assert held(folder) == before


@pytest.mark.parametrize(("words", "parts"), [
    (["--html", "m.onnx"], ["m.onnx: --html and INPUT"]),
    (["--html", "deep/../m.onnx"], ["--html and INPUT"]),
    (["--picture", "m.onnx"], ["--picture and INPUT"]),
    (["--profile=m.onnx"], ["--profile and INPUT"]),
    (["--node-reduction-plot=m.onnx"], ["--node-reduction-plot and INPUT"]),
    (["--html", "o.onnx"], ["--html and OUTPUT"]),
    (["--picture", "./o.onnx"], ["--picture and OUTPUT"]),
    (["--profile=o.onnx"], ["--profile and OUTPUT"]),
    (["--save-as-external-data", "--html", "o.onnx.data"], ["--html and the weights of OUTPUT"]),
    (["--html", "a", "--picture", "a"], ["a: --picture and --html"]),
    (["--profile=t.json", "--html", "t.json"], ["--profile and --html"]),
    (["--profile=t.json", "--node-reduction-plot=t.json"], ["--node-reduction-plot and --profile"]),
    (["--profile=t", "--node-reduction-plot", "--html", "t_node_reduction.png"], ["--node-reduction-plot and --html"]),
    (["--node-reduction-plot", "--html", "onnxsim_profile.json"], ["--profile and --html"]),
    (["1", "--input-data-path", "x:x.npy", "--html", "x.npy"], ["--html and --input-data-path"]),
    (["--rewrite-rules", "rules.txt", "--picture", "rules.txt"], ["--picture and --rewrite-rules"]),
    (["1", "--custom-lib", "ops.so", "--profile=ops.so"], ["--profile and --custom-lib"]),
])
def test_a_report_takes_the_place_of_nothing(folder, words, parts):
    refused(folder, ["m.onnx", "o.onnx", *words], *parts)


def test_a_profile_that_the_environment_asks_for(folder, monkeypatch):
    monkeypatch.setenv("ONNXSIM_PROFILE", "m.onnx")
    refused(folder, ["m.onnx", "o.onnx"], "ONNXSIM_PROFILE and INPUT")
    refused(folder, ["m.onnx", "-o", "out"], "ONNXSIM_PROFILE and INPUT")
    assert onnxsim("m.onnx", "o.onnx", "--profile=t.json").code == 0


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_is_the_file_it_leads_to(folder, link):
    link("m.onnx", "other.html")
    refused(folder, ["m.onnx", "o.onnx", "--html", "other.html"], "--html and INPUT")


def test_a_link_to_a_file_that_is_still_to_be_written(folder):
    os.symlink("o.onnx", "page.html")
    refused(folder, ["m.onnx", "o.onnx", "--html", "page.html"], "--html and OUTPUT")


@pytest.mark.parametrize("words", [["m.onnx", "x.npy", "1", "--input-data-path", "x:x.npy"],
                                   ["x.onnx.data", "x.onnx", "--save-as-external-data"]])
def test_the_output_spares_what_is_read_too(folder, words):
    (folder / "x.onnx.data").write_bytes((folder / "m.onnx").read_bytes())
    refused(folder, words)


def test_weights_of_the_input_are_spared(folder):
    big = model("g (float[512] x) => (float[512] y) { y = Add(x, w) }", initializers={"w": np.ones(512, np.float32)})
    onnx.save(big, "big.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    os.symlink("w.bin", "page.html")

    refused(folder, ["big.onnx", "o.onnx", "--html", "w.bin"], "w.bin: --html and the weights of INPUT")
    refused(folder, ["big.onnx", "o.onnx", "--profile=w.bin", "-q"], "--profile and the weights of INPUT")
    refused(folder, ["big.onnx", "o.onnx", "--picture", "page.html"], "--picture and the weights of INPUT")
    (folder / "old.html").write_text("of the last run")
    assert onnxsim("big.onnx", "o.onnx", "--html", "old.html").code == 0
    assert (folder / "old.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_a_model_may_be_written_over_itself(folder):
    assert onnxsim("m.onnx", "m.onnx", "--html", "p.html", "--picture", "p.svg", "--profile=t.json").code == 0
    assert ops_of(folder / "m.onnx") == ["Reshape"]
    reshape_model(folder / "m.onnx")
    assert onnxsim("m.onnx", "-o", ".").code == 0
    assert ops_of(folder / "m.onnx") == ["Reshape"]


def test_a_device_may_be_named_twice(folder):
    assert onnxsim("m.onnx", "o.onnx", "--html", os.devnull, "--picture", os.devnull).code == 0


def test_many_models_spare_each_other(folder):
    reshape_model(folder / "deep" / "m.onnx")
    before = (folder / "deep" / "m.onnx").read_bytes()

    assert_one_line(onnxsim("m.onnx", "deep/m.onnx", "-o", "deep"), 2,
                    "the output of m.onnx and INPUT deep/m.onnx are the same file")
    assert (folder / "deep" / "m.onnx").read_bytes() == before
    assert not (folder / "deep" / "deep").exists()


def test_data_of_many_models_counts_where_it_is_asked_for(folder):
    jobs = [Job("a", "o/a", 0), Job("a.data", "o/a.data", 0)]

    spare_files(build_parser().parse(["a", "a.data", "-o", "o"]), jobs)
    with pytest.raises(OptionError, match="the output of a.data and the weights of the output of a are the same file"):
        spare_files(build_parser().parse(["a", "a.data", "-o", "o", "--save-as-external-data"]), jobs)


def test_a_plot_needs_a_profile():
    def profile(*words):
        return profile_file(build_parser().parse(["a", "b", *words]))

    assert profile() is None
    assert profile("--profile") == "onnxsim_profile.json"
    assert profile("--node-reduction-plot") == ""
    assert profile("--node-reduction-plot", "--profile", "p.json") == "p.json"
