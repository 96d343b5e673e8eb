import numpy as np
import onnx
from archiving import arrays, canonical, deep_model, every_type, model_of, parts, raw_tensor
from onnx import TensorProto, helper

from onnxsim_archives.protos import copy_header, fill, lean_copy, point_to, rope_of, tensors
from onnxsim_core.ir.tensors import BufferTensor


def test_every_tensor_is_found_with_a_key_that_says_where_it_stands():
    model = deep_model()
    found = list(tensors(model))

    assert {key for key, _ in found} == {
        "dense", "sparse", "sparse.indices", "choose.then_branch/k", "choose.then_branch/c.value",
        "choose.else_branch/k", "choose.else_branch/c.value", "local.shift/Constant_0.value",
    }  # fmt: skip
    assert sorted(t.SerializeToString() for _, t in found) == sorted(t.SerializeToString() for t in parts(model))


def test_lists_of_tensors_and_graphs_and_training_are_walked_too():
    node = helper.make_node("Odd", [], ["y"], domain="local", name="odd")
    inner = helper.make_graph([], "inner", [], [], arrays(i=np.float32([1])))
    sparse = helper.make_sparse_tensor(*arrays(v=np.float32([1]), at=np.int64([0])), [2])
    node.attribute.append(helper.make_attribute("list", arrays(a=np.float32([1]), b=np.float32([2]))))
    node.attribute.append(helper.make_attribute("graphs", [inner, inner]))
    node.attribute.append(helper.make_attribute("sparse", sparse))
    node.attribute.append(helper.make_attribute("sparses", [sparse]))
    node.attribute.append(helper.make_attribute("number", 3))
    model = model_of(nodes=[node])
    info = model.training_info.add()
    info.initialization.CopyFrom(inner)
    info.algorithm.CopyFrom(inner)

    assert [key for key, _ in tensors(model)] == [
        "odd.list.0", "odd.list.1", "odd.graphs.0/i", "odd.graphs.1/i", "odd.sparse", "odd.sparse.indices",
        "odd.sparses.0", "odd.sparses.0.indices", "training_0.initialization/i", "training_0.algorithm/i",
    ]  # fmt: skip


def test_texts_tensors_of_no_type_and_segments_stay_where_they_are():
    text = helper.make_tensor("s", TensorProto.STRING, [1], [b"x"])
    segment = raw_tensor("g", 1, (1,), b"\0\0\0\0")
    segment.segment.begin = 0

    model = model_of(text, TensorProto(name="u"), segment, raw_tensor("r", 1, (0,), b""))
    assert [key for key, _ in tensors(model)] == ["r"]


def test_a_reference_has_the_same_size_wherever_it_points():
    near, far = raw_tensor("a", 1, (2,), bytes(8)), helper.make_tensor("a", 1, [2], [1.0, 2.0])
    point_to(near, "f", 0, 0)
    point_to(far, "f", (1 << 63) - 1, 1 << 40)

    assert near.ByteSize() == far.ByteSize()
    assert not far.HasField("raw_data") and not far.float_data
    assert {e.key: int(e.value) for e in far.external_data if e.key != "location"} == {
        "offset": (1 << 63) - 1, "length": 1 << 40}


def test_filling_takes_reference_and_typed_numbers_away():
    proto = helper.make_tensor("a", 1, [2], [1.0, 2.0])
    point_to(proto, "f", 0, 8)
    proto.float_data.append(1)
    fill(proto, BufferTensor(1, (2,), np.float32([3, 4]).tobytes()))

    assert proto == raw_tensor("a", 1, (2,), np.float32([3, 4]).tobytes())


def test_a_lean_copy_is_the_model_without_what_its_tensors_hold():
    model = deep_model()
    model.metadata_props.add(key="k", value="v")
    model.graph.doc_string = "d"
    model.graph.initializer[0].doc_string = "i"
    before = model.SerializeToString()
    held = []

    def hold(source, target):
        copy_header(source, target)
        held.append(source)

    copy = onnx.ModelProto()
    lean_copy(model, copy, hold)

    assert model.SerializeToString() == before
    assert len(held) == 8 and held[0] in list(parts(model))
    expected = onnx.ModelProto()
    expected.CopyFrom(model)
    for tensor in parts(expected):
        tensor.ClearField("raw_data")
    assert copy == expected


def test_tensors_of_other_kinds_are_copied_whole():
    text = helper.make_tensor("s", TensorProto.STRING, [1], [b"x"])
    copy = onnx.ModelProto()
    lean_copy(model_of(text), copy, copy_header)

    assert copy == model_of(text)


def test_a_rope_is_the_model_with_the_bytes_put_back():
    model = deep_model()
    stub = onnx.ModelProto()
    stub.CopyFrom(model)
    held = {}
    for number, (_, tensor) in enumerate(tensors(stub)):
        if number % 3:  # some stay inside
            held[str(number)] = BufferTensor(tensor.data_type, tuple(tensor.dims), tensor.raw_data)
            point_to(tensor, "x", number, 0)

    def resolve(tensor):
        return held[str(int(tensor.external_data[1].value))] if tensor.external_data else None

    assert len(held) == 5
    made = onnx.load_from_string(rope_of(stub, resolve).tobytes())
    assert canonical(made) == canonical(model)


def test_a_rope_of_a_model_without_references_is_the_model():
    model = model_of(*every_type().values())

    assert onnx.load_from_string(rope_of(model, lambda tensor: None).tobytes()) == model
