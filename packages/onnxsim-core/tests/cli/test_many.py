import argparse
import os

import pytest
from cli.running import dying_worker, onnxsim, ops_of, reshape_model

from onnxsim_core.cli import many as module
from onnxsim_core.cli.jobs import Job


@pytest.fixture
def folder(tmp_path):
    for name in ("a.onnx", "deep/b.onnx"):
        path = tmp_path / "in" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        reshape_model(path)
    return tmp_path


def test_a_folder_is_simplified_into_another(folder):
    ran = onnxsim(folder / "in", "-o", folder / "out", "-j", 2, 1)

    assert (ran.code, ran.err) == (0, "")
    assert ops_of(folder / "out" / "a.onnx") == ops_of(folder / "out" / "deep" / "b.onnx") == ["Reshape"]
    assert "[2/2] " in ran.out and "2 of 2 models simplified" in ran.out
    assert ran.out.count("|     ok |") == 2


def test_one_bad_model_does_not_stop_the_rest(folder):
    (folder / "in" / "0bad.onnx").write_bytes(b"no model")
    ran = onnxsim(folder / "in" / "*.onnx", "-o", folder / "out")

    assert ran.code == 1
    assert ops_of(folder / "out" / "a.onnx") == ["Reshape"]
    assert not (folder / "out" / "0bad.onnx").exists()
    assert ran.err.count("\n") == ran.err.count("0bad.onnx: ") == 1 and "not an ONNX model" in ran.err
    assert "1 of 2 models simplified" in ran.out and "| failed |" in ran.out


def test_json_lists_all_models(folder):
    (folder / "in" / "0bad.onnx").write_bytes(b"")
    found = onnxsim(folder / "in" / "*.onnx", "-o", folder / "out", "--json").json()

    assert found["failed"] == 1
    assert [(os.path.basename(one["input"]), one["ok"], one["code"]) for one in found["models"]] == [
        ("0bad.onnx", False, 1), ("a.onnx", True, 0)]
    assert "empty" in found["models"][0]["error"]


def test_a_process_that_dies_costs_its_model_only(monkeypatch):
    monkeypatch.setattr(module, "_work", dying_worker)
    jobs = [Job("a", "b", 0), Job("c", "d", 0)]

    answers = dict(module._answers(jobs, argparse.Namespace(jobs=1)))

    assert [answers[job]["error"] for job in jobs] == ["its process ended with exit code 7"] * 2


def test_a_signal_is_named():
    assert module._crashed(Job("a", "b", 0), -11)["error"] == "its process ended with signal 11"


class Refusing:
    """A run that ends with an error."""

    def __init__(self, folder, outcome):
        self.job = Job("a.onnx", str(folder / "new" / "a.onnx"), 0)
        self.args = type("Arguments", (), {"verbose": False})
        self.outcome = outcome

    def go(self):
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


def test_whatever_happens_becomes_an_answer(tmp_path):
    crashed = module._answer(Refusing(tmp_path, ValueError("odd")))
    differs = module._answer(Refusing(tmp_path, (3, {"ok": False, "error": "the simplified model differs"})))

    assert (crashed["code"], crashed["error"].startswith("ValueError: odd"), crashed["input"]) == (1, True, "a.onnx")
    assert (differs["code"], differs["error"]) == (3, "the simplified model differs")
    assert (tmp_path / "new").is_dir()
