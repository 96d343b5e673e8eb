import os

import numpy as np
import onnx
import pytest
from archiving import arrays, canonical, deep_model, every_type, model_of, parts, raw_tensor
from onnx import TensorProto, helper

from onnxsim_archives import export_safetensors, import_safetensors, open_archive
from onnxsim_archives.protos import EXTERNAL, fill, tensors
from onnxsim_archives.sources import open_source
from onnxsim_core import ModelError
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto

LARGE = {"large": np.arange(20_000, dtype=np.float32), "small": np.float32([1, 2])}


def whole(source):
    """The model of a source with its tensors filled in."""
    found = [(proto, source.resolve(proto)) for _, proto in tensors(source.proto)]
    for proto, tensor in found:
        fill(proto, tensor)
    return source.proto


def saved(tmp_path, model, **how):
    onnx.save(model, tmp_path / "m.onnx", **how)
    return tmp_path / "m.onnx"


@pytest.mark.parametrize("model", [model_of(*arrays(**LARGE)), deep_model(), model_of(*every_type().values())])
def test_however_it_is_given_it_is_the_same_model(tmp_path, model):
    path = saved(tmp_path, model)
    export_safetensors(model, tmp_path / "m.safetensors")
    before = model.SerializeToString()

    given = [path, str(path), before, bytearray(before), model, tmp_path / "m.safetensors",
             open_archive(tmp_path / "m.safetensors")]
    for one in given:
        assert canonical(whole(open_source(one))) == canonical(model), one
    assert model.SerializeToString() == before


def test_the_cores_own_model_keeps_weights_that_lie_in_files_there(tmp_path):
    model = model_of(*arrays(**LARGE))
    path = saved(tmp_path, model_of(*arrays(**LARGE)), save_as_external_data=True, size_threshold=0, location="w.bin")
    source = open_source(read_model(str(path)))
    (large,) = (proto for _, proto in tensors(source.proto) if proto.name == "large")

    assert source.resolve(large).span()[0].path.endswith("w.bin")
    assert np.array_equal(source.resolve(large).numpy(), LARGE["large"])
    assert canonical(whole(source)) == canonical(model_proto(read_model(model)))


def test_the_cores_own_model_of_every_place_and_type():
    for model in (deep_model(), model_of(*every_type().values())):
        graph = read_model(model)
        assert open_source(graph).proto.graph.name == "g"
        assert len(list(parts(whole(open_source(graph))))) == len(list(parts(model)))


def test_external_data_of_a_path_is_found_beside_it(tmp_path):
    model = model_of(*arrays(**LARGE))
    path = saved(tmp_path, model, save_as_external_data=True, size_threshold=0, location="w.bin")

    assert canonical(whole(open_source(path))) == canonical(model_of(*arrays(**LARGE)))
    assert canonical(whole(open_source(read_model(str(path))))) == canonical(model_of(*arrays(**LARGE)))


def test_external_data_of_a_sparse_tensor_in_the_cores_own_model(tmp_path):
    model = deep_model()
    (tmp_path / "w.bin").write_bytes(b"...." + model.graph.sparse_initializer[0].values.raw_data)
    values = model.graph.sparse_initializer[0].values
    values.ClearField("raw_data")
    values.data_location = EXTERNAL
    values.external_data.add(key="location", value="w.bin")
    values.external_data.add(key="offset", value="4")

    found = whole(open_source(read_model(str(saved(tmp_path, model)))))

    assert found.graph.sparse_initializer[0].values.raw_data == np.float32([5]).tobytes()


