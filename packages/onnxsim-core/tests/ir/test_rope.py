import errno
import math
import os
import tracemalloc

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from installed import WITH_WIDTH
from onnx import ModelProto, TensorProto, helper, numpy_helper

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import dtypes
from onnxsim_core.ir.files import File
from onnxsim_core.ir.rope import DataFile, Rope, write_atomic, write_external
from onnxsim_core.ir.tensors import ArrayTensor, DeferredTensor, MissingTensor, SpanTensor, from_array, to_proto_header
from onnxsim_core.ir.wire import external_entries, length_delimited, scan, tag, varint


def rope_of(*parts):
    rope = Rope()
    for part in parts:
        rope.append(part) if isinstance(part, bytes) else rope.append_tensor(part)
    return rope


@settings(max_examples=60, deadline=None)
@given(st.recursive(st.binary(max_size=5), lambda inner: st.lists(inner, max_size=4)))
def test_ropes_nest_like_messages(tree):
    def build(part):
        if isinstance(part, bytes):
            return length_delimited(1, part)
        return length_delimited(3, b"".join(build(child) for child in part))

    def rope(part):
        made = Rope()
        if isinstance(part, bytes):
            made.append(length_delimited(1, part))
            return made
        for child in part:
            made.extend(rope(child))
        return made.message(3)

    made = rope(tree)
    assert made.tobytes() == build(tree)
    assert made.nbytes == len(build(tree))


def test_a_message_is_independent_of_what_is_appended_later():
    inner = rope_of(b"ab")
    outer = inner.message(1)
    inner.append(b"cd")
    assert outer.tobytes() == b"\x0a\x02ab"
    assert inner.tobytes() == b"abcd"


def test_tensors_are_read_only_when_the_rope_is():
    calls = []

    def compute():
        calls.append(1)
        return np.arange(3, dtype=np.int16)

    rope = rope_of(b"x", DeferredTensor(dtypes.INT16, (3,), compute))
    assert (rope.nbytes, calls) == (7, [])
    assert rope.message(1).tobytes() == b"\x0a\x07x\0\0\1\0\2\0"
    assert calls == [1]


def test_gaps_are_zero_bytes():
    rope = rope_of(b"x")
    rope.append_gap(3)
    rope.append_gap(0)
    rope.append(b"y")
    assert (rope.nbytes, rope.tobytes()) == (5, b"x\0\0\0y")


@pytest.mark.parametrize("dtype", WITH_WIDTH)
def test_header_and_rope_make_the_tensor_proto_of_every_type(dtype):
    raw = np.arange(dtypes.nbytes(dtype, 15), dtype=np.uint8) & 1
    array = numpy_helper.to_array(TensorProto(dims=[3, 5], data_type=dtype, raw_data=raw.tobytes()))
    tensor = ArrayTensor(array)
    rope = rope_of(to_proto_header(tensor, "w").SerializeToString(), tag(9, 2) + varint(tensor.nbytes), tensor)
    proto = TensorProto()
    proto.ParseFromString(rope.tobytes())
    assert proto == numpy_helper.from_array(array, "w")


def test_a_rope_is_written_and_read_back(tmp_path):
    rope = rope_of(b"head", from_array(np.arange(1000)), b"tail")
    write_atomic(tmp_path / "m", rope)
    assert (tmp_path / "m").read_bytes() == rope.tobytes()
    assert os.listdir(tmp_path) == ["m"]


def test_progress_is_told(tmp_path):
    seen = []
    rope = rope_of(b"head", from_array(np.zeros(1_000_000)))
    write_atomic(tmp_path / "m", rope, progress=lambda *pair: seen.append(pair), fsync=True)
    assert seen[-1] == (rope.nbytes, rope.nbytes)
    assert len(seen) > 4


def test_a_source_that_fails_leaves_the_target(tmp_path):
    (tmp_path / "m").write_bytes(b"old")
    with pytest.raises(ModelError, match="w.bin is gone"):
        write_atomic(tmp_path / "m", rope_of(b"x", MissingTensor(dtypes.UINT8, (5,), "w.bin is gone")))
    assert os.listdir(tmp_path) == ["m"]
    assert (tmp_path / "m").read_bytes() == b"old"


# --- whole models ---


def small_part(tensor, entries):
    tensor.ClearField("data_location")
    del tensor.external_data[:]
    return tensor.SerializeToString() + entries


