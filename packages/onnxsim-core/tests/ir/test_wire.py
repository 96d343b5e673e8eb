import random
import struct
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import onnx
import pytest
from google.protobuf.message import DecodeError
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import ModelProto, TensorProto, helper, numpy_helper

from onnxsim_core.errors import ModelError
from onnxsim_core.ir import wire
from onnxsim_core.ir.files import File
from onnxsim_core.ir.wire import INLINE, external_entries, find_fault, length_delimited, scan, tag, varint

# --- an oracle: protobuf reads both, the data are put back, the results must agree ---


def tensors_of(message):
    """Every TensorProto in a message, however deep."""
    if isinstance(message, TensorProto):
        yield message
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for child in [value] if hasattr(value, "ListFields") else value:
                yield from tensors_of(child)


def put_back(message, source):
    """Undo the scanner's work; returns how many tensors had been taken out."""
    count = 0
    for tensor in tensors_of(message):
        entries = {entry.key: entry.value for entry in tensor.external_data[-3:]}
        if entries.get("location") == INLINE:
            assert not tensor.HasField("raw_data")
            assert tensor.data_location == TensorProto.EXTERNAL
            offset, length = int(entries["offset"]), int(entries["length"])
            tensor.raw_data = source[offset : offset + length]
            tensor.ClearField("data_location")
            del tensor.external_data[-3:]
            count += 1
    return count


def plain(message, threshold):
    """What cannot be told apart afterwards: an explicit DEFAULT location, and float_data from the same raw bytes."""
    for tensor in tensors_of(message):
        if tensor.data_location == TensorProto.DEFAULT:
            tensor.ClearField("data_location")
            for kinds, field, code in (((1, 14), "float_data", "f"), ((11, 15), "double_data", "d")):
                values = getattr(tensor, field)
                if tensor.data_type in kinds and values and not tensor.HasField("raw_data"):
                    raw = struct.pack(f"<{len(values)}{code}", *values)
                    if len(raw) >= threshold:
                        tensor.raw_data = raw
                        tensor.ClearField(field)
    return message.SerializeToString(deterministic=True)


def parsed(data):
    proto = ModelProto()
    proto.ParseFromString(data)
    return proto


def assert_equivalent(data, threshold, source=None):
    """The stub of valid bytes parses to what the bytes parse to; of others, nothing parses."""
    try:
        expected = parsed(data)
    except DecodeError:
        with pytest.raises((ModelError, DecodeError)):
            parsed(scan(source or data, threshold)[0])
        return 0
    if not data:
        return 0
    stub, taken = scan(source or data, threshold)
    actual = parsed(stub)
    if taken:
        large = [t for t in tensors_of(actual) if t.data_location != TensorProto.EXTERNAL and t.data_type in (1, 7)]
        assert not any(len(t.raw_data) >= threshold for t in large)
    assert put_back(actual, data) == taken
    assert plain(actual, threshold) == plain(expected, threshold)
    return taken


@contextmanager
def small_windows():
    with mock.patch.object(wire, "_WINDOW", 24), mock.patch.object(wire, "_MAX_WINDOW", 40):
        yield


# --- random models, built field by field so that anything legal can happen ---

UNKNOWN = [900, 5000, 60000]


class Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng

    def message(self, fields):
        """Fields in any order, with unknown ones between."""
        fields = list(fields)
        for _ in range(self.rng.choice([0, 0, 0, 1, 2])):
            fields.append(self.unknown(0))
        self.rng.shuffle(fields)
        return b"".join(fields)

    def unknown(self, depth):
        number = self.rng.choice(UNKNOWN)
        kind = self.rng.choice([0, 1, 2, 3, 5] if depth < 3 else [0, 1, 2, 5])
        if kind == 0:
            return tag(number, 0) + varint(self.rng.choice([0, 127, 128, 1 << 35, -1]))
        if kind == 1:
            return tag(number, 1) + self.rng.randbytes(8)
        if kind == 2:
            return length_delimited(number, self.rng.randbytes(self.rng.choice([0, 3, 60])))
        if kind == 5:
            return tag(number, 5) + self.rng.randbytes(4)
        return tag(number, 3) + b"".join(self.unknown(depth + 1) for _ in range(self.rng.randrange(3))) + tag(number, 4)

    def text(self):
        return self.rng.choice([b"", b"x", b"name", b"n" * 130])

    def tensor(self):
        rng = self.rng
        dtype = rng.choice([1, 1, 2, 7, 11, 14, 15, 16, 22, 0, 8, 77])
        fields = [tag(2, 0) + varint(dtype), tag(1, 0) + varint(rng.randrange(20)), length_delimited(8, self.text())]
        if rng.random() < 0.1:
            fields.append(tag(2, 0) + varint(rng.choice([1, 7])))
        for _ in range(rng.choice([0, 1, 1, 1, 1, 2, 3])):
            fields.append(length_delimited(9, rng.randbytes(rng.choice([0, 5, 40, 41, 200, 400]))))
        if rng.random() < 0.4:
            for _ in range(rng.choice([1, 1, 2])):
                fields.append(length_delimited(4, struct.pack("<f", rng.random()) * rng.choice([0, 1, 30, 50])))
        if rng.random() < 0.4:
            fields.append(length_delimited(10, struct.pack("<d", rng.random()) * rng.choice([1, 30])))
        if rng.random() < 0.1:
            fields.append(tag(4, 5) + struct.pack("<f", 1.5))
            fields.append(tag(10, 1) + struct.pack("<d", 1.5))
        if rng.random() < 0.2:
            fields.append(length_delimited(7, varint(3) * 50))
        if rng.random() < 0.2:
            fields.append(tag(14, 0) + varint(rng.choice([0, 0, 1, 5])))
        if rng.random() < 0.2:
            fields.append(length_delimited(13, length_delimited(1, b"location") + length_delimited(2, b"w.bin")))
        return self.message(fields)

    def sparse(self):
        picks = self.rng.choices([1, 2], k=self.rng.randrange(4))
        return self.message([length_delimited(number, self.tensor()) for number in picks])

    def attribute(self, depth):
        rng = self.rng
        fields = [length_delimited(1, self.text())]
        for _ in range(rng.randrange(3)):
            kind = rng.choice([5, 5, 10, 22, 23] + ([6, 6, 11] if depth < 3 else []))
            made = self.tensor() if kind in (5, 10) else self.sparse() if kind in (22, 23) else self.graph(depth + 1)
            fields.append(length_delimited(kind, made))
        return self.message(fields)

    def node(self, depth):
        fields = [length_delimited(4, b"Op"), length_delimited(3, self.text())]
        fields += [length_delimited(5, self.attribute(depth)) for _ in range(self.rng.choice([0, 0, 1, 2]))]
        return self.message(fields)

    def graph(self, depth):
        rng = self.rng
        fields = [length_delimited(2, self.text())]
        fields += [length_delimited(1, self.node(depth)) for _ in range(rng.randrange(4))]
        fields += [length_delimited(5, self.tensor()) for _ in range(rng.randrange(3))]
        fields += [length_delimited(15, self.sparse()) for _ in range(rng.choice([0, 0, 1]))]
        fields += [length_delimited(11, length_delimited(1, self.text())) for _ in range(rng.randrange(2))]
        return self.message(fields)

    def model(self):
        rng = self.rng
        fields = [tag(1, 0) + varint(10), length_delimited(6, self.text())]
        fields += [length_delimited(7, self.graph(0)) for _ in range(rng.choice([0, 1, 1, 1, 2]))]
        for _ in range(rng.choice([0, 0, 1, 2])):
            graphs = [length_delimited(rng.choice([1, 2]), self.graph(2)) for _ in range(rng.randrange(3))]
            fields.append(length_delimited(20, self.message(graphs)))
        for _ in range(rng.choice([0, 0, 1, 2])):
            inner = [length_delimited(7, self.node(1)) for _ in range(rng.randrange(3))]
            inner += [length_delimited(11, self.attribute(1)) for _ in range(rng.randrange(2))]
            fields.append(length_delimited(25, self.message(inner)))
        return self.message(fields)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 64), st.sampled_from([1, 5, 41, 100, 300]))
def test_a_stub_with_its_data_put_back_is_the_model(seed, threshold):
    data = Maker(random.Random(seed)).model()
    with mock.patch.object(wire, "_SMALL_FILE", 0):
        assert_equivalent(data, threshold)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 64), st.sampled_from([1, 41, 100]))
def test_a_file_gives_the_stub_its_bytes_give(seed, threshold):
    data = Maker(random.Random(seed)).model()
    with mock.patch.object(wire, "_SMALL_FILE", 0), tempfile.TemporaryDirectory() as folder, small_windows():
        path = Path(folder, "m.onnx")
        path.write_bytes(data)
        if data:
            assert scan(File(path), threshold) == scan(data, threshold)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 1 << 64), st.data())
