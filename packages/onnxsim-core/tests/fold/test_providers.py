"""Execution providers are checked before anything runs."""

import pytest

from onnxsim_core.errors import OptionError
from onnxsim_core.fold import providers
from onnxsim_core.fold.providers import check_providers, install_hint

CPU = "CPUExecutionProvider"


@pytest.fixture
def has(monkeypatch):
    def install(*names: str) -> None:
        monkeypatch.setattr(providers, "_available", lambda: list(names))

    return install


@pytest.mark.parametrize("asked", [(), None, [], [CPU], CPU])
def test_no_provider_means_the_cpu(asked):
    assert check_providers(asked) == [CPU]


def test_the_cpu_needs_no_onnxruntime(has):
    has()
    assert check_providers([CPU]) == [CPU]


def test_the_cpu_comes_last_unless_it_was_named(has):
    has("CUDAExecutionProvider", CPU)
    assert check_providers(["CUDAExecutionProvider"]) == ["CUDAExecutionProvider", CPU]
    assert check_providers([CPU, "CUDAExecutionProvider"]) == [CPU, "CUDAExecutionProvider"]


def test_options_are_passed_on(has):
    has("CUDAExecutionProvider", CPU)
    asked = ("CUDAExecutionProvider", {"device_id": 1})
    assert check_providers([asked]) == [asked, CPU]


def test_an_unavailable_provider_names_what_is_there_and_what_brings_it(has):
    has(CPU)
    with pytest.raises(ValueError, match="CUDAExecutionProvider") as caught:
        check_providers(["CUDAExecutionProvider"])
    assert isinstance(caught.value, OptionError)
    assert CPU in str(caught.value) and "onnxruntime-gpu" in str(caught.value)


def test_without_onnxruntime_every_other_provider_is_an_error(has):
    has()
    with pytest.raises(OptionError, match="onnxruntime is not installed"):
        check_providers(["ROCMExecutionProvider", CPU])


@pytest.mark.parametrize("asked", [[1], [("a", "b")], [("a",)], [("CUDAExecutionProvider", {}, 1)]])
def test_what_is_no_provider_is_an_error(asked):
    with pytest.raises(OptionError, match="a name or a pair"):
        check_providers(asked)


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("CUDAExecutionProvider", "onnxruntime-gpu"),
        ("TensorrtExecutionProvider", "onnxruntime-gpu"),
        ("ROCMExecutionProvider", "onnxruntime-rocm"),
        ("MIGraphXExecutionProvider", "onnxruntime-migraphx"),
        ("VitisAIExecutionProvider", "Ryzen AI"),
        ("DmlExecutionProvider", "onnxruntime-directml"),
        ("OpenVINOExecutionProvider", "onnxruntime-openvino"),
        ("QNNExecutionProvider", "onnxruntime-qnn"),
        ("CoreMLExecutionProvider", "macOS"),
        ("UnheardOfExecutionProvider", ""),
    ],
)
def test_hints(name, part):
    assert part in install_hint(name)
    assert bool(install_hint(name)) == bool(part)
