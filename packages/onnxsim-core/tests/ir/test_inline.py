import os

import numpy as np
import onnx
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from onnxsim_core import simplify
from onnxsim_core.errors import ModelError
from onnxsim_core.ir.files import File
from onnxsim_core.ir.inline import inline_tensor, restore
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.rope import write_atomic
from onnxsim_core.ir.wire import INLINE, scan
from onnxsim_core.ir.write import Writer


def weight(name, count, dtype=np.float32):
    return numpy_helper.from_array(np.random.default_rng(count).integers(0, 1000, count).astype(dtype), name)


def everywhere():
    """A model with a large tensor in every place that can hold one."""
    then = helper.make_graph([], "then", [], [helper.make_tensor_value_info("in", 1, [6000])], [weight("in", 6000)])
    other = helper.make_graph(
        [helper.make_node("Constant", [], ["c"], value=weight("c", 5000))],
        "else",
        [],
        [helper.make_tensor_value_info("c", 1, [5000])],
    )
    nodes = [
        helper.make_node("If", ["cond"], ["y"], then_branch=then, else_branch=other),
        helper.make_node("Custom", ["w", "s"], ["z"], domain="my", one=weight("o", 2500), many=[weight("a", 2000)] * 2),
        helper.make_node("F", [], ["f"], domain="local"),
    ]
    sparse = onnx.SparseTensorProto(values=weight("s", 3000), indices=weight("", 3000, np.int64), dims=[100000])
    nodes[1].attribute.append(helper.make_attribute("few", sparse))
    outputs = [helper.make_tensor_value_info(name, 1, None) for name in ("y", "z", "f")]
    inputs = [helper.make_tensor_value_info("cond", 9, [])]
    graph = helper.make_graph(nodes, "main", inputs, outputs, [weight("w", 4000)], sparse_initializer=[sparse])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("my", 1), helper.make_opsetid("local", 1)]
    model = helper.make_model(graph, ir_version=10, opset_imports=opsets)
    function = helper.make_function("local", "F", [], ["c"], [], opsets[:1])
    function.node.append(helper.make_node("Constant", [], ["c"], value=weight("f", 7000)))
    function.attribute_proto.append(helper.make_attribute("default", weight("d", 2600)))
    model.functions.append(function)
    model.training_info.add().algorithm.CopyFrom(helper.make_graph([], "step", [], [], [weight("rate", 2222)]))
    return model


def stub_of(path):
    proto = ModelProto()
    proto.ParseFromString(scan(File(path))[0])
    return proto


def contents(message):
    """Names and numbers of all large tensors in a message."""
    found = []
    if isinstance(message, TensorProto):
        return [numpy_helper.to_array(message).tobytes()] if message.ByteSize() > 4096 else []
    for descriptor, value in message.ListFields():
        if descriptor.message_type is not None:
            for child in [value] if hasattr(value, "ListFields") else value:
                found += contents(child)
    return found


def test_restoring_a_stub_gives_the_model(tmp_path):
    model = everywhere()
    onnx.save(model, tmp_path / "m.onnx")
    stub = stub_of(tmp_path / "m.onnx")
    assert stub.ByteSize() < 4096
    assert restore(stub, File(tmp_path / "m.onnx")) == 13
    assert stub == model
    assert restore(stub, None) == 0
    data = model.SerializeToString()
    stub.ParseFromString(scan(data)[0])
    assert (restore(stub, data), stub) == (13, model)


@pytest.mark.parametrize("form", ["path", "bytes", "proto"])
def test_a_model_read_and_written_has_all_its_weights(tmp_path, form):
    model = everywhere()
    onnx.save(model, tmp_path / "m.onnx")
    source = {"path": str(tmp_path / "m.onnx"), "bytes": model.SerializeToString(), "proto": model}[form]
    write_atomic(tmp_path / "out.onnx", Writer(read_model(source)).rope())
    assert INLINE.encode() not in (tmp_path / "out.onnx").read_bytes()
    written = onnx.load(tmp_path / "out.onnx")
    assert sorted(contents(written)) == sorted(contents(model))
    assert len(contents(model)) == 13


