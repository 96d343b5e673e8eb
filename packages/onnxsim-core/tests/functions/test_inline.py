"""Local functions put in the place of their calls."""

from __future__ import annotations

import numpy as np
import onnx

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs

SAME_NAMES = """<ir_version: 8, opset_import: ["" : 17, "acme" : 1]>
g (float[n] x) => (float[n] y) <float zero={0}> { a = acme.Add(x, zero) b = acme.Neg(a) y = Neg(b) }
<domain: "acme", opset_import: ["" : 17]> Add (a, b) => (r) { s = Mul(a, b) o = Exp(b) r = Add(s, o) }
<domain: "acme", opset_import: ["" : 17]> Neg (a) => (r) { r = Exp(a) }
"""


def test_functions_named_like_standard_operators_are_inlined_as_what_they_are():
    original = onnx.parser.parse_model(SAME_NAMES)
    result = simplify(original, inline_functions=True).model
    assert not result.functions
    assert not [node for node in result.graph.node if node.domain]
    assert_same_outputs(original, result, {"x": np.array([1.0, -2.0], np.float32)}, rtol=1e-6, atol=0.0)


def test_functions_named_like_standard_operators_are_no_such_operators():
    original = onnx.parser.parse_model(SAME_NAMES)
    result = simplify(original).model
    assert [node.op_type for node in result.graph.node if node.domain == "acme"] == ["Add", "Neg"]
    assert_same_outputs(original, result, {"x": np.array([1.0, -2.0], np.float32)}, rtol=1e-6, atol=0.0)
