import numpy as np
import onnx
import pytest

import onnxsim
from onnxsim import backend
from onnxsim_testkit import model

TWO = model("g (float[n] x) => (float[n] y, float[n] z) { y = Neg(x) z = Add(x, x) }")
X = np.float32([1, -2])


@pytest.mark.parametrize("has_onnxruntime", [True, False])
def test_outputs_come_by_name_from_any_kind_of_model(tmp_path, monkeypatch, has_onnxruntime):
    monkeypatch.setattr(backend, "has_onnxruntime", lambda: has_onnxruntime)
    path = tmp_path / "m.onnx"
    onnx.save(TWO, path)

    for source in (TWO, TWO.SerializeToString(), str(path)):
        outputs = backend.run_model(source, {"x": X})
        assert list(outputs) == ["y", "z"]
        assert outputs["y"].tolist() == [-1.0, 2.0] and outputs["z"].tolist() == [2.0, -4.0]


def test_a_runner_gives_the_outputs_that_were_asked_for_again_and_again():
    runner = backend.Runner(TWO, ["z"], single_threaded=True, deterministic=True)

    assert runner.output_names == ["z"]
    for factor in (1, 3):
        assert runner({"x": X * np.float32(factor)})["z"].tolist() == [2.0 * factor, -4.0 * factor]


def test_an_unknown_output_is_an_error():
    with pytest.raises(onnxsim.OptionError, match="the model has no output 'w'"):
        backend.Runner(TWO, ["w"])


def test_an_unknown_provider_is_an_error_that_names_what_there_is():
    with pytest.raises(ValueError, match="NoSuchExecutionProvider"):
        backend.run_model(TWO, {"x": X}, providers=["NoSuchExecutionProvider"])
