import json

import pytest
from cli.running import assert_one_line, onnxsim

from onnxsim_core import simplify
from onnxsim_core.errors import ModelError
from onnxsim_core.options import Environment
from onnxsim_core.passes.phases import NO_PHASES
from onnxsim_core.profile.session import profiling


def test_the_table_is_said_and_the_trace_written(tmp_path):
    said = []
    with profiling(Environment(profile=str(tmp_path / "p.json")), NO_PHASES, said.append) as recorder, \
            recorder.phase("Simplify"):
        pass

    assert len(said) == 1 and "Simplify" in said[0]
    assert json.loads((tmp_path / "p.json").read_text())["traceEvents"]


def test_by_default_the_table_is_printed(tmp_path, capsys):
    with profiling(Environment(profile=str(tmp_path / "p.json")), NO_PHASES):
        pass

    assert capsys.readouterr().out.startswith("onnxsim profiling summary")


def test_a_trace_that_cannot_be_written_is_a_warning(tmp_path, capsys):
    path = str(tmp_path / "no" / "p.json")
    with profiling(Environment(profile=path), NO_PHASES, lambda text: None):
        pass

    assert capsys.readouterr().err == (
        f"onnxsim: warning: {path}: the profile cannot be written: No such file or directory\n")


def test_sessions_alone_need_no_trace(tmp_path):
    said = []
    with profiling(Environment(ort_profile=str(tmp_path / "ort")), NO_PHASES, said.append):
        pass

    assert said == [] and list(tmp_path.iterdir()) == []


def test_other_errors_pass(tmp_path):
    with pytest.raises(ModelError, match="damaged"), profiling(Environment(profile=str(tmp_path / "p")), NO_PHASES):
        raise ModelError("damaged")


@pytest.mark.parametrize("wanted", [Environment(ort_profile="p"), Environment(merge_ort_profile=True), Environment()])
def test_errors_without_a_place_pass_where_no_trace_is_wanted(wanted):
    with pytest.raises(ModelError, match="damaged"), profiling(wanted, NO_PHASES):
        raise ModelError("damaged")


def test_errors_about_the_file_of_the_trace_pass_too(tmp_path):
    """The model may have been read from there: only a trace that cannot be written is no error."""
    path = str(tmp_path / "p")
    with pytest.raises(ModelError, match="damaged"), profiling(Environment(profile=path), NO_PHASES):
        raise ModelError("damaged", where=path)


@pytest.mark.parametrize("settings", [{"ort_profile": "p"}, {"profile": "t"}, {"ort_profile": "p", "profile": "t"}])
def test_what_is_no_model_is_an_error_with_a_profile_too(tmp_path, monkeypatch, settings):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match="not an ONNX model"):
        simplify(b"junk", **settings)


def test_the_command_says_it_in_a_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.onnx").write_text("some text\n")

    assert_one_line(onnxsim("text.onnx", "o.onnx", "--ort-profile", "p", "-q"), 1, "text.onnx: ", "not an ONNX model")