def reference(entries, dtype=1):
    proto = TensorProto(name="w", data_type=dtype, dims=[2], data_location=TensorProto.EXTERNAL)
    for key, value in entries.items():
        proto.external_data.add(key=key, value=value)
    return proto


@pytest.mark.parametrize("proto", [
    weight("w", 3),
    reference({}),
    reference({"location": "w.bin", "offset": "0", "length": "8"}),
])  # fmt: skip
def test_other_tensors_are_left_alone(tmp_path, proto):
    before = proto.SerializeToString()
    assert inline_tensor(proto, None) is None
    assert restore(proto, None) == 0
    assert proto.SerializeToString() == before


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ({"location": INLINE}, "external-range"),
        ({"location": INLINE, "offset": "x", "length": "8"}, "external-range"),
        ({"location": INLINE, "offset": "93", "length": "8"}, "external-range"),
        ({"location": INLINE, "offset": "-1", "length": "8"}, "external-range"),
        ({"location": INLINE, "offset": "8", "length": "-8"}, "external-range"),
        ({"location": INLINE, "offset": "0", "length": "9"}, "length"),
    ],
)
def test_a_forged_reference_is_declined(tmp_path, entries, code):
    (tmp_path / "m").write_bytes(bytes(100))
    for source in (File(tmp_path / "m"), bytes(100)):
        with pytest.raises(ModelError) as caught:
            inline_tensor(reference(entries), source)
        assert caught.value.code == code


def test_a_reference_without_a_scanned_file_is_declined():
    proto = reference({"location": INLINE, "offset": "0", "length": "8"})
    with pytest.raises(ModelError, match="a file that was not read"):
        restore(proto, None)


def test_a_model_in_a_download_cache_is_read_through_its_links(tmp_path):
    (tmp_path / "blobs").mkdir()
    (tmp_path / "snapshot").mkdir()
    graph = helper.make_graph(
        [helper.make_node("Identity", ["w"], ["y"])],
        "g",
        [],
        [helper.make_tensor_value_info("y", 1, [4000])],
        [weight("w", 4000)],
    )
    onnx.save(
        helper.make_model(graph),
        tmp_path / "blobs" / "1",
        save_as_external_data=True,
        location="w.bin",
        size_threshold=0,
    )
    os.rename(tmp_path / "blobs" / "w.bin", tmp_path / "blobs" / "2")
    os.symlink("../blobs/1", tmp_path / "snapshot" / "m.onnx")
    os.symlink("../blobs/2", tmp_path / "snapshot" / "w.bin")
    model = read_model(str(tmp_path / "snapshot" / "m.onnx"))
    (value,) = model.graph.constants
    assert value.tensor.numpy().tobytes() == numpy_helper.to_array(weight("w", 4000)).tobytes()


@pytest.mark.parametrize("outside", [False, True])
def test_a_node_may_hold_several_large_tensors(tmp_path, outside):
    """As the trees of ai.onnx.ml's TreeEnsemble do."""
    nodes = [helper.make_node("Custom", ["x"], ["y"], domain="my", one=weight("a", 300_000), other=weight("b", 300_000))]
    values = [helper.make_tensor_value_info(name, 1, None) for name in ("x", "y")]
    graph = helper.make_graph(nodes, "main", values[:1], values[1:])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("my", 1)]
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, ir_version=10, opset_imports=opsets), path, save_as_external_data=outside,
              convert_attribute=outside)  # fmt: skip
    expected = {a.name: numpy_helper.to_array(a.t).tolist() for a in nodes[0].attribute}

    for made in (simplify(path).model, load_written(path, tmp_path / "out.onnx")):
        assert {a.name: numpy_helper.to_array(a.t).tolist() for a in made.graph.node[0].attribute} == expected


def load_written(path, out):
    simplify(path, output_path=out)
    return onnx.load(out)
