import json
import os
import subprocess
import sys

import gguf
import ml_dtypes
import numpy as np
import onnx
import pytest
from archiving import TYPES, arrays, canonical, deep_model, every_type, model_of, parts, raw_tensor, safetensors_header
from onnx import TensorProto, helper, numpy_helper
from safetensors import safe_open

from onnxsim_archives import (
    ArchiveError,
    export_gguf,
    export_safetensors,
    import_gguf,
    import_safetensors,
    open_archive,
    write,
)
from onnxsim_core import ModelError

BOTH = pytest.mark.parametrize(
    ("export", "load"),
    [(export_safetensors, import_safetensors), (export_gguf, import_gguf)],
    ids=["safetensors", "gguf"],
)


def as_read_by_safetensors(path):
    """Entries as the safetensors package reads them."""
    with safe_open(path, "np") as file:
        return {name: file.get_tensor(name) for name in file.keys()}


def as_read_by_gguf(path):
    """Entries as the gguf package reads them, in C order."""
    return {t.name: np.asarray(t.data) for t in gguf.GGUFReader(path).tensors}


# --- round trips ---------------------------------------------------------------------------------------------------
@BOTH
@pytest.mark.parametrize("dims", [(), (1,), (3, 5), (0,), (0, 4), (2, 1, 3, 1, 2, 1)])
def test_every_type_and_rank_comes_back_bit_for_bit(tmp_path, export, load, dims):
    model = model_of(*every_type(dims).values())
    before = model.SerializeToString()
    export(model, tmp_path / "a")

    assert load(tmp_path / "a") == model
    assert model.SerializeToString() == before


@BOTH
def test_every_place_comes_back(tmp_path, export, load):
    model = deep_model()
    export(model, tmp_path / "a")

    assert canonical(load(tmp_path / "a")) == canonical(model)
    assert len(open_archive(tmp_path / "a").entries) == 1 + len(list(parts(model)))


@BOTH
def test_two_branches_with_an_initializer_of_one_name_keep_their_own(tmp_path, export, load):
    model = deep_model()
    before = model.SerializeToString()
    export(model, tmp_path / "a")

    found = {a.name: a.g.initializer[0].raw_data for a in load(tmp_path / "a").graph.node[0].attribute}
    assert found == {"then_branch": np.float32([1, 2]).tobytes(), "else_branch": np.float32([3, 4]).tobytes()}
    assert model.SerializeToString() == before


@BOTH
def test_names_of_any_kind_come_back(tmp_path, export, load):
    names = ["x" * 200, "x" * 199 + "y", "ü" * 60, "model.onnx", "__metadata__", "a b\tc", "日本語", "a/b.c"]
    model = model_of(*arrays(**{name: np.float32([number]) for number, name in enumerate(names)}))
    export(model, tmp_path / "a")

    assert canonical(load(tmp_path / "a")) == canonical(model)
    notes = json.loads(open_archive(tmp_path / "a").metadata["onnxsim.archive"])["entries"]
    entries = open_archive(tmp_path / "a").entries
    assert {notes.get(name, {}).get("key", name) for name in entries} == {*names, "model.onnx"}


@BOTH
def test_a_name_that_is_not_utf8_comes_back(tmp_path, export, load):
    for model, name, odd in ((model_of(*arrays(weight=np.float32([1]))), b"weight", b"wei\xffht"),
                             (deep_model(), b"shift", b"shi\xfft"), (deep_model(), b"local", b"loc\xffl")):
        data = model.SerializeToString().replace(name, odd)
        (tmp_path / "m.onnx").write_bytes(data)
        export(tmp_path / "m.onnx", tmp_path / "a")

        assert load(tmp_path / "a").SerializeToString().count(odd) == data.count(odd) >= 2


@BOTH
def test_texts_stay_in_the_graph(tmp_path, export, load):
    model = model_of(helper.make_tensor("s", TensorProto.STRING, [2], [b"a", b"\xff\x00"]), *arrays(f=np.float32([1])))
    export(model, tmp_path / "a")

    assert load(tmp_path / "a") == model
    assert {*open_archive(tmp_path / "a").entries} == {"f", "model.onnx"}


