"""Where weights go when a model is saved: into the file, or beside it."""

import numpy as np
import onnx
import pytest

from onnxsim_core.ir import save
from onnxsim_core.ir.graph import Model
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import large_tensors, model_proto, save_model
from onnxsim_testkit import model

BIG = np.arange(6000, dtype=np.float32)
SMALL = np.arange(10, dtype=np.float32)
TEXT = """g (bool c) => (float[n] y) {
    y = If(c) <then_branch = t () => (float[n] p) { p = Neg(big) },
               else_branch = e () => (float[n] q) { q = Identity(small) }>
}"""


def weighty() -> Model:
    proto = model(TEXT, opset=17, initializers={"big": BIG, "small": SMALL})
    return read_model(proto.SerializeToString())


def outside(proto: onnx.ModelProto) -> list[str]:
    return [t.name for t in proto.graph.initializer if t.data_location == onnx.TensorProto.EXTERNAL]


@pytest.mark.parametrize(("threshold", "external"), [(BIG.nbytes, False), (BIG.nbytes - 1, True), (0, True)])
def test_weights_beyond_the_threshold_lie_beside_the_model(tmp_path, threshold, external):
    path = tmp_path / "m.onnx"
    written = save_model(weighty(), str(path), external_threshold=threshold)
    stored = onnx.load(path, load_external_data=False)
    assert outside(stored) == (["big"] if external else [])  # 40 bytes are not worth a reference
    assert sorted(p.name for p in tmp_path.iterdir()) == (["m.onnx", "m.onnx.data"] if external else ["m.onnx"])
    assert written == sum(p.stat().st_size for p in tmp_path.iterdir())
    for tensor in onnx.load(path).graph.initializer:
        np.testing.assert_array_equal(onnx.numpy_helper.to_array(tensor), {"big": BIG, "small": SMALL}[tensor.name])


def test_saving_again_replaces_the_data_file(tmp_path):
    path = tmp_path / "m.onnx"
    sizes = []
    for _ in range(3):
        save_model(weighty(), str(path), external_threshold=0)
        sizes.append((tmp_path / "m.onnx.data").stat().st_size)
    assert sizes == [sizes[0]] * 3 and BIG.nbytes <= sizes[0] < BIG.nbytes + 4096 + 64


def test_a_file_of_the_same_name_in_the_working_folder_is_left_alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.onnx.data").write_bytes(b"precious")
    (tmp_path / "sub").mkdir()
    save_model(weighty(), "sub/m.onnx", external_threshold=0)
    assert (tmp_path / "m.onnx.data").read_bytes() == b"precious"
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(onnx.load("sub/m.onnx").graph.initializer[0]), BIG)


def test_a_tensor_that_two_values_share_is_stored_once(tmp_path):
    ir = weighty()
    first = next(iter(ir.graph.constants))
    assert first.name == "big" and first.tensor is not None
    ir.graph.constant(first.tensor, "twin")
    save_model(ir, str(tmp_path / "m.onnx"), external_threshold=0)
    assert (tmp_path / "m.onnx.data").stat().st_size < 2 * BIG.nbytes
    stored = {t.name: onnx.numpy_helper.to_array(t) for t in onnx.load(tmp_path / "m.onnx").graph.initializer}
    np.testing.assert_array_equal(stored["twin"], BIG)


def test_strings_stay_in_the_model_file(tmp_path):
    words = np.array(["w" * 50] * 100, dtype=object)
    proto = model("g () => (string[100] y) { y = Identity(words) }", opset=17, initializers={"words": words})
    ir = read_model(proto.SerializeToString())
    save_model(ir, str(tmp_path / "m.onnx"), external_threshold=0)
    assert not outside(onnx.load(tmp_path / "m.onnx", load_external_data=False))


def test_large_tensors_are_those_of_every_graph():
    ir = weighty()
    body = ir.graph.first.bodies["then_branch"]
    body.constant(next(iter(ir.graph.constants)).tensor, "inner")
    assert [t.nbytes for t in large_tensors(ir)] == [BIG.nbytes] * 2


def test_a_model_too_large_to_serialize_is_put_together_in_memory(monkeypatch):
    ir = weighty()
    ir.graph.first.bodies["then_branch"].constant(next(iter(ir.graph.constants)).tensor, "inner")
    expected = model_proto(ir)
    monkeypatch.setattr(save, "INLINE_LIMIT", 100)
    proto = model_proto(ir)
    assert not outside(proto) and onnx.numpy_helper.to_array(proto.graph.initializer[0]).tolist() == BIG.tolist()
    assert proto == expected
