"""Functions put in place of their calls, and the operator set, before the rounds."""

import numpy as np
import pytest

from onnxsim_core import OptionError, UnsupportedModelError, simplify
from onnxsim_core.passes.settle import oldest_ir_version
from onnxsim_testkit import assert_same_outputs, model

FUNCTION = """<ir_version: 8, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] z) { y = my.Twice(x) z = Sin(y) }
<domain: "my", opset_import: ["" : 17]> Twice (a) => (b) { c = Exp(a) b = Add(c, c) }"""
X = {"x": np.float32([1, -2])}


def test_functions_are_inlined_on_request_only():
    proto = model(FUNCTION)
    kept, inlined = simplify(proto), simplify(proto, inline_functions=True)

    assert [node.op_type for node in kept.model.graph.node] == ["Twice", "Sin"] and len(kept.model.functions) == 1
    assert [node.op_type for node in inlined.model.graph.node] == ["Exp", "Add", "Sin"]
    assert len(inlined.model.functions) == 0 and inlined.report.fired["inline_functions"] == 1
    assert_same_outputs(proto, inlined.model, X, rtol=0, atol=0)


def test_graph_and_functions_move_to_another_operator_set():
    proto = model(FUNCTION)
    result = simplify(proto, target_opset_version=18).model

    assert {entry.domain: entry.version for entry in result.opset_import}[""] == 18
    assert [e.version for f in result.functions for e in f.opset_import if e.domain == ""] == [18]
    assert_same_outputs(proto, result, X, rtol=0, atol=0)


def test_inputs_that_can_be_constant_become_attributes_of_older_sets():
    text = "g (float[1,2] x) => (float[2] z) <int64[1] zero={0}> { i = Neg(zero) y = Squeeze(x, i) z = Sin(y) }"
    proto = model(text, opset=13)
    result = simplify(proto, target_opset_version=11).model

    assert [node.op_type for node in result.graph.node] == ["Squeeze", "Sin"]
    assert list(result.graph.node[0].attribute[0].ints) == [0] and len(result.graph.node[0].input) == 1
    assert_same_outputs(proto, result, {"x": np.float32([[1, 2]])}, rtol=0, atol=0)


def test_what_an_older_set_cannot_say_is_an_error():
    proto = model("g (float[1,2] x, int64[1] i) => (float[n] z) { z = Squeeze(x, i) }", opset=13)
    with pytest.raises(UnsupportedModelError) as error:
        simplify(proto, target_opset_version=11)
    assert error.value.gaps and "Squeeze" in error.value.gaps[0]


@pytest.mark.parametrize("wanted", [0, 9999, "newest"])
def test_the_operator_set_must_be_one(wanted):
    with pytest.raises(OptionError):
        simplify(model(FUNCTION), target_opset_version=wanted)


@pytest.mark.parametrize(("opset", "version"), [(8, 3), (11, 6), (15, 8), (19, 9), (21, 10)])
def test_an_operator_set_came_with_an_ir_version(opset, version):
    """ONNX, docs/Versioning.md."""
    assert oldest_ir_version(opset) == version
