"""Running one model from a file."""

import numpy as np
import onnx
import pytest

from onnxsim_core import CheckError, OptionError
from onnxsim_core.check import runners
from onnxsim_core.check.runners import Runner, first_line
from onnxsim_core.passes.phases import Phases
from onnxsim_testkit import model

TWO = "g (float[n] x) => (float[n] a, float[n] b) { a = Neg(x) b = Abs(x) }"
X = np.array([-1, 2], np.float32)


BOTH = pytest.mark.parametrize(
    "has", [pytest.param(True, marks=pytest.mark.runtime), False], ids=["onnxruntime", "reference"]
)


@pytest.fixture
def path(tmp_path):
    onnx.save(model(TWO), tmp_path / "m.onnx")
    return str(tmp_path / "m.onnx")


@BOTH
def test_outputs_come_in_the_order_asked_for(path, has, monkeypatch):
    monkeypatch.setattr(runners, "has_onnxruntime", lambda: has)
    runner = Runner(path)

    assert (runner.inputs, runner.outputs) == (["x"], ["a", "b"])
    b, a = runner.run({"x": X, "gone": X}, ["b", "a"])
    assert b.tolist() == [1, 2] and a.tolist() == [1, -2]
    runner.finish()


def test_a_missing_library_of_operators_is_an_option_error(path):
    with pytest.raises(OptionError, match="no custom operator library at '/nowhere/ops.so'"):
        Runner(path, custom_lib="/nowhere/ops.so")


def test_a_model_that_cannot_be_loaded_is_a_check_error_in_one_line(tmp_path):
    onnx.save(model(TWO.replace("Neg", "my.Op"), domains={"my": 1}), tmp_path / "m.onnx")
    with pytest.raises(CheckError, match="cannot load the model: .+") as error:
        Runner(str(tmp_path / "m.onnx"))
    assert "\n" not in error.value.message and len(error.value.message) < 400


@BOTH
def test_a_failing_run_is_a_check_error_in_one_line(tmp_path, has, monkeypatch):
    monkeypatch.setattr(runners, "has_onnxruntime", lambda: has)
    proto = model("g (float[n] x) => (float[m] z) <int64[1] s={7}> { z = Reshape(x, s) }")
    onnx.save(proto, tmp_path / "m.onnx")
    with pytest.raises(CheckError, match="^the model does not run: .+") as error:
        Runner(str(tmp_path / "m.onnx")).run({"x": X}, ["z"])
    assert "\n" not in error.value.message


@pytest.mark.runtime
def test_listeners_see_the_session_with_optimisations_off(path):
    class Seen(Phases):
        def before_session(self, options):
            self.level = options.graph_optimization_level.name

        def after_session(self, session):
            self.inputs = [found.name for found in session.get_inputs()]

    seen = Seen()
    Runner(path, phases=seen).finish()

    assert seen.level == "ORT_DISABLE_ALL" and seen.inputs == ["x"]


def test_the_first_line_of_an_error():
    assert first_line(ValueError("  one\ntwo")) == "one"
    assert first_line(ValueError("")) == "ValueError"
    assert len(first_line(ValueError("x" * 1000))) == 300
