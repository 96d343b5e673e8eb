import numpy as np
import onnx
import pytest
from cli.running import assert_one_line, onnxsim, reshape_model

from onnxsim_core.cli.inspect import build_parser
from onnxsim_testkit import model


@pytest.fixture
def product(tmp_path):
    path = tmp_path / "p.onnx"
    onnx.save(model("g (float[n,3] x) => (float[n,4] y) { y = MatMul(x, w) }",
                    initializers={"w": np.ones((3, 4), np.float32)}), path)
    return path


def squeezed(text):
    return " ".join(text.split())


def test_one_model(product):
    ran = onnxsim("inspect", product)

    assert (ran.code, ran.err) == (0, "")
    for line in ("| Input x | float32[n, 3] |", "| Output y | float32[n, 4] |", "| MACs | 12*n |"):
        assert line in squeezed(ran.out)


def test_sizes_can_be_given(product):
    found = onnxsim("inspect", product, "--overwrite-input-shape", "x:5,3", "--json").json()["models"][0]

    assert found["macs"] == 5 * 3 * 4
    assert found["inputs"] == {"x": "float32[5, 3]"}
    assert found["parameters"] == 12 and found["weight_bytes_by_type"] == {"float32": 48}
    assert found["memory_plan"]["planned"] == 2


def test_two_models_and_what_differs(tmp_path):
    before, after = reshape_model(tmp_path / "a.onnx"), tmp_path / "b.onnx"
    onnxsim(before, after)
    ran = onnxsim("inspect", before, after)
    found = onnxsim("inspect", before, after, "--json").json()

    assert "| Gather | 3 | | * |" in squeezed(ran.out)
    assert f"{len(found['differences'])} lines differ (marked *)" in ran.out
    assert {"Gather", "All nodes", "Model Size"} <= set(found["differences"])
    assert not {"Reshape", "Input x", "Output y", "IR version"} & set(found["differences"])


def test_two_equal_models(product):
    ran = onnxsim("inspect", product, product)

    assert ran.out.endswith("No line differs.\n")
    assert onnxsim("inspect", product, product, "--json").json()["differences"] == []


@pytest.mark.parametrize("words", [[], ["a", "b", "c"]])
def test_one_or_two_models(words):
    assert_one_line(onnxsim("inspect", *words), 2, "inspect takes one model, or two to compare")


def test_a_file_called_inspect_is_reached_by_its_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    reshape_model(tmp_path / "a.onnx").rename(tmp_path / "inspect")

    assert onnxsim("./inspect", "b.onnx").code == 0


def test_every_option_has_a_help_text():
    assert all(action.help for action in build_parser()._actions)
