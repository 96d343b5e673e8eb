"""Which values are known to be zero everywhere."""

import ml_dtypes
import numpy as np
import pytest

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir import dtypes
from onnxsim_core.ir.files import File
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import ArrayTensor, DeferredTensor, SpanTensor
from onnxsim_core.ops import load
from onnxsim_core.rewrite.zeros import LOOK_BACK, is_zero, is_zero_tensor
from onnxsim_testkit import model


def last(body, *, inputs="", opset=21, **constants):
    """The last value of a graph, inferred."""
    load()
    text = f"g (float[n,2] x, int64[2] s{inputs}) => (float[] z) <float zero = {{0}}> {{ {body} }}"
    ir = read_model(model(text, opset=opset, initializers=constants, domains={"acme": 1}).SerializeToString())
    Inference(ir).walk(ir.graph)
    return ir.graph.last.outputs[0]


@pytest.mark.parametrize(
    "body",
    [
        "z = Identity(zero)",
        "z = ConstantOfShape(s)",
        "z = ConstantOfShape<value = double[1] {0}>(s)",
        "z = Expand(zero, s)",
        "a = ConstantOfShape<value = bool[1] {0}>(s) z = Cast<to=16>(a)",
        "a = Expand(zero, s) b = Shape(x) c = Reshape(a, b) d = Transpose(c) z = Concat<axis=1>(d, d, d)",
        "a = Expand(zero, s) b = ConstantOfShape(s) z = Concat<axis=0>(a, b)",
        "a = ConstantOfShape<value = int64[1] {0}>(s) z = CastLike(a, x)",
        "a = ConstantOfShape(s) y, z = Split<axis=0, num_outputs=2>(a)",
    ],
)
def test_zero(body):
    assert is_zero(last(body))


@pytest.mark.parametrize(
    "body",
    [
        "z = Identity(x)",
        "z = Expand(x, s)",
        "z = ConstantOfShape<value = float[1] {1}>(s)",
        "a = Expand(zero, s) z = Neg(a)",
        "a = Expand(zero, s) z = Concat<axis=0>(a, x)",
        "a = Expand(zero, s) z = Concat<axis=0>(x, a)",
        "a = Expand(zero, s) z = acme.Identity(a)",
        # All bytes of 2 to the power of -127 are 0.
        "a = Cast<to=24>(zero) z = Cast<to=1>(a)",
        "a = Cast<to=8>(zero) z = Cast<to=1>(a)",
    ],
)
def test_not_known_to_be_zero(body):
    assert not is_zero(last(body, opset=24))


def test_what_a_caller_may_set_is_not_known():
    number = np.float32(0)
    assert is_zero(last("z = Expand(stored, s)", stored=number))
    assert not is_zero(last("z = Expand(stored, s)", inputs=", float stored", stored=number))


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, np.int64, np.bool_, ml_dtypes.bfloat16])
@pytest.mark.parametrize("size", [0, 1, 5, 9000])
def test_stored_numbers(kind, size):
    numbers = np.zeros(size, kind)
    assert is_zero_tensor(ArrayTensor(numbers))
    for place in {0, size // 2, size - 1} if size else ():
        changed = numbers.copy()
        changed[place] = 1
        assert not is_zero_tensor(ArrayTensor(changed))


def test_negative_zero_is_another_number():
    assert not is_zero_tensor(ArrayTensor(np.array([0.0, -0.0], np.float32)))
    assert not is_zero(last("z = ConstantOfShape<value = float[1] {-0.0}>(s)"))


def test_numbers_that_would_have_to_be_computed_are_not_looked_at():
    def compute():
        raise AssertionError("computed")

    assert not is_zero_tensor(DeferredTensor(dtypes.FLOAT, (2,), compute))


def test_holes_of_a_file_are_zero(tmp_path):
    path = tmp_path / "weights"
    with path.open("wb") as stream:
        stream.truncate(1 << 20)
    assert is_zero_tensor(SpanTensor(dtypes.FLOAT, (1 << 18,), File(path)))
    with path.open("r+b") as stream:
        stream.seek((1 << 20) - 1)
        stream.write(b"\1")
    assert not is_zero_tensor(SpanTensor(dtypes.FLOAT, (1 << 18,), File(path)))


def test_the_look_back_is_bounded():
    def chain(length):
        steps = " ".join(f"v{i + 1} = Transpose(v{i})" for i in range(length))
        return last(f"v0 = Expand(zero, s) {steps} z = Identity(v{length})")

    assert is_zero(chain(LOOK_BACK - 3))
    assert not is_zero(chain(LOOK_BACK - 2))


def test_what_is_no_tensor_of_numbers_is_not_known():
    assert not is_zero(None)
    assert not is_zero(last("z = acme.Make(x)"))
    assert not is_zero(last("z = Identity(text)", text=np.array(["", ""], object)))