def test_a_damaged_model_is_never_read_as_another(seed, draw):
    data = bytearray(Maker(random.Random(seed)).model())
    for _ in range(draw.draw(st.integers(1, 3))):
        if data:
            data[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
    cut = draw.draw(st.one_of(st.none(), st.integers(0, len(data))))
    with mock.patch.object(wire, "_SMALL_FILE", 0):
        assert_equivalent(bytes(data[:cut]), draw.draw(st.sampled_from([1, 41, 100])))


@settings(max_examples=100, deadline=None)
@given(st.binary(min_size=1, max_size=300))
def test_random_bytes_never_escape_as_another_error(data):
    with mock.patch.object(wire, "_SMALL_FILE", 0):
        assert_equivalent(data, 1)
    assert isinstance(find_fault(data), ModelError)


# --- whole models made by onnx ---


def weight(name, count, dtype=np.float32):
    return numpy_helper.from_array(np.random.default_rng(count).integers(0, 1000, count).astype(dtype), name)


def nested_model():
    body = helper.make_graph([helper.make_node("Constant", [], ["c"], value=weight("c", 5000))], "then", [], [])
    body.initializer.append(weight("inner", 6000))
    branch = helper.make_node("If", ["cond"], ["y"], then_branch=body, else_branch=helper.make_graph([], "e", [], []))
    outer = helper.make_graph([branch], "outer", [], [])
    loop = helper.make_node("Loop", ["n"], ["z"], body=outer)
    many = helper.make_node("Custom", [], ["t"], tensors=[weight("a", 2000), weight("b", 10), weight("c", 3000)])
    graph = helper.make_graph(
        [loop, many], "main", [], [], [weight("w0", 4000), weight("small", 4), weight("w1", 9000)]
    )
    sparse = onnx.SparseTensorProto(values=weight("s", 3000), indices=weight("", 3000, np.int64), dims=[100000])
    graph.sparse_initializer.append(sparse)
    model = helper.make_model(graph, producer_name="test")
    function = helper.make_function("local", "F", [], ["c"], [], [helper.make_opsetid("", 20)])
    function.node.append(helper.make_node("Constant", [], ["c"], value=weight("f", 7000)))
    function.attribute_proto.append(helper.make_attribute("default", weight("d", 2500)))
    model.functions.append(function)
    training = model.training_info.add()
    training.algorithm.CopyFrom(helper.make_graph([], "step", [], [], [weight("rate", 2222)]))
    return model


def test_weights_are_found_wherever_a_model_can_hold_them(tmp_path):
    model = nested_model()
    data = model.SerializeToString()
    (tmp_path / "m.onnx").write_bytes(data)
    stub, taken = scan(File(tmp_path / "m.onnx"))
    assert taken == 11
    assert len(stub) < 3000
    back = parsed(stub)
    assert put_back(back, data) == 11
    assert back == model
    assert scan(data) == (stub, taken)


def test_a_reference_says_where_the_bytes_are():
    model = nested_model()
    data = model.SerializeToString()
    first = parsed(scan(data)[0]).graph.initializer[0]
    entries = [(entry.key, entry.value) for entry in first.external_data]
    where = data.index(model.graph.initializer[0].raw_data)
    assert entries == [("location", INLINE), ("offset", str(where)), ("length", "16000")]
    assert (first.name, list(first.dims), first.data_type) == ("w0", [4000], 1)


def test_float_and_double_data_are_raw_bytes_already():
    values = np.random.default_rng(0).standard_normal(6000)
    tensors = [
        helper.make_tensor("f", 1, [6000], values),
        helper.make_tensor("d", 11, [6000], values),
        helper.make_tensor("c", 14, [3000], values[:3000] + 1j * values[3000:]),
        helper.make_tensor("z", 15, [3000], values[:3000] + 1j * values[3000:]),
    ]
    assert not any(t.HasField("raw_data") for t in tensors)
    data = helper.make_model(helper.make_graph([], "g", [], [], tensors)).SerializeToString()
    stub, taken = scan(data)
    back = parsed(stub)
    assert (taken, put_back(back, data)) == (4, 4)
    for before, after in zip(tensors, back.graph.initializer, strict=True):
        assert numpy_helper.to_array(after).tobytes() == numpy_helper.to_array(before).tobytes()


def test_integer_fields_have_no_raw_bytes_and_stay():
    tensors = [helper.make_tensor("i", dtype, [70000], [5] * 70000) for dtype in (6, 7, 10)]
    data = helper.make_model(helper.make_graph([], "g", [], [], tensors)).SerializeToString()
    assert scan(data) == (data, 0)


@pytest.mark.parametrize(
    "change",
    [
        lambda t: setattr(t, "data_type", 8),
        lambda t: setattr(t, "data_type", 0),
        lambda t: setattr(t, "data_location", TensorProto.EXTERNAL),
    ],
    ids=["strings", "undefined", "external"],
)
def test_data_that_cannot_mean_a_tensor_stay(change):
    tensor = weight("w", 50000)
    change(tensor)
    data = helper.make_model(helper.make_graph([], "g", [], [], [tensor])).SerializeToString()
    assert scan(data) == (data, 0)


def test_a_tensor_just_below_the_threshold_stays():
    graph = helper.make_graph([], "g", [], [], [weight("w", 30000), weight("at", 1024), weight("below", 1023)])
    stub, taken = scan(helper.make_model(graph).SerializeToString(), 4096)
    assert taken == 2
    assert [t.HasField("raw_data") for t in parsed(stub).graph.initializer] == [False, False, True]


def test_a_small_source_is_returned_whole(tmp_path):
    model = helper.make_model(helper.make_graph([], "g", [], [], [weight("w", 16000)])).SerializeToString()
    (tmp_path / "m").write_bytes(model)
    assert len(model) < 64 << 10
    assert scan(model) == scan(File(tmp_path / "m")) == (model, 0)
    assert scan(model, 1000)[1] == 1


def test_a_weight_beyond_four_gigabytes_is_taken_by_reference(tmp_path):
    size = (4 << 30) + 12
    head = length_delimited(8, b"huge") + tag(2, 0) + varint(2) + tag(1, 0) + varint(size)
    tensor = head + tag(9, 2) + varint(size)
    after = length_delimited(5, weight("after", 5000).SerializeToString())
    graph = tag(5, 2) + varint(len(tensor) + size) + tensor
    start = tag(1, 0) + varint(10) + tag(7, 2) + varint(len(graph) + size + len(after)) + graph
    path = tmp_path / "huge.onnx"
    with open(path, "wb") as out:
        out.write(start)
        out.seek(size, 1)
        out.write(after)
    stub, taken = scan(File(path))
    first, second = parsed(stub).graph.initializer
    assert taken == 2 and len(stub) < 500
    assert [entry.value for entry in first.external_data] == [INLINE, str(len(start)), str(size)]
    offset = int(second.external_data[1].value)
    assert File(path).pread(offset, 20000) == weight("after", 5000).raw_data


# --- damage ---


GROUP, END = tag(900, 3), tag(900, 4)


@pytest.mark.parametrize(
    ("data", "offset", "reason"),
    [
        (b"\x08", 0, "ends in the middle of a field"),
        (b"\x08\x0a\x3a", 2, "ends in the middle of a field"),
        (b"\x08\x0a\x3a\xff\x01ab", 2, "a field of 258 bytes is longer than the 5 left"),
        (b"\x08\x0a\x0d\1\2\3", 2, "a field of 5 bytes is longer than the 4 left"),
        (b"\x08\x0a\x09\1\2\3", 2, "a field of 9 bytes is longer than the 4 left"),
        (b"\x08\x0a\x3e", 3, "unknown wire type 6"),
        (b"\x08\x0a\x3f", 3, "unknown wire type 7"),
        (b"\x08\x0a\x02\x00", 2, "field number 0"),
        (b"\x08" + b"\xff" * 10 + b"\x01", 1, "a varint of more than ten bytes"),
        (b"\x3a" + b"\xff" * 10 + b"\x01", 11, "a varint of more than ten bytes"),
        (b"\x3a" + b"\xff" * 9 + b"\x7f", 11, "a number of more than 64 bits"),
        (b"\xfa\xff\xff\xff\xff\x01\x00", 6, "a number of more than 32 bits"),
        (GROUP + b"\x08\x0a", 2, "a group does not end"),
        (GROUP + b"\x08", 0, "ends in the middle of a field"),
        (GROUP + tag(901, 4), 4, "a group is closed that is not open"),
        (GROUP + b"\x0e", 3, "unknown wire type 6"),
        (END, 2, "a group ends that did not begin"),
        (GROUP * 200, 202, "groups nested deeper than 100"),
        (b"\x3a\x06\x08\x01" + GROUP + b"\x0a\x50", 6, "a group does not end"),
    ],
)
@pytest.mark.parametrize("kind", ["bytes", "file"])
def test_a_fault_is_named_with_its_byte(tmp_path, monkeypatch, data, offset, reason, kind):
    monkeypatch.setattr(wire, "_SMALL_FILE", 0)
    source = data
    if kind == "file":
        (tmp_path / "m").write_bytes(data)
        source = File(tmp_path / "m")
    with small_windows(), pytest.raises(ModelError, match=reason) as caught:
        scan(source, 1)
    assert (caught.value.offset, caught.value.code) == (offset, "wire")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["bytes", "file"])
