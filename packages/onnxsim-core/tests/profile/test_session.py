import json

import pytest

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