def rewritten(file, place):
    """The model in a file as a rope, its weights as spans; `place` says what stands in their stead."""
    model = ModelProto()
    model.ParseFromString(scan(file)[0])
    rope, graph = Rope(), Rope()
    for proto in model.graph.initializer:
        body = Rope()
        if proto.data_location == TensorProto.EXTERNAL:
            entries = {entry.key: entry.value for entry in proto.external_data}
            dims = tuple(proto.dims)
            tensor = SpanTensor(proto.data_type, dims, file, int(entries["offset"]), int(entries["length"]))
            place(body, proto, tensor)
        else:
            body.append(proto.SerializeToString())
        graph.extend(body.message(5))
    del model.graph.initializer[:]
    graph.append(model.graph.SerializeToString())
    model.ClearField("graph")
    rope.append(model.SerializeToString())
    rope.extend(graph.message(7))
    return rope


def inline(body, proto, tensor):
    body.append(small_part(proto, tag(9, 2) + varint(tensor.nbytes)))
    body.append_tensor(tensor)


@pytest.fixture
def model():
    rng = np.random.default_rng(0)
    shapes = [(3,), (100, 70), (1500, 400), (17, 1003), (0, 4)]
    weights = [numpy_helper.from_array(rng.random(s, np.float32), f"w{i}") for i, s in enumerate(shapes)]
    node = helper.make_node("Identity", ["w1"], ["y"])
    output = helper.make_tensor_value_info("y", 1, [100, 70])
    graph = helper.make_graph([node], "g", [], [output], weights)
    return helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)])


def test_a_model_is_written_over_itself(tmp_path, model):
    path = tmp_path / "m.onnx"
    onnx.save(model, path)
    file = File(path)
    rope = rewritten(file, inline)
    write_atomic(path, rope)
    assert onnx.load(path) == model
    write_atomic(tmp_path / "again.onnx", rope)
    assert onnx.load(tmp_path / "again.onnx") == model


def externally(data):
    def place(body, proto, tensor):
        body.append(small_part(proto, external_entries(data.location, *data.add(tensor))))

    return place


def test_weights_move_to_a_file_of_their_own(tmp_path, model):
    onnx.save(model, tmp_path / "in.onnx")
    data = DataFile("out.bin")
    rope = rewritten(File(tmp_path / "in.onnx"), externally(data))
    seen = []
    out, weights = tmp_path / "out.onnx", tmp_path / "out.bin"
    write_external(out, rope, weights, data, progress=lambda *pair: seen.append(pair), fsync=True)
    assert os.stat(weights).st_size == data.nbytes
    assert os.stat(out).st_size == rope.nbytes < 1000
    assert seen == sorted(seen) and seen[-1] == (data.nbytes + rope.nbytes,) * 2
    onnx.checker.check_model(str(out), full_check=True)
    loaded = onnx.load(out)
    for before, after in zip(model.graph.initializer, loaded.graph.initializer, strict=True):
        assert numpy_helper.to_array(before).tobytes() == numpy_helper.to_array(after).tobytes()
    assert sorted(os.listdir(tmp_path)) == ["in.onnx", "out.bin", "out.onnx"]


def test_external_data_are_rewritten_in_place(tmp_path, model):
    onnx.save(model, tmp_path / "m.onnx")
    for _ in range(3):
        data = DataFile("m.bin")
        source = File(tmp_path / ("m.bin" if (tmp_path / "m.bin").exists() else "m.onnx"))
        tensors = [SpanTensor(dtypes.UINT8, (1_000_000,), source, 64 * i) for i in range(2)]
        expected = [bytes(tensor.tobytes()) for tensor in tensors]
        places = [data.add(tensor) for tensor in tensors]
        write_external(tmp_path / "m.txt", rope_of(b"model"), tmp_path / "m.bin", data)
        written = File(tmp_path / "m.bin")
        assert [written.pread(*place) for place in places] == expected


def test_large_tensors_start_on_a_page_and_small_ones_on_a_line():
    data = DataFile("w.bin")
    sizes = [3, 100, 0, 1 << 20, 1, (1 << 20) - 1, 2 << 20]
    places = [data.add(from_array(np.zeros(size, np.uint8))) for size in sizes]
    assert [length for _, length in places] == sizes
    end = 0
    for (offset, length), size in zip(places, sizes, strict=True):
        assert offset >= end and offset - end < (4096 if size >= 1 << 20 else 64)
        assert offset % (4096 if size >= 1 << 20 else 64) == 0
        end = offset + length
    assert data.nbytes == end


def test_a_tensor_given_twice_is_stored_once(tmp_path):
    (tmp_path / "f").write_bytes(bytes(1000))
    file = File(tmp_path / "f")
    data = DataFile("w.bin")
    array = from_array(np.ones(5))
    first = data.add(SpanTensor(dtypes.UINT8, (100,), file, 0))
    assert data.add(SpanTensor(dtypes.FLOAT, (25,), File(tmp_path / "f"), 0)) == first
    assert data.add(SpanTensor(dtypes.UINT8, (100,), file, 1)) != first
    assert data.add(SpanTensor(dtypes.UINT8, (99,), file, 0)) != first
    assert data.add(array) == data.add(array)
    assert data.add(from_array(np.ones(5))) != data.add(array)


