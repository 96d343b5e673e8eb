"""Parameters as attributes or inputs, by opset: every form must load and run."""

import numpy as np
import pytest
from rewriting import apply

from onnxsim_core.rewrite import forms
from onnxsim_core.rewrite.rule import RULES, Rule
from onnxsim_testkit import model, run


def built(make, opset):
    """A model whose one node was built by `make(op, x)`, and what it gives."""
    proto = model("g (float[2,1,3] x) => (float[] z) { z = Identity(x) }", opset=opset)
    proto.graph.output[0].type.tensor_type.ClearField("shape")

    def build(node, op):
        return make(op, node.inputs[0])

    RULES["test_forms"] = [Rule("test_forms", ("Identity",), "", 1, build)]
    try:
        result, driver = apply("test_forms", proto)
    finally:
        del RULES["test_forms"]
    assert driver.changes == 1
    x = np.arange(6, dtype=np.float32).reshape(2, 1, 3)
    return x, result.graph.node[0], run(result, {"x": x})["z"]


@pytest.mark.parametrize(("opset", "inputs"), [(11, 1), (13, 2), (21, 2)])
def test_squeeze_and_unsqueeze(opset, inputs):
    x, node, found = built(lambda op, value: forms.squeeze(op, value, [1]), opset)
    assert len(node.input) == inputs and found.tolist() == x[:, 0].tolist()
    x, node, found = built(lambda op, value: forms.unsqueeze(op, value, [0, 4]), opset)
    assert len(node.input) == inputs and found.shape == (1, 2, 1, 3, 1)


@pytest.mark.parametrize(
    ("opset", "op_type", "inputs"),
    [(11, "ReduceSum", 1), (13, "ReduceSum", 2), (17, "ReduceMean", 1), (18, "ReduceMean", 2)],
)
def test_reductions(opset, op_type, inputs):
    x, node, found = built(lambda op, value: forms.reduce(op, op_type, value, [0, 2], 0), opset)
    wanted = x.sum((0, 2)) if op_type == "ReduceSum" else x.mean((0, 2))
    assert len(node.input) == inputs and found.tolist() == wanted.tolist()
    x, node, found = built(lambda op, value: forms.reduce(op, op_type, value, None, 1), opset)
    assert len(node.input) == 1 and found.shape == (1, 1, 1)


def test_reshape():
    x, node, found = built(lambda op, value: forms.reshape(op, value, [0, -1]), 7)
    assert len(node.input) == 2 and found.tolist() == x.reshape(2, 3).tolist()


@pytest.mark.parametrize(("opset", "inputs"), [(9, 1), (10, 4), (17, 4)])
def test_slices(opset, inputs):
    x, node, found = built(lambda op, value: forms.slices(op, value, [1, 0], [2, 2], [0, 2]), opset)
    assert len(node.input) == inputs and found.tolist() == x[1:2, :, 0:2].tolist()


def test_slices_with_steps():
    x, node, found = built(lambda op, value: forms.slices(op, value, [2], [-9], [2], [-2]), 17)
    assert len(node.input) == 5 and found.tolist() == x[:, :, ::-2].tolist()
    x, node, found = built(lambda op, value: forms.slices(op, value, [0], [2], [2], [1]), 17)
    assert len(node.input) == 4
    seen = []
    built(lambda op, value: seen.append(forms.slices(op, value, [2], [-9], [2], [-2])) or op.Neg(value), 9)
    assert seen == [None]
