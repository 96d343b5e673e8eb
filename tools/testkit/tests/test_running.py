import os
import sys

import ml_dtypes
import numpy as np
import onnx
import pytest

from onnxsim_testkit import judge, model, run, running

ADD = "g (float[2] x) => (float[2] y, float[2] z) { y = Add(x, x) z = Neg(x) }"


def test_outputs_come_back_by_name():
    feeds = {"x": np.float32([1, 2])}

    for optimize in (False, True):
        outputs = run(model(ADD), feeds, optimize=optimize)
        assert {name: value.tolist() for name, value in outputs.items()} == {"y": [2.0, 4.0], "z": [-1.0, -2.0]}


def test_bytes_and_paths_run_too(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(model(ADD), path)

    for source in (path, str(path), path.read_bytes()):
        assert run(source, {"x": np.float32([1, 2])})["y"].tolist() == [2.0, 4.0]


def test_types_numpy_does_not_know_can_be_fed():
    proto = model("g (bfloat16[2] x) => (float[2] y) { y = Cast<to=1>(x) }")

    assert run(proto, {"x": np.array([1.5, -2], ml_dtypes.bfloat16)})["y"].tolist() == [1.5, -2.0]


@pytest.mark.parametrize("name", ["bfloat16", "float8_e4m3fn", "float8_e5m2", "int4", "uint4", "int2", "uint2"])
def test_types_numpy_does_not_know_come_out(name):
    dtype = np.dtype(getattr(ml_dtypes, name))
    number = onnx.helper.np_dtype_to_tensor_dtype(dtype)
    kind = onnx.TensorProto.DataType.Name(number).lower()
    text = f"g ({kind}[3] x) => ({kind}[3] y, float[3] w) {{ w = Cast<to=1>(x) y = Cast<to={number}>(w) }}"
    x = np.array([1, 0, 1 if "int2" in name else 3], dtype)

    outputs = run(model(text, opset=25), {"x": x})

    assert list(outputs) == ["y", "w"]
    assert outputs["y"].dtype == dtype
    assert outputs["y"].tolist() == outputs["w"].tolist() == x.tolist()


def test_both_judges_agree_on_a_sequence():
    text = "g (float[4] x) => (seq(float[2]) y) <int64 n = {2}> { y = SplitToSequence<axis=0>(x, n) }"
    proto = model(text)
    feeds = {"x": np.float32([1, 2, 3, 4])}

    assert judge() == "onnxruntime"
    for outputs in (run(proto, feeds), running.run_reference(proto, feeds)):
        assert [part.tolist() for part in outputs["y"]] == [[1.0, 2.0], [3.0, 4.0]]


def test_another_python_can_judge(monkeypatch):
    feeds = {"x": np.float32([1, 2])}
    bad = model("g (float[2] x) => (float[2] y) { y = Foo(x) }")
    monkeypatch.setenv("ONNXSIM_TEST_JUDGE", sys.executable)

    assert judge() == "onnxruntime"
    assert run(model(ADD), feeds)["y"].tolist() == [2.0, 4.0]
    with pytest.raises(RuntimeError, match="Foo"):
        run(bad, feeds)
    assert run(model(ADD).SerializeToString(), feeds)["z"].tolist() == [-1.0, -2.0]
    assert running._other_python().pid != os.getpid()
