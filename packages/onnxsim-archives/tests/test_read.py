import os
import random
import struct

import numpy as np
import onnx
import onnxruntime
import pytest
from archiving import (
    arrays,
    canonical,
    deep_model,
    every_type,
    graph_in,
    model_of,
    raw_tensor,
    safetensors_header,
    write_safetensors,
)
from safetensors.numpy import save_file

from onnxsim_archives import (
    ArchiveError,
    export_gguf,
    export_safetensors,
    import_gguf,
    import_safetensors,
    open_archive,
    read_gguf_metadata,
    unpack_archive,
)
from onnxsim_core import ModelError, simplify

BOTH = pytest.mark.parametrize(
    ("export", "load"),
    [(export_safetensors, import_safetensors), (export_gguf, import_gguf)],
    ids=["safetensors", "gguf"],
)
LARGE = model_of(*arrays(large=np.arange(5000, dtype=np.float32), small=np.float32([1, 2])))


def outputs(path, value=True):
    """What onnxruntime computes with a model that takes one value at most."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    return session.run(None, {one.name: np.array(value) for one in session.get_inputs()})


# --- models of archives --------------------------------------------------------------------------------------------
@BOTH
def test_a_model_that_refers_to_its_archive_runs_beside_it(tmp_path, export, load):
    export(LARGE, tmp_path / "a.bin")
    model = load(tmp_path / "a.bin", refer=True)
    onnx.save(model, tmp_path / "m.onnx")

    large, small = model.graph.initializer
    assert large.data_location == 1 and {e.key: e.value for e in large.external_data}["location"] == "a.bin"
    assert small.raw_data == np.float32([1, 2]).tobytes() and small.data_location == 0
    assert [value.tolist() for value in outputs(tmp_path / "m.onnx")] == [list(range(5000)), [1, 2]]
    onnx.load_external_data_for_model(model, str(tmp_path))
    assert canonical(model) == canonical(LARGE)


@BOTH
def test_a_renamed_archive_is_read_all_the_same(tmp_path, export, load):
    export(LARGE, tmp_path / "a.bin")
    (tmp_path / "elsewhere").mkdir()
    os.rename(tmp_path / "a.bin", tmp_path / "elsewhere" / "b.bin")

    assert load(tmp_path / "elsewhere" / "b.bin") == LARGE


@BOTH
def test_unpacking_inside_and_beside_and_by_reference(tmp_path, export, load):
    export(LARGE, tmp_path / "a.bin")
    unpack_archive(tmp_path / "a.bin", tmp_path / "inside.onnx")
    unpack_archive(tmp_path / "a.bin", tmp_path / "beside.onnx", external_data_threshold="1KB")
    unpack_archive(tmp_path / "a.bin", tmp_path / "refer.onnx", refer=True)

    for name in ("inside", "beside", "refer"):
        assert canonical(onnx.load(tmp_path / f"{name}.onnx")) == canonical(LARGE)
        assert [value.tolist() for value in outputs(tmp_path / f"{name}.onnx")] == [list(range(5000)), [1, 2]]
    assert (tmp_path / "beside.onnx.data").read_bytes() == LARGE.graph.initializer[0].raw_data
    assert os.path.getsize(tmp_path / "refer.onnx") < 1000
    assert not (tmp_path / "inside.onnx.data").exists() and not (tmp_path / "refer.onnx.data").exists()


def test_every_place_is_unpacked(tmp_path):
    export_gguf(deep_model(), tmp_path / "a.gguf")
    unpack_archive(tmp_path / "a.gguf", tmp_path / "m.onnx")

    assert canonical(onnx.load(tmp_path / "m.onnx")) == canonical(deep_model())


def test_a_model_refers_to_archives_in_its_folder_and_below_only(tmp_path):
    (tmp_path / "below").mkdir()
    export_gguf(LARGE, tmp_path / "below" / "a.gguf")
    unpack_archive(tmp_path / "below" / "a.gguf", tmp_path / "m.onnx", refer=True)
    assert canonical(onnx.load(tmp_path / "m.onnx")) == canonical(LARGE)

    (tmp_path / "other").mkdir()
    with pytest.raises(ArchiveError, match="own folder and below") as caught:
        unpack_archive(tmp_path / "below" / "a.gguf", tmp_path / "other" / "m.onnx", refer=True)
    assert caught.value.code == "archive-refer"
    assert not (tmp_path / "other" / "m.onnx").exists()


def test_progress_of_unpacking(tmp_path):
    export_gguf(LARGE, tmp_path / "a.gguf")
    for threshold in (0, None):
        told = []
        unpack_archive(tmp_path / "a.gguf", tmp_path / "m.onnx", external_data_threshold=threshold,
                       progress=lambda done, total, told=told: told.append((done, total)))
        assert told[-1][0] == told[-1][1] >= 20_000


# --- simplifying ---------------------------------------------------------------------------------------------------
def test_an_archive_is_simplified_and_becomes_an_archive_without_loading_weights(tmp_path):
    add, same = onnx.helper.make_node("Add", ["cond", "w"], ["t"]), onnx.helper.make_node("Identity", ["t"], ["y0"])
    model = model_of(*arrays(w=np.arange(20_000, dtype=np.float32)), nodes=[add, same])
    model.graph.input.append(onnx.helper.make_tensor_value_info("cond", 1, []))
    export_safetensors(model, tmp_path / "a.onnx.safetensors")
    archive = open_archive(tmp_path / "a.onnx.safetensors")

    result = simplify(archive, 1, output_path=tmp_path / "s.onnx")
    export_gguf(result, tmp_path / "s.onnx.gguf")

    assert result.ok and result.report.nodes_before == 2 and result.report.nodes_after == 1
    assert outputs(tmp_path / "s.onnx", np.float32(1))[0].tolist() == list(range(1, 20_001))
    (weight,) = [value.tensor for value in result.graph.graph.constants]
    assert weight.span()[0].path == archive.path
    assert canonical(import_gguf(tmp_path / "s.onnx.gguf")) == canonical(onnx.load(tmp_path / "s.onnx"))


def test_the_core_reads_every_place_of_an_archive(tmp_path):
    export_gguf(deep_model(), tmp_path / "a.gguf")
    onnx.save(deep_model(), tmp_path / "m.onnx")
    result = simplify(open_archive(tmp_path / "a.gguf"), output_path=tmp_path / "s.onnx")

    assert result.ok
    assert outputs(tmp_path / "s.onnx")[0].tolist() == outputs(tmp_path / "m.onnx")[0].tolist() == [111, 238]


# --- faults --------------------------------------------------------------------------------------------------------
def test_an_archive_of_weights_alone_holds_no_model(tmp_path):
    save_file({"w": np.zeros(3, np.float32)}, tmp_path / "w.safetensors")
    for open_ in (import_safetensors, open_archive, lambda path: unpack_archive(path, tmp_path / "m.onnx")):
        with pytest.raises(ArchiveError, match="holds weights only: no graph is embedded in it") as caught:
            open_(tmp_path / "w.safetensors")
        assert caught.value.code == "archive-no-graph"
    assert os.listdir(tmp_path) == ["w.safetensors"]


def test_the_other_format_is_named(tmp_path):
    export_gguf(LARGE, tmp_path / "a")
    export_safetensors(LARGE, tmp_path / "b")
    with pytest.raises(ArchiveError, match="a gguf file, not a safetensors file .import_gguf reads it") as caught:
        import_safetensors(tmp_path / "a")
    assert caught.value.code == "archive-format"
    for read in (import_gguf, read_gguf_metadata):
        with pytest.raises(ArchiveError, match="a safetensors file, not a gguf file"):
            read(tmp_path / "b")
    with pytest.raises(ModelError, match="No such file"):
        open_archive(tmp_path / "c")


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        ("I8", b"\x08", "the embedded graph is damaged"),
        ("I8", b"not protobuf", "the embedded graph is damaged"),
        ("I8", onnx.ModelProto(producer_name="p").SerializeToString(), "the embedded graph is empty"),
        ("I8", b"", "is no graph"),
        ("U16", LARGE.graph.initializer[1].raw_data, "is no graph"),
    ],
)
def test_an_entry_that_is_no_graph(tmp_path, kind, data, text):
    size = len(data) // (2 if kind == "U16" else 1)
    header = {"model.onnx": {"dtype": kind, "shape": [size], "data_offsets": [0, len(data)]}}
    path = write_safetensors(tmp_path / "a", header, data)
    with pytest.raises(ArchiveError, match=text) as caught:
        import_safetensors(path)
    assert caught.value.code == "archive-graph"


def set_field(key, text):
    def change(model):
        for entry in model.graph.initializer[0].external_data:
            if entry.key == key:
                entry.value = text.zfill(len(entry.value)) if key != "key" else text

    return change


def rename_key(model):
    model.graph.initializer[0].external_data[1].key = "offsex"


def other_type(number):
    def change(model):
        model.graph.initializer[0].data_type = number

    return change


def other_dims(model):
    model.graph.initializer[0].dims[0] -= 1


@pytest.mark.parametrize(
    ("change", "text"),
    [
        (set_field("offset", "9"), "lies where no entry does"),
        (set_field("offset", "-9"), "lies where no entry does"),
        (set_field("offset", "12345678901234567890"), "lies where no entry does"),
        (set_field("offset", "x"), "has no offset and length"),
        (set_field("length", "19999"), "lies where no entry does"),
        (rename_key, "has no offset and length"),
        (other_type(6), "should be I32, its entry is F32"),
        (other_type(14), "takes 40000 bytes but has 20000|should be"),
        (other_dims, "takes 19996 bytes but has 20000"),
    ],
)
def test_a_graph_that_lies_about_its_tensors(tmp_path, change, text):
    export_safetensors(LARGE, tmp_path / "a")
    path = graph_in(tmp_path / "a", change)
    for read in (
        import_safetensors,
        lambda path: simplify(open_archive(path)),
        lambda path: unpack_archive(path, tmp_path / "m.onnx"),
    ):
        with pytest.raises(ArchiveError, match=text) as caught:
            read(path)
        assert caught.value.code == "archive-graph" and caught.value.where == str(path)


def test_a_tensor_cannot_be_the_graph_nor_a_file_outside(tmp_path):
    export_safetensors(LARGE, tmp_path / "a")
    entry = open_archive(tmp_path / "a").entries["model.onnx"]

    def point(model):
        where = model.graph.initializer[0].external_data
        where[0].value, where[1].value, where[2].value = "/", f"{entry.offset:020}", f"{entry.nbytes:020}"

    with pytest.raises(ArchiveError, match="lies where no entry does"):
        import_safetensors(graph_in(tmp_path / "a", point))
    export_safetensors(LARGE, tmp_path / "a")
    path = graph_in(tmp_path / "a", lambda model: set_location(model, "/"))
    assert import_safetensors(path) == LARGE  # whatever it names, it lies in the archive


def set_location(model, text):
    model.graph.initializer[0].external_data[0].value = text


def test_two_empty_tensors_of_two_types_at_one_place(tmp_path):
    model = model_of(*every_type((0, 3)).values(), raw_tensor("w", 1, (1,), bytes(4)))
    export_safetensors(model, tmp_path / "a")

    assert import_safetensors(tmp_path / "a") == model


@BOTH
def test_a_file_that_is_cut_or_changed_is_a_model_or_a_model_error(tmp_path, export, load):
    model = model_of(*arrays(a=np.float32([1, 2]), b=np.int64([3])), raw_tensor("q", 22, (3,), b"\x12\x03"))
    export(model, tmp_path / "a")
    whole = (tmp_path / "a").read_bytes()
    chance = random.Random(3)
    damaged = [whole[:length] for length in range(0, len(whole), 7)]
    for _ in range(400):
        changed = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 8))):
            changed[chance.randrange(len(whole))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        damaged.append(bytes(changed))
    refused = 0
    for data in damaged:
        (tmp_path / "d").write_bytes(data)
        try:
            load(tmp_path / "d")
        except ModelError:
            refused += 1
    assert refused > len(damaged) // 3


# --- metadata ------------------------------------------------------------------------------------------------------
def test_the_metadata_of_a_gguf_file(tmp_path):
    export_gguf(model_of(*arrays(m=np.zeros((2, 3), np.float32), i=np.int64([1]))), tmp_path / "a.gguf")
    found = read_gguf_metadata(tmp_path / "a.gguf")

    assert found["kv"]["general.architecture"] == "onnx" and found["kv"]["general.alignment"] == 32
    assert [one for one in found["tensors"] if one["name"] != "model.onnx"] == [
        {"name": "i", "shape": [1], "ggml_type": 27}, {"name": "m", "shape": [2, 3], "ggml_type": 0}]


def test_the_header_of_our_own_archives_is_exact(tmp_path):
    export_safetensors(LARGE, tmp_path / "a")
    header, data = safetensors_header(tmp_path / "a")

    assert header["large"] == {"dtype": "F32", "shape": [5000], "data_offsets": [0, 20_000]}
    assert struct.unpack("<2f", data[20_000:20_008]) == (1, 2)
    assert repr(open_archive(tmp_path / "a")) == f"Archive({str(tmp_path / 'a')!r}, 3 entries)"
