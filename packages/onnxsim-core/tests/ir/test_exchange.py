"""Models that go out to foreign code and come back."""

import os

import numpy as np
import onnx
import pytest

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import exchange
from onnxsim_core.ir.exchange import Exchange, load_tensor, reference
from onnxsim_core.ir.graph import Model
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model

LARGE = np.arange(1 << 18, dtype=np.float32)  # a mebibyte
MIDDLE = np.arange(256, dtype=np.float32)
TEXT = "g (float[n] x) => (float[n] y) { a = Add(x, large) b = Add(a, middle) y = Mul(b, tiny) }"


def proto_of() -> onnx.ModelProto:
    return model(TEXT, opset=17, initializers={"large": LARGE, "middle": MIDDLE, "tiny": np.float32(2)})


def tensors(ir: Model):
    return {value.name: value.tensor for value in ir.graph.constants}


def test_a_model_of_little_weight_goes_out_whole_and_its_tensors_are_matched_by_their_bytes():
    ir = read_model(proto_of().SerializeToString())
    with Exchange() as one:
        proto = one.hand_out(ir)
        assert all(t.data_location == 0 for t in proto.graph.initializer)
        changed = onnx.numpy_helper.from_array(MIDDLE + 1, "middle")
        proto.graph.initializer[1].CopyFrom(changed)
        back = one.take_back(proto)
    before, after = tensors(ir), tensors(back)
    assert after["large"] is before["large"]
    assert after["middle"] is not before["middle"] and after["middle"].numpy().tolist() == (MIDDLE + 1).tolist()


def test_equal_bytes_of_another_type_or_shape_are_another_tensor():
    ir = read_model(proto_of().SerializeToString())
    with Exchange() as one:
        proto = one.hand_out(ir)
        proto.graph.initializer[0].dims[:] = [512, 512]
        proto.graph.initializer[1].data_type = onnx.TensorProto.INT32
        after = tensors(one.take_back(proto))
    assert after["large"].dims == (512, 512) and after["middle"].dtype == 6
    assert all(after[name] is not tensors(ir)[name] for name in ("large", "middle"))


def test_weights_in_memory_are_written_out_once_and_referred_to(monkeypatch):
    monkeypatch.setattr(exchange, "WHOLE", 0)
    given = proto_of()
    given.graph.initializer.append(onnx.numpy_helper.from_array(-LARGE, "negative"))
    ir = read_model(given)
    with Exchange() as one:
        proto = one.hand_out(ir)
        large, middle, _, negative = proto.graph.initializer
        location, offset, length = reference(large)
        assert length == LARGE.nbytes and middle.data_location == 0
        np.testing.assert_array_equal(np.fromfile(location, np.float32, offset=offset), LARGE)
        np.testing.assert_array_equal(load_tensor(large), LARGE)
        np.testing.assert_array_equal(load_tensor(negative), -LARGE)
        np.testing.assert_array_equal(load_tensor(middle), MIDDLE)
        assert reference(one.hand_out(ir).graph.initializer[0]) == (location, offset, length)
        large.dims[:] = [2, 1 << 17]
        after = tensors(one.take_back(proto))
        assert after["middle"] is tensors(ir)["middle"]
        np.testing.assert_array_equal(after["large"].numpy(), LARGE.reshape(2, -1))
        assert tensors(one.take_back(one.hand_out(ir)))["large"] is tensors(ir)["large"]
    assert not os.path.exists(location)


def test_weights_in_a_file_are_referred_to_where_they_lie(tmp_path, monkeypatch):
    monkeypatch.setattr(exchange, "WHOLE", 0)
    monkeypatch.chdir(tmp_path)
    onnx.save(proto_of(), "m.onnx", save_as_external_data=True, location="m.bin", size_threshold=1024)
    ir = read_model("m.onnx")
    with Exchange() as one:
        proto = one.hand_out(ir)
        assert reference(proto.graph.initializer[0])[0] == "m.bin"
        assert tensors(one.take_back(proto))["large"] is tensors(ir)["large"]
    assert (tmp_path / "m.bin").exists()


@pytest.mark.parametrize("fields", [{}, {"location": "a"}, {"location": "a", "offset": "0", "length": "x"}])
def test_an_incomplete_reference_stands_for_nothing(fields):
    tensor = onnx.TensorProto(name="w", data_type=1, data_location=1, dims=[1])
    for key, value in fields.items():
        tensor.external_data.add(key=key, value=value)
    assert reference(tensor) is None
    with pytest.raises(ModelError, match="no complete reference"):
        load_tensor(tensor)


def test_what_comes_back_must_be_a_graph():
    with Exchange() as one, pytest.raises(ModelError, match="nothing makes it"):
        proto = proto_of()
        proto.graph.node[0].input[0] = "gone"
        one.take_back(proto)
