"""Hard gates: which types they take, and the line a Clip cuts off."""

import numpy as np
import onnx
import pytest
from inferred import Inferred
from onnx import TensorProto, helper

from onnxsim_core import simplify
from onnxsim_core.rewrite.gates import clipped_line, has_hard_gates
from onnxsim_core.rewrite.rule import Skip


@pytest.mark.parametrize("op_type", ["HardSigmoid", "HardSwish"])
@pytest.mark.parametrize("opset", [14, 21, 22, 24])
@pytest.mark.parametrize("dtype", [TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.INT32])
def test_types_are_those_of_the_schemas(op_type, opset, dtype):
    schema = onnx.defs.get_schema(op_type, opset)
    allowed = schema.type_constraints[0].allowed_type_strs
    assert has_hard_gates(dtype, opset) == (f"tensor({TensorProto.DataType.Name(dtype).lower()})" in allowed)


@pytest.mark.parametrize(("opset", "left"), [(21, ["Add", "Clip", "Div"]), (22, ["HardSigmoid"])])
def test_bfloat16_stays_valid(opset, left):
    graph = onnx.parser.parse_graph(
        "g (bfloat16[n,5] x) => (bfloat16[n,5] z) { a = Add(x, three) c = Clip(a, zero, six) z = Div(c, six) }"
    )
    numbers = {"zero": 0.0, "three": 3.0, "six": 6.0}
    graph.initializer.extend(helper.make_tensor(name, TensorProto.BFLOAT16, [], [v]) for name, v in numbers.items())
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8)

    result = simplify(proto).model

    onnx.checker.check_model(result, full_check=True)
    assert [node.op_type for node in result.graph.node] == left


def test_the_line_a_clip_cuts_off():
    text = "g (float[5] x) => (float[5] z) { b = Mul(x, two) a = Sub(b, one) z = Clip(a, zero, six) }"
    constants = {name: np.float32(v) for name, v in {"zero": 0, "one": 1, "two": 2, "six": 6}.items()}
    found = Inferred(text, **constants)
    assert clipped_line(found.nodes["z"], found.op) == (found.values["x"], 2.0, -1.0, 6.0)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("a = Add(x, one) z = Clip(a, one, six)", "Clip is not from 0 to a number"),
        ("a = Abs(x) z = Clip(a, zero, six)", "what is clipped is no sum of its own"),
        ("a = Add(x, x) z = Clip(a, zero, six)", "what is clipped is no line of one value"),
    ],
)
def test_no_line(body, reason):
    constants = {name: np.float32(v) for name, v in {"zero": 0, "one": 1, "six": 6}.items()}
    used = {name: value for name, value in constants.items() if f" {name}" in body}
    found = Inferred(f"g (float[5] x) => (float[5] z) {{ {body} }}", **used)
    line = clipped_line(found.nodes["z"], found.op)
    assert isinstance(line, Skip)
    assert line.reason == reason