def test_external_data_of_a_model_in_memory_needs_its_folder(tmp_path, monkeypatch):
    model = model_of(*arrays(**LARGE))
    path = saved(tmp_path, model, save_as_external_data=True, size_threshold=0, location="w.bin")
    loaded = onnx.load(path, load_external_data=False)
    monkeypatch.chdir(tmp_path)  # that the file happens to be here proves nothing

    with pytest.raises(ModelError, match=r"'large' refers to external data 'w.bin'.*base_dir") as caught:
        whole(open_source(loaded))
    assert caught.value.code == "external-missing"
    assert canonical(whole(open_source(loaded, tmp_path))) == canonical(model_of(*arrays(**LARGE)))
    assert canonical(whole(open_source(loaded.SerializeToString(), tmp_path))) == canonical(model_of(*arrays(**LARGE)))


@pytest.mark.parametrize("location", ["gone.bin", "../w.bin", "/etc/passwd", ""])
def test_external_data_that_is_missing_or_elsewhere_is_an_error(tmp_path, location):
    (tmp_path / "w.bin").write_bytes(bytes(8))
    folder = tmp_path / "folder"
    folder.mkdir()
    tensor = TensorProto(name="w", data_type=1, dims=[2], data_location=EXTERNAL)
    tensor.external_data.add(key="location", value=location)
    path = saved(folder, model_of(tensor))

    for given, base_dir in ((path, None), (model_of(tensor), folder)):
        with pytest.raises(ModelError, match="external data") as caught:
            export_safetensors(given, tmp_path / "out.safetensors", base_dir=base_dir)
        assert caught.value.code.startswith("external-")
    assert not (tmp_path / "out.safetensors").exists()


@pytest.mark.parametrize(
    "tensor",
    [
        TensorProto(name="w", data_type=1, dims=[2]),
        raw_tensor("w", 1, (2,), b"\0\0\0\0"),
        TensorProto(name="w", data_type=1, dims=[2], float_data=[1.0]),
        TensorProto(name="w", data_type=1, dims=[-2]),
    ],
)
def test_a_tensor_without_its_numbers_is_an_error_and_nothing_is_written(tmp_path, tensor):
    (tmp_path / "out.safetensors").write_bytes(b"old")
    for given in (model_of(tensor), saved(tmp_path, model_of(tensor))):
        with pytest.raises(ModelError, match="takes 8 bytes but has|negative"):
            export_safetensors(given, tmp_path / "out.safetensors")
    assert (tmp_path / "out.safetensors").read_bytes() == b"old"
    assert sorted(os.listdir(tmp_path)) == ["m.onnx", "out.safetensors"]


def test_numbers_in_typed_fields_are_numbers_like_others(tmp_path):
    tensors_ = [
        helper.make_tensor("f", TensorProto.FLOAT, [2], [1.5, -0.0]),
        helper.make_tensor("i", TensorProto.INT64, [1], [-(1 << 62)]),
        helper.make_tensor("u", TensorProto.UINT8, [3], [1, 2, 255]),
        helper.make_tensor("h", TensorProto.FLOAT16, [1], [0.5]),
        helper.make_tensor("q", TensorProto.INT4, [3], [-8, 7, 1]),
        helper.make_tensor("c", TensorProto.COMPLEX64, [1], [1 + 2j]),
    ]
    model = model_of(*tensors_)
    for given in (model, saved(tmp_path, model), model.SerializeToString()):
        export_safetensors(given, tmp_path / "t.safetensors")
        assert canonical(import_safetensors(tmp_path / "t.safetensors")) == canonical(model)
        assert not {"f", "i", "u", "h", "q", "c"} - {*open_archive(tmp_path / "t.safetensors").entries}


def test_what_is_no_model_is_refused(tmp_path):
    with pytest.raises(TypeError, match="not dict"):
        open_source({})
    with pytest.raises(ModelError, match="no graph"):
        open_source(onnx.ModelProto())
    (tmp_path / "m.onnx").write_bytes(onnx.ModelProto(producer_name="p").SerializeToString())
    with pytest.raises(ModelError, match="no graph"):
        open_source(tmp_path / "m.onnx")
    with pytest.raises(ModelError, match="No such file"):
        open_source(tmp_path / "none.onnx")