# --- other readers -------------------------------------------------------------------------------------------------
def test_the_safetensors_package_reads_every_entry(tmp_path):
    tensors = every_type()
    export_safetensors(model_of(*tensors.values()), tmp_path / "a.safetensors")
    header, data = safetensors_header(tmp_path / "a.safetensors")
    with safe_open(tmp_path / "a.safetensors", "np") as file:
        assert {*file.keys()} == {*tensors, "model.onnx"}
        for name, tensor in tensors.items():
            begin, end = header[name]["data_offsets"]
            assert data[begin:end] == tensor.raw_data
            if name in ("FLOAT8E4M3FN", "FLOAT8E5M2"):
                assert file.get_slice(name).get_dtype() == {"FLOAT8E4M3FN": "F8_E4M3", "FLOAT8E5M2": "F8_E5M2"}[name]
                continue  # numpy has no such type; torch has
            array = file.get_tensor(name)
            assert array.tobytes() == tensor.raw_data
            if header[name]["dtype"] != "U8":
                assert array.dtype == helper.tensor_dtype_to_np_dtype(tensor.data_type)
                assert array.shape == (3, 5)


def test_the_gguf_package_reads_every_entry(tmp_path):
    tensors = every_type()
    export_gguf(model_of(*tensors.values()), tmp_path / "a.gguf")
    reader = gguf.GGUFReader(tmp_path / "a.gguf")
    found = {t.name: t for t in reader.tensors}

    assert reader.fields["general.architecture"].contents() == "onnx"
    assert {*found} == {*tensors, "model.onnx"}
    own = {"FLOAT": "F32", "FLOAT16": "F16", "BFLOAT16": "BF16", "DOUBLE": "F64", "INT8": "I8", "INT16": "I16",
           "INT32": "I32", "INT64": "I64"}
    for name, tensor in tensors.items():
        assert np.asarray(found[name].data).tobytes() == tensor.raw_data
        assert found[name].tensor_type.name == own.get(name, "I8")
        assert found[name].data_offset % 32 == 0
        if name in own:
            assert found[name].shape.tolist() == [5, 3]


def test_values_as_other_readers_see_them(tmp_path):
    tensors = {
        "m": np.arange(6, dtype=np.float32).reshape(2, 3), "d": np.float64([0.1, -0.0]), "h": np.float16([[1.5]]),
        "i": np.int64([-(1 << 62)]), "b": np.float32([1.5, -2]).astype(ml_dtypes.bfloat16), "s": np.float32(7),
    }  # fmt: skip
    model = model_of(*arrays(**tensors), *arrays(u=np.uint64([1 << 63]), t=np.array([True, False])))
    export_safetensors(model, tmp_path / "a.safetensors")
    export_gguf(model, tmp_path / "a.gguf")

    read = as_read_by_safetensors(tmp_path / "a.safetensors")
    for name, array in {**tensors, "u": np.uint64([1 << 63]), "t": np.array([True, False])}.items():
        assert read[name].dtype == array.dtype and read[name].shape == array.shape
        assert read[name].tobytes() == array.tobytes()
    read = as_read_by_gguf(tmp_path / "a.gguf")
    assert np.array_equal(read["m"], tensors["m"]) and np.array_equal(read["d"], tensors["d"])
    assert read["s"].shape == () and read["s"] == 7


def test_what_a_container_cannot_say_is_noted_in_its_metadata(tmp_path):
    model = model_of(*every_type((1, 2, 3, 4, 5)).values(), *arrays(empty=np.zeros((2, 0), np.float32)))
    export_gguf(model, tmp_path / "a.gguf")
    notes = json.loads(gguf.GGUFReader(tmp_path / "a.gguf").fields["onnxsim.archive"].contents())

    assert notes["version"] == 1 and notes["tied"] == {}
    assert notes["entries"]["INT4"] == {"dtype": "INT4", "shape": [1, 2, 3, 4, 5]}
    assert notes["entries"]["FLOAT"] == {"shape": [1, 2, 3, 4, 5]}
    assert notes["entries"]["empty"] == {"shape": [2, 0]}
    export_safetensors(model, tmp_path / "a.safetensors")
    with safe_open(tmp_path / "a.safetensors", "np") as file:
        notes = json.loads(file.metadata()["onnxsim.archive"])
    assert {name for name, note in notes["entries"].items() if note.get("dtype") == name} == {
        name for name in TYPES if name in notes["entries"]}
    assert "FLOAT" not in notes["entries"] and notes["entries"]["COMPLEX64"]["dtype"] == "COMPLEX64"