def test_tensors_that_died_do_not_lend_their_place():
    data = DataFile("w.bin")
    places = {data.add(from_array(np.full(8, i))) for i in range(200)}
    assert len(places) == 200


@pytest.mark.parametrize("former", [True, False])
@pytest.mark.parametrize("failing", ["data", "model"])
def test_a_rename_that_fails_leaves_both_files_as_they_were(tmp_path, monkeypatch, former, failing):
    model_path, data_path = tmp_path / "m.onnx", tmp_path / "m.bin"
    if former:
        model_path.write_bytes(b"old model")
        data_path.write_bytes(b"old data")
    original = os.replace

    def replace(source, target):
        if target == str(data_path if failing == "data" else model_path) and ".tmp" in source:
            monkeypatch.setattr(os, "replace", original)
            raise OSError(errno.EIO, "Input/output error")
        original(source, target)

    monkeypatch.setattr(os, "replace", replace)
    data = DataFile("m.bin")
    data.add(from_array(np.zeros(10)))
    with pytest.raises(ModelError, match="Input/output error"):
        write_external(model_path, rope_of(b"new model"), data_path, data)
    assert sorted(os.listdir(tmp_path)) == (["m.bin", "m.onnx"] if former else [])
    if former:
        assert (model_path.read_bytes(), data_path.read_bytes()) == (b"old model", b"old data")


def test_a_model_that_cannot_be_written_leaves_no_data_file(tmp_path):
    data = DataFile("m.bin")
    data.add(from_array(np.zeros(10)))
    with pytest.raises(ModelError, match="the folder does not exist"):
        write_external(tmp_path / "nowhere" / "m.onnx", rope_of(b"m"), tmp_path / "m.bin", data)
    with pytest.raises(ModelError, match="is gone"):
        gone = MissingTensor(dtypes.UINT8, (1,), "it is gone")
        write_external(tmp_path / "m.onnx", rope_of(gone), tmp_path / "m.bin", data)
    assert os.listdir(tmp_path) == []


def test_model_and_data_must_be_two_files(tmp_path):
    os.symlink("m.onnx", tmp_path / "link")
    with pytest.raises(ModelError, match="cannot be the same file"):
        write_external(tmp_path / "m.onnx", rope_of(b"m"), tmp_path / "link", DataFile("link"))


# --- size ---


def sparse_model(path, size, mark):
    """A model whose one weight of `size` bytes is a hole but for its last bytes."""
    head = length_delimited(8, b"huge") + tag(2, 0) + varint(dtypes.UINT8) + tag(1, 0) + varint(size)
    tensor = Rope()
    tensor.append(head + tag(9, 2) + varint(size))
    tensor.append_gap(size - len(mark))
    tensor.append(mark)
    graph = tensor.message(5)
    graph.append(length_delimited(2, b"g"))
    rope = rope_of(tag(1, 0) + varint(10))
    rope.extend(graph.message(7))
    write_atomic(path, rope)
    return rope.nbytes


@pytest.mark.parametrize("out", ["inline", "external"])
def test_a_weight_larger_than_memory_passes_through_as_a_hole(tmp_path, out):
    size, mark = (3 << 30) + 77, b"the last bytes"
    total = sparse_model(tmp_path / "in.onnx", size, mark)
    assert math.isclose(total, size, abs_tol=200)
    tracemalloc.start()
    try:
        file = File(tmp_path / "in.onnx")
        data = DataFile("out.bin")
        rope = rewritten(file, inline if out == "inline" else externally(data))
        if out == "inline":
            write_atomic(tmp_path / "out.onnx", rope)
        else:
            write_external(tmp_path / "out.onnx", rope, tmp_path / "out.bin", data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 16 << 20
    made = tmp_path / ("out.onnx" if out == "inline" else "out.bin")
    info = os.stat(made)
    assert info.st_size >= size
    assert info.st_blocks * 512 < 8 << 20
    if out == "external":
        assert info.st_size == size
        assert File(made).pread(size - len(mark), len(mark)) == mark
        return
    model = ModelProto()
    model.ParseFromString(scan(File(made))[0])
    (tensor,) = model.graph.initializer
    entries = {entry.key: entry.value for entry in tensor.external_data}
    assert (tensor.name, list(tensor.dims), entries["length"]) == ("huge", [size], str(size))
    assert File(made).pread(int(entries["offset"]) + size - len(mark), len(mark)) == mark
