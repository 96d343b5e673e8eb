"""`python -m onnxsim` is the command."""

import subprocess
import sys

import onnx

from onnxsim_testkit import model


def test_it_simplifies_a_file(tmp_path):
    onnx.save(model("g (float[2] x) => (float[2] y) { t = Identity(x) y = Relu(t) }"), tmp_path / "in.onnx")

    command = [sys.executable, "-m", "onnxsim", "in.onnx", "out.onnx"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)

    assert [node.op_type for node in onnx.load(tmp_path / "out.onnx").graph.node] == ["Relu"]
