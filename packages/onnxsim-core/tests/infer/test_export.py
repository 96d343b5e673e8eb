"""Telling onnx what is known here."""

import subprocess
import sys

import onnx
import pytest
from onnx import defs, shape_inference

from onnxsim_core import export_onnx_schemas
from onnxsim_core.infer.export import schema_of, withdraw
from onnxsim_core.infer.registered import KNOWN
from onnxsim_core.ops.signatures import SIGNATURES


@pytest.fixture
def exported():
    count = export_onnx_schemas()
    yield count
    for domain, operators in SIGNATURES.items():
        for op_type in operators:
            if (domain, op_type, 1) in KNOWN:
                defs.deregister_schema(op_type, 1, domain)
                KNOWN.discard((domain, op_type, 1))


def test_every_operator_is_registered_once(exported):
    assert exported == sum(map(len, SIGNATURES.values()))
    assert export_onnx_schemas() == 0
    assert defs.has("BiasGelu", "com.microsoft") and defs.has("Quant", "qonnx.custom_op.general")


def test_before_anything_was_simplified():
    program = "import onnxsim_core, onnx; print(onnxsim_core.export_onnx_schemas() > 80)"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "True\n"


def test_withdrawing_takes_back_what_is_still_there(exported):
    defs.deregister_schema("BiasGelu", 1, "com.microsoft")
    withdraw([("com.microsoft", "BiasGelu", 1), ("com.microsoft", "FusedMatMul", 1)])
    assert not defs.has("FusedMatMul", "com.microsoft") and defs.has("Quant", "qonnx.custom_op.general")
    for op_type in ("BiasGelu", "FusedMatMul"):
        KNOWN.discard(("com.microsoft", op_type, 1))


@pytest.mark.parametrize(("domain", "nodes", "shape"), [
    ("com.microsoft", "float[n,8,16] x, float[16] b) => (float y) { y = D.BiasGelu(x, b) }", ["n", 8, 16]),
    ("qonnx.custom_op.general", """float[n,4] x, float[1] s) => (float y)
        { y = D.Quant<signed=1, narrow=0, rounding_mode="ROUND">(x, s, s, s) }""", ["n", 4]),
    ("mmdeploy", """float[n,3,H,W] x, float[n,18,oh,ow] o, float[8,3,3,3] w) => (float y)
        { y = D.MMCVDeformConv2d<stride=[1,1], padding=[1,1]>(x, o, w) }""", ["n", 8, "oh", "ow"]),
    ("mmcv", "float[1,5,n] x, float[1,5] s) => (float y, int32 z) { y, z = D.TRTBatchedNMS<keep_topk=7>(x, s) }", [1, 7, 5]),
    ("com.microsoft", """uint8[1,2] x, float s, uint8 z) => (float y)
        { y = D.QLinearSigmoid(x, s, z, s, z) }""", [1, 2]),
])
def test_the_checker_and_inference_of_onnx_take_them(exported, domain, nodes, shape):
    model = onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : 18, "{domain}" : 1]> g ('
                                    + nodes.replace("D.", f"{domain}."))
    model.graph.output[0].ClearField("type")

    inferred = shape_inference.infer_shapes(model, check_type=True, strict_mode=True)

    onnx.checker.check_model(inferred)
    found = inferred.graph.output[0].type.tensor_type.shape.dim
    assert [dim.dim_param or dim.dim_value for dim in found] == shape


def test_a_schema_that_is_there_already_stays():
    made = schema_of("com.microsoft", "BiasGelu", ("SS", "S", ""))
    defs.register_schema(made)
    try:
        assert export_onnx_schemas() == sum(map(len, SIGNATURES.values())) - 1
    finally:
        for domain, operators in SIGNATURES.items():
            for op_type in operators:
                if defs.has(op_type, domain):
                    defs.deregister_schema(op_type, 1, domain)
                    KNOWN.discard((domain, op_type, 1))
