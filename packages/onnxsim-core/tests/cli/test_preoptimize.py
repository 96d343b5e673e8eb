import onnx
import onnxruntime  # noqa: F401  what is tested here
import pytest
from cli.running import assert_one_line, onnxsim, ops_of

from onnxsim_core.cli import preoptimize as module
from onnxsim_core.cli.preoptimize import optimized
from onnxsim_core.errors import ModelError, OptionError
from onnxsim_testkit import model


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "a.onnx"
    onnx.save(model("g (float[n,3] x) => (float[n,3] y) { a = Identity(x) b = Relu(a) y = Relu(b) }"), path)
    return path


def test_onnxruntime_rewrites_the_model_first(source, tmp_path):
    (tmp_path / "made").mkdir()
    made = optimized(str(source), str(tmp_path / "made"))

    assert "Identity" not in ops_of(made)


def test_report_and_comparison_are_about_the_original(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", 1, "--enable-onnxruntime-optimization", "--json")
    found = ran.json()

    assert (ran.code, found["check"]["ok"]) == (0, True)
    assert found["original"]["op_counts"] == {"Identity": 1, "Relu": 2}
    assert found["nodes_before"] == 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "o.onnx"]


def test_what_cannot_be_optimized(source, tmp_path, monkeypatch):
    bad = tmp_path / "bad.onnx"
    onnx.save(model("g (float[2] x) => (float[2] y) { y = odd.Op(x) }", domains={"odd": 1}), bad)

    assert_one_line(onnxsim(bad, tmp_path / "o.onnx", "--enable-onnxruntime-optimization"), 1,
                    "bad.onnx: onnxruntime cannot optimize the model")
    with pytest.raises(ModelError):
        optimized(str(bad), str(tmp_path))
    with pytest.raises(OptionError, match="onnx files only"):
        optimized(b"", str(tmp_path))
    monkeypatch.setattr(module, "has_onnxruntime", lambda: False)
    with pytest.raises(OptionError, match="pip install"):
        optimized(str(source), str(tmp_path))
