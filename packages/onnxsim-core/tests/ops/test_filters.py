"""Sizes of audio windows and filter banks, against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge


@pytest.mark.parametrize("op_type", ["HannWindow", "HammingWindow", "BlackmanWindow"])
def test_windows(op_type: str) -> None:
    text = f"g (float u) => (float[] y) {{ y = {op_type}(n) }}"
    assert judge(text, {"u": np.array(0, np.float32)}, opset=17, kernels=False, n=np.array(6)).shape("y") == "[6]"
    double = text.replace("float[] y", "double[] y").replace("(n)", "<output_datatype=11>(n)")
    assert judge(double, {"u": np.array(0, np.float32)}, opset=17, kernels=False, n=np.array(6)).shape("y") == "[6]"
    assert facts(f"g (int64 n) => (float[] y) {{ y = {op_type}(n) }}").shape("y") == "[_]"


def test_a_window_of_a_size() -> None:
    text = "g (float[N] x) => (float[] y) { n = Size(x) y = HannWindow(n) }"
    assert judge(text, {"x": np.zeros(5, np.float32)}, opset=17, kernels=False).shape("y") == "[N]"


def test_mel_weights() -> None:
    text = "g (float u) => (float[] y) { y = MelWeightMatrix(bins, length, rate, low, high) }"
    constants = {"bins": np.array(8), "length": np.array(65), "rate": np.array(8000)}
    edges = {"low": np.array(0, np.float32), "high": np.array(3000, np.float32)}
    found = judge(text, {"u": np.array(0, np.float32)}, opset=17, kernels=False, **constants, **edges)
    assert found.shape("y") == "[33, 8]"