def test_an_empty_source_is_named(tmp_path, kind):
    (tmp_path / "m").write_bytes(b"")
    with pytest.raises(ModelError, match="the model is empty") as caught:
        scan(b"" if kind == "bytes" else File(tmp_path / "m"))
    assert caught.value.code == "empty"


def test_nesting_is_bounded():
    def nested(levels):
        graph = length_delimited(5, weight("w", 10).SerializeToString())
        for _ in range(levels):
            graph = length_delimited(1, length_delimited(5, length_delimited(6, graph)))
        return length_delimited(7, graph)

    with mock.patch.object(wire, "_SMALL_FILE", 0):
        assert assert_equivalent(nested(30), 40) == 1
        with pytest.raises(ModelError, match="messages nested deeper than 100"):
            scan(nested(40), 40)
    with pytest.raises(DecodeError):
        parsed(nested(40))


def test_more_than_protobuf_can_hold_is_declined_before_it_is_read(tmp_path):
    path = tmp_path / "m.onnx"
    with open(path, "wb") as out:
        out.write(length_delimited(7, b"") + tag(900, 2) + varint(5 << 30))
        out.truncate(out.tell() + (5 << 30))
    with pytest.raises(ModelError, match="more than protobuf can hold") as caught:
        scan(File(path))
    assert caught.value.code == "too-large"


