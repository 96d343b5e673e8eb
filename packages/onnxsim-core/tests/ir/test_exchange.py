"""Handing a model out and taking it back."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import exchange
from onnxsim_core.ir.exchange import Exchange, load_tensor, reference
from onnxsim_core.ir.graph import Model
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import Tensor
from onnxsim_testkit import model

TEXT = "g (float[300000] x) => (float[300000] y) { a = Add(x, big) b = Mul(a, small) y = Mul(b, tiny) }"


@pytest.fixture
def low_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A megabyte is large here, and one and a half too much for one message."""
    monkeypatch.setattr(exchange, "WHOLE", 1_500_000)
    monkeypatch.setattr(exchange, "REFERENCED_FROM", 1_000_000)


def arrays() -> dict[str, np.ndarray]:
    return {"big": np.arange(300000, dtype="f"), "small": np.arange(512, 300512).astype("f"), "tiny": np.full(1, 2, "f")}


def stored(folder: Path) -> Path:
    path = folder / "model.onnx"
    onnx.save(model(TEXT, initializers=arrays()), path)
    return path


def tensors(ir: Model) -> dict[str, Tensor]:
    return {value.name: value.tensor for value in ir.graph.constants}


def test_a_model_with_little_weight_goes_out_whole(tmp_path):
    ir = read_model(stored(tmp_path))
    with Exchange() as out:
        proto = out.hand_out(ir)

    assert not any(tensor.external_data for tensor in proto.graph.initializer)
    np.testing.assert_array_equal(numpy_helper.to_array(proto.graph.initializer[0]), arrays()["big"])


@pytest.mark.usefixtures("low_limits")
def test_large_weights_are_references_to_the_file_they_lie_in(tmp_path, monkeypatch):
    path = stored(tmp_path)
    ir = read_model(path)
    monkeypatch.chdir(tmp_path)
    with Exchange() as out:
        proto = out.hand_out(ir)
        big, small, tiny = proto.graph.initializer

        assert reference(big)[0] == "model.onnx" and reference(small)[0] == "model.onnx" and not tiny.external_data
        for tensor in proto.graph.initializer:
            np.testing.assert_array_equal(load_tensor(tensor), arrays()[tensor.name])
            np.testing.assert_array_equal(numpy_helper.to_array(tensor), arrays()[tensor.name])  # onnx follows it, too


@pytest.mark.usefixtures("low_limits")
def test_outside_the_working_folder_references_are_absolute(tmp_path):
    with Exchange() as out:
        proto = out.hand_out(read_model(stored(tmp_path)))

    assert os.path.isabs(reference(proto.graph.initializer[0])[0])


@pytest.mark.usefixtures("low_limits")
def test_weights_in_memory_are_written_once_and_go_at_the_end():
    ir = read_model(model(TEXT, initializers=arrays()))
    with Exchange() as out:
        first = reference(out.hand_out(ir).graph.initializer[0])
        second = reference(out.hand_out(ir).graph.initializer[0])
        assert first == second and os.path.exists(first[0])
    assert not os.path.exists(os.path.dirname(first[0]))


@pytest.mark.usefixtures("low_limits")
@pytest.mark.parametrize("from_file", [True, False])
def test_what_comes_back_is_what_went_out(tmp_path, from_file):
    ir = read_model(stored(tmp_path) if from_file else model(TEXT, initializers=arrays()))
    with Exchange() as out:
        back = out.take_back(out.hand_out(ir))

    before, after = tensors(ir), tensors(back)
    assert all(after[name] is before[name] for name in ("big", "small"))
    assert after["tiny"].numpy().tolist() == [2.0]


@pytest.mark.usefixtures("low_limits")
def test_equal_bytes_are_the_tensor_that_went_out():
    """A tool that loads weights and puts them inside; a name it changed does not matter."""
    ir = read_model(model(TEXT, initializers=arrays()))
    with Exchange() as out:
        proto = out.hand_out(ir)
        for tensor in proto.graph.initializer[:2]:
            name = tensor.name
            tensor.CopyFrom(numpy_helper.from_array(load_tensor(tensor), name))
        proto.graph.initializer[1].CopyFrom(numpy_helper.from_array(arrays()["small"] + 1, "small"))
        back = out.take_back(proto)

    assert tensors(back)["big"] is tensors(ir)["big"] and tensors(back)["small"] is not tensors(ir)["small"]
    assert tensors(back)["small"].numpy()[0] == 513


@pytest.mark.usefixtures("low_limits")
def test_a_reference_may_come_back_under_other_dims(tmp_path):
    ir = read_model(stored(tmp_path))
    with Exchange() as out:
        proto = out.hand_out(ir)
        proto.graph.initializer[0].dims[:] = [2, 150000]
        back = out.take_back(proto)

    assert tensors(back)["big"].dims == (2, 150000) and tensors(back)["big"].span() == tensors(ir)["big"].span()


@pytest.mark.usefixtures("low_limits")
def test_a_reference_to_nowhere_is_an_error(tmp_path):
    with Exchange() as out:
        proto = out.hand_out(read_model(stored(tmp_path)))
        proto.graph.initializer[0].external_data[0].value = "nowhere.bin"
        with pytest.raises(ModelError, match="'nowhere.bin' of tensor 'big' does not exist"):
            out.take_back(proto)


def test_a_tensor_with_half_a_reference():
    tensor = onnx.TensorProto(name="w", data_type=1, dims=[2], data_location=1)
    with pytest.raises(ModelError, match="tensor 'w' has no complete reference"):
        load_tensor(tensor)
    tensor.external_data.add(key="location", value="x")
    tensor.external_data.add(key="offset", value="a")
    tensor.external_data.add(key="length", value="8")
    assert reference(tensor) is None
