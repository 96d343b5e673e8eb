"""The driver's edits: what may take the place of outputs."""

import numpy as np

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs, model


def test_one_value_is_not_two_outputs():
    """A Loop of no runs gives what it was given, here the same value twice: the outputs keep names of their own."""
    text = """g (float[2] x) => (float[2] y, float[2] z)
        <int64 n = {0}, bool c = {1}> {
            v = Sigmoid(x)
            y, z = Loop(n, c, v, v) <body =
                b (int64 i, bool k, float[2] p, float[2] q) => (bool l, float[2] r, float[2] s)
                { l = Identity(k) r = Neg(p) s = Neg(q) }>
        }"""
    proto = model(text, opset=17)

    simplified = simplify(proto).model

    assert [info.name for info in simplified.graph.output] == ["y", "z"]
    assert_same_outputs(proto, simplified, {"x": np.float32([1, 2])}, rtol=0, atol=0)
