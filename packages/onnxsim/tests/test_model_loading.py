import sys

import numpy as np
import onnx
import pytest
from onnx import TensorProto, numpy_helper

import onnxsim
from onnxsim.model_loading import LoadError, TensorPool, load_model
from onnxsim_archives import export_gguf, export_safetensors
from onnxsim_testkit import model

WEIGHTS = {"w": np.arange(600, dtype=np.float32).reshape(300, 2), "half": np.ones(4, np.float16), "k": np.array(3)}


def proto():
    found = model("g (float[2] x) => (float[300,2] y) { a = Add(x, w) y = Neg(a) }", initializers=WEIGHTS)
    assert onnxsim.load_model is load_model and onnxsim.TensorPool is TensorPool
    return found


@pytest.fixture(params=["onnx", "safetensors", "gguf"])
def path(request, tmp_path):
    found = tmp_path / f"model.{request.param}"
    if request.param == "onnx":
        onnx.save(proto(), found, save_as_external_data=True, size_threshold=0, location="model.data")
    else:
        (export_gguf if request.param == "gguf" else export_safetensors)(proto(), found)
    return found


def test_tensors_outside_the_graph_are_listed(path):
    loaded, pool = load_model(path)

    assert [name for name in pool.names() if name != "model.onnx"] == sorted(WEIGHTS)
    assert ("model.onnx" in pool) == (path.suffix != ".onnx") and "missing" not in pool
    assert len(pool) == len(pool.names())
    for name, array in WEIGHTS.items():
        assert (pool.dtype(name), pool.shape(name)) == (onnx.helper.np_dtype_to_tensor_dtype(array.dtype), list(array.shape))
        assert pool.bytes(name) == array.tobytes()
    assert {t.name: numpy_helper.to_array(t).tolist() for t in loaded.graph.initializer} == {
        name: array.tolist() for name, array in WEIGHTS.items()
    }
    onnx.checker.check_model(loaded)


def test_the_graph_of_an_archive_is_an_entry(path):
    _, pool = load_model(path)

    if path.suffix != ".onnx":
        assert pool.dtype("model.onnx") == TensorProto.INT8
        stored = onnx.load_from_string(pool.bytes("model.onnx"))
        assert [node.op_type for node in stored.graph.node] == ["Add", "Neg"]
        assert pool.shape("model.onnx") == [stored.ByteSize()]


def test_tensors_may_stay_where_they_are(path):
    loaded, pool = load_model(path, hydrate_all=False)
    (large,) = [tensor for tensor in loaded.graph.initializer if tensor.name == "w"]

    assert large.data_location == TensorProto.EXTERNAL and not large.raw_data
    onnx.external_data_helper.load_external_data_for_model(loaded, str(path.parent))
    assert numpy_helper.to_array(large).tolist() == WEIGHTS["w"].tolist()
    assert pool.bytes("w") == WEIGHTS["w"].tobytes()


def test_a_hash_is_that_of_what_a_tensor_is(tmp_path):
    arrays = {"a": np.zeros((2, 3), np.float32), "b": np.zeros((2, 3), np.float32), "c": np.zeros((3, 2), np.float32),
              "d": np.zeros((2, 3), np.int32), "e": np.ones((2, 3), np.float32)}  # fmt: skip
    same = model("g (float[2,3] x) => (float[2,3] y) { y = Add(x, a) }", initializers=arrays)
    onnx.save(same, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="m.data")
    _, pool = load_model(tmp_path / "m.onnx")

    assert pool.content_hash("a") == pool.content_hash("b")
    assert len({pool.content_hash(name) for name in arrays}) == 4


def test_weights_in_the_file_are_no_entries(tmp_path):
    onnx.save(proto(), tmp_path / "m.onnx")
    loaded, pool = load_model(str(tmp_path / "m.onnx"))

    assert loaded == proto() and len(pool) == 0 and pool.names() == []


def test_weights_of_bodies_are_entries(tmp_path):
    text = """g (bool c) => (float[4] y) {
        y = If(c) <then_branch = t () => (float[4] a) <float[4] w = {1,2,3,4}> { a = Neg(w) },
                   else_branch = e () => (float[4] b) <float[4] v = {5,6,7,8}> { b = Neg(v) }> }"""
    original = model(text)
    for attribute in original.graph.node[0].attribute:
        (tensor,) = attribute.g.initializer
        tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor), tensor.name))
    onnx.save(original, tmp_path / "m.onnx", save_as_external_data=True, size_threshold=0, location="m.data")

    assert load_model(tmp_path / "m.onnx")[1].names() == ["v", "w"]


@pytest.mark.parametrize("method", ["dtype", "shape", "bytes", "content_hash"])
def test_an_unknown_name(method):
    with pytest.raises(IndexError, match="no tensor outside the graph has the name 'z'"):
        getattr(TensorPool({}), method)("z")


@pytest.mark.parametrize("name", ["missing.onnx", "missing.safetensors", "missing.gguf"])
def test_a_missing_file_is_a_runtime_error(name, tmp_path):
    with pytest.raises(RuntimeError, match="missing") as caught:
        load_model(tmp_path / name)

    assert isinstance(caught.value, LoadError)


def test_damage_and_places_outside_are_errors(tmp_path):
    (tmp_path / "m.onnx").write_bytes(b"\xff" * 40)
    with pytest.raises(LoadError):
        load_model(tmp_path / "m.onnx")
    outside = proto()
    outside.graph.initializer[0].ClearField("raw_data")
    outside.graph.initializer[0].data_location = TensorProto.EXTERNAL
    outside.graph.initializer[0].external_data.add(key="location", value="../secret")
    (tmp_path / "m.onnx").write_bytes(outside.SerializeToString())
    with pytest.raises(LoadError, match="secret"):
        load_model(tmp_path / "m.onnx")


def test_archives_need_their_distribution(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxsim_archives", None)
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'onnxsim\[archives\]'"):
        load_model(tmp_path / "m.gguf")