def test_a_truncated_file_is_located_in_a_small_message(tmp_path):
    data = nested_model().SerializeToString()
    cut = data[: len(data) - 10]
    with pytest.raises(ModelError, match="is longer than the"):
        scan(cut)
    fault = find_fault(cut)
    assert fault.offset is not None and 0 < fault.offset < len(cut)


def test_a_fault_inside_a_small_node_is_found_although_no_scan_looks_there():
    bad = length_delimited(1, length_delimited(5, b"\x0a\x05ab"))
    data = tag(1, 0) + varint(8) + length_delimited(7, length_delimited(2, b"g") + bad)
    assert scan(data) == (data, 0)
    with pytest.raises(DecodeError):
        parsed(data)
    assert find_fault(data).offset == data.index(b"\x0a\x05ab")


def test_a_fault_in_an_unknown_place_has_no_offset():
    broken = length_delimited(11, b"\x0a\x05ab")
    fault = find_fault(length_delimited(7, broken))
    assert (fault.code, fault.offset) == ("protobuf", None)


# --- building ---


@given(st.one_of(st.integers(0, 5000), st.integers(-(1 << 63), (1 << 64) - 1)))
def test_varints_are_those_of_protobuf(value):
    proto = TensorProto(int64_data=[value if value < 1 << 63 else value - (1 << 64)])
    assert length_delimited(7, varint(value)) == proto.SerializeToString()


@pytest.mark.parametrize("value", [1 << 64, -(1 << 63) * 2 - 1])
def test_a_number_beyond_64_bits_is_declined(value):
    with pytest.raises(ModelError, match="does not fit 64 bits"):
        varint(value)


@pytest.mark.parametrize("number", [1, 15, 16, 25, 2047, 2048, (1 << 29) - 1])
@pytest.mark.parametrize("kind", [0, 1, 2, 5])
def test_a_key_is_field_number_and_wire_type(number, kind):
    key, shift = 0, 0
    for byte in tag(number, kind):
        key |= (byte & 0x7F) << shift
        shift += 7
    assert key == number * 8 + kind


def test_fields_are_those_of_protobuf():
    for payload in (b"", b"x", b"y" * 127, b"z" * 128, b"a" * 20000):
        assert length_delimited(9, payload) == TensorProto(raw_data=payload).SerializeToString()


def test_external_entries_are_those_of_protobuf():
    proto = TensorProto(data_location=TensorProto.EXTERNAL)
    for key, value in (("location", "dir/wäg.bin"), ("offset", "4096"), ("length", "17")):
        proto.external_data.add(key=key, value=value)
    assert external_entries("dir/wäg.bin", 4096, 17) == proto.SerializeToString()