@BOTH
def test_the_graph_refers_to_true_places_of_the_file(tmp_path, export, load):
    model = model_of(*arrays(a=np.arange(9, dtype=np.float32), b=np.int64([5])))
    export(model, tmp_path / "a.bin")
    entry = open_archive(tmp_path / "a.bin").entries["model.onnx"]
    data = (tmp_path / "a.bin").read_bytes()
    graph = onnx.load_from_string(data[entry.offset : entry.offset + entry.nbytes])

    for before, after in zip(model.graph.initializer, graph.graph.initializer, strict=True):
        where = {one.key: one.value for one in after.external_data}
        assert where["location"] == "a.bin" and len(where["offset"]) == len(where["length"]) == 20
        offset = int(where["offset"])
        assert data[offset : offset + int(where["length"])] == before.raw_data


# --- files ---------------------------------------------------------------------------------------------------------
@BOTH
def test_tied_weights_are_stored_once(tmp_path, export, load):
    data = np.arange(3000, dtype=np.float32)
    (tmp_path / "w.bin").write_bytes(data.tobytes())
    tensors = []
    for name, dims in (("one", [3000]), ("two", [3000]), ("other", [30, 100])):
        tensor = TensorProto(name=name, data_type=1, dims=dims, data_location=1)
        tensor.external_data.add(key="location", value="w.bin")
        tensors.append(tensor)
    onnx.save(model_of(*tensors), tmp_path / "m.onnx")
    export(tmp_path / "m.onnx", tmp_path / "a")
    archive = open_archive(tmp_path / "a")

    assert {*archive.entries} == {"one", "other", "model.onnx"}
    assert json.loads(archive.metadata["onnxsim.archive"])["tied"] == {"two": "one"}
    assert [numpy_helper.to_array(one).tolist() for one in load(tmp_path / "a").graph.initializer] == [
        data.tolist(), data.tolist(), data.reshape(30, 100).tolist()]


@BOTH
def test_an_archive_may_replace_the_one_it_was_made_from(tmp_path, export, load):
    model = model_of(*arrays(w=np.arange(10_000, dtype=np.float32)))
    export(model, tmp_path / "a.safetensors")
    (tmp_path / "a.gguf").write_bytes((tmp_path / "a.safetensors").read_bytes())
    for name in ("a.safetensors", "a.gguf"):
        export(tmp_path / name, tmp_path / name)
        assert load(tmp_path / name) == model


@BOTH
def test_progress_is_told_up_to_the_end(tmp_path, export, load):
    told, model = [], model_of(*arrays(w=np.zeros(1 << 20)))
    export(model, tmp_path / "a", progress=lambda done, total: told.append((done, total)))

    size = os.path.getsize(tmp_path / "a")
    assert told[-1] == (size, size) and told == sorted(told)


def test_a_graph_that_protobuf_cannot_hold_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "GRAPH_LIMIT", 100)
    with pytest.raises(ArchiveError, match="more than protobuf can hold"):
        export_gguf(model_of(*arrays(w=np.zeros(3))), tmp_path / "a")
    assert not (tmp_path / "a").exists()


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(ModelError, match="the folder does not exist"):
        export_gguf(model_of(raw_tensor("w", 1, (1,), bytes(4))), tmp_path / "none" / "a.gguf")


SPARSE = """
import resource, sys
import onnxsim_archives as archives
archives.export_safetensors("m.onnx", "m.onnx.safetensors")
archives.export_gguf("m.onnx.safetensors", "m.onnx.gguf")
archives.unpack_archive("m.onnx.gguf", "n.onnx")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
"""


def test_three_gigabytes_pass_through_a_fraction_of_the_memory(tmp_path):
    each = 3 << 28
    tensors = []
    with open(tmp_path / "w.bin", "wb") as file:  # holes, so that it takes no room
        file.truncate(4 * each)
        for number in range(4):
            file.seek(each * number + 400)
            file.write(np.float32(number + 1).tobytes())
            tensor = TensorProto(name=f"w{number}", data_type=1, dims=[3 << 13, 1 << 13], data_location=1)
            tensor.external_data.add(key="location", value="w.bin")
            tensor.external_data.add(key="offset", value=str(each * number))
            tensors.append(tensor)
    onnx.save(model_of(*tensors), tmp_path / "m.onnx")
    done = subprocess.run([sys.executable, "-c", SPARSE], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert int(done.stdout) < 500 << 20
    assert os.path.getsize(tmp_path / "n.onnx.data") == 4 * each
    (first, *_, last) = onnx.load(tmp_path / "n.onnx", load_external_data=False).graph.initializer
    with open(tmp_path / "n.onnx.data", "rb") as file:
        for tensor, number in ((first, 1), (last, 4)):
            file.seek(int({e.key: e.value for e in tensor.external_data}["offset"]) + 400)
            assert np.frombuffer(file.read(4), np.float32) == number
