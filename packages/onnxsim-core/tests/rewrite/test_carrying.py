"""Every operator a Transpose can be pulled through gives, on transposed inputs, its result transposed."""

import numpy as np
import pytest
from rewriting import apply

from onnxsim_core.passes.fuse_distant_transposes import pull_transpose
from onnxsim_core.rewrite.carrying import ALONG_AXIS, ANY_ORDER, BROADCAST, REDUCTIONS, UNARY
from onnxsim_testkit import assert_same_outputs, model

FORWARD, BACKWARD = "Transpose<perm=[0,2,3,1]>", "Transpose<perm=[0,3,1,2]>"
NEWER = {"Gelu": 20, "Mish": 18, "Swish": 24}
ROUNDS = REDUCTIONS | {"Softmax", "LogSoftmax"}


def check(body, *, kind="float", result="float", opset=17, exact=True, **constants):
    text = f"""g ({kind}[2,3,4,5] x, {kind}[2,3,4,5] y) => ({result}[] z) {{
        a = {FORWARD}(x) b = {FORWARD}(y) {body} z = {BACKWARD}(c) }}"""
    original = model(text, opset=opset, initializers=constants)
    original.graph.output[0].type.tensor_type.ClearField("shape")
    changed, driver = apply(pull_transpose, original)
    assert driver.changes == 1
    assert "Transpose" not in [node.op_type for node in changed.graph.node]
    rng = np.random.default_rng(0)
    numbers = {"float": np.float32, "bool": np.bool_, "int64": np.int64}[kind]
    feeds = {name: (rng.standard_normal((2, 3, 4, 5)) * 3).astype(numbers) for name in "xy"}
    bound = 0 if exact else 1e-5
    assert_same_outputs(original, changed, feeds, rtol=bound, atol=bound)


@pytest.mark.parametrize("op_type", sorted(UNARY - {"Not", "Cast", "Clip", "IsNaN", "Gelu", "Mish", "Swish"}))
def test_unary(op_type):
    check(f"c = {op_type}(a)", exact=op_type not in {"Tanh", "Erf", "Exp", "Sin", "Cos", "Tan", "Sigmoid", "Celu"})


@pytest.mark.parametrize("op_type", sorted({"Gelu", "Mish"}))
def test_newer_unary(op_type):
    check(f"c = {op_type}(a)", opset=NEWER[op_type], exact=False)


def test_unary_of_other_types():
    check("c = Not(a)", kind="bool", result="bool")
    check("c = Cast<to=7>(a)", result="int64")
    check("c = IsNaN(a)", result="bool")
    check("c = Clip(a, low)", low=np.float32(-0.5))


@pytest.mark.parametrize("op_type", sorted(BROADCAST - {"Where", "And", "Or", "Xor", "Mod", "PRelu", "Pow"}))
def test_broadcasting(op_type):
    compares = op_type in {"Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"}
    check(f"c = {op_type}(a, b)", result="bool" if compares else "float")


@pytest.mark.parametrize("op_type", ["And", "Or", "Xor"])
def test_logic(op_type):
    check(f"c = {op_type}(a, b)", kind="bool", result="bool")


def test_other_broadcasting():
    check("d = Abs(b) e = Add(d, one) c = Mod<fmod=1>(a, e)", one=np.float32(1))
    check("d = Abs(a) c = Pow(d, two)", two=np.float32(2))
    check("c = PRelu(a, slope)", slope=np.array([0.5, 2, -1], np.float32))
    check("d = Less(a, b) c = Where(d, a, k)", k=np.arange(15, dtype=np.float32).reshape(5, 3))


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("op_type", sorted(ALONG_AXIS))
def test_along_an_axis(op_type, axis):
    inputs = "a, b" if op_type == "Concat" else "a"
    check(f"c = {op_type}<axis={axis}>({inputs})", exact=op_type not in ROUNDS)


@pytest.mark.parametrize("opset", [17, 18])
@pytest.mark.parametrize("op_type", sorted(REDUCTIONS))
def test_reductions(op_type, opset):
    value = "d" if op_type == "ReduceLogSum" else "a"
    if opset < (13 if op_type == "ReduceSum" else 18):
        check(f"d = Exp(a) c = {op_type}<axes=[1,-1]>({value})", opset=opset, exact=False)
    else:
        check(f"d = Exp(a) c = {op_type}({value}, k)", opset=opset, exact=False, k=np.array([1, -1]))
    check(f"d = Exp(a) c = {op_type}({value})", opset=opset, exact=False)


def test_slice_and_pad():
    bounds = {"s": np.array([1, 0]), "e": np.array([3, 9]), "k": np.array([-1, 1]), "t": np.array([1, 2])}
    check("c = Slice(a, s, e, k, t)", **bounds)
    check("c = Slice<starts=[1],ends=[3],axes=[2]>(a)", opset=9)
    check("c = Slice(a, s, e)", s=np.array([0, 1]), e=np.array([1, 3]))
    check("c = Pad(a, p)", p=np.array([0, 1, 2, 3, 0, 0, -1, 1]))
    check('c = Pad<mode="edge",pads=[0,1,2,3,0,0,1,1]>(a)', opset=10)


def test_every_operator_is_tried_above():
    tried = UNARY | BROADCAST | ALONG_AXIS | REDUCTIONS | {"Slice", "Pad"}
    assert ANY_ORDER == tried
