"""Models of IR version 3 list every initializer among the inputs; constants made by simplifying need version 4."""

import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_testkit import model


def of_version_3(text):
    proto = model(text, opset=9)
    proto.ir_version = 3
    return proto


FOLDED = {
    "at the end": "g (float[2,3] x) => (int64[2] y) { y = Shape(x) }",
    "in a body": """g (float[2] x, bool c) => (float[2] y) { y = If(c) <
        then_branch = t () => (float[2] a) { s = Shape(x) f = Cast<to=1>(s) a = Add(x, f) },
        else_branch = e () => (float[2] b) { b = Neg(x) }> }""",
}


@pytest.mark.parametrize("text", FOLDED.values(), ids=FOLDED)
def test_a_constant_made_by_folding_raises_it(text):
    simplified = simplify(of_version_3(text)).model

    assert simplified.ir_version == 4
    onnx.checker.check_model(simplified, full_check=True)


def test_a_model_without_constants_keeps_its_version():
    simplified = simplify(of_version_3("g (float[2] x) => (float[2] y) { y = Relu(x) }")).model

    assert simplified.ir_version == 3
    onnx.checker.check_model(simplified, full_check=True)
