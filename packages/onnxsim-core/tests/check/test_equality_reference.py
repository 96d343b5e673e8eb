"""Reference: the original runs once; a model that does not run differs; tolerances fit the coarsest floats."""

import numpy as np
import pytest

from onnxsim_core import CheckError, OptionError
from onnxsim_core.check import Reference, check_equal
from onnxsim_core.check.equality import tolerance_floor
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model

RELU = model("g (float[n,3] x) => (float[n,3] y) { y = Relu(x) }")
ABS = model("g (float[n,3] x) => (float[n,3] y) { y = Abs(x) }")
NEG = model("g (float[n,3] x) => (float[n,3] y) { y = Neg(x) }")


def test_one_reference_serves_many_models():
    reference = Reference(RELU, n=2)

    assert reference.compare(ABS).ok, "inputs are not negative"
    assert len(reference.compare(NEG).mismatches) == 2
    assert reference.compare(RELU).sizes == reference.sizes


def test_a_model_that_does_not_load_differs():
    broken = model("g (float[n,3] x) => (float[n,3] y) { y = my.Relu(x) }", domains={"my": 1})
    result = check_equal(RELU, broken)

    assert not result.ok and "cannot load the model" in str(result)
    assert result.mismatches[0].output == ""


def test_a_model_that_fails_on_the_inputs_differs():
    broken = model("g (float[n,3] x) => (float[n,3] y) <int64[2] s={5,7}> { r = Reshape(x, s) y = Reshape(r, s) }")
    result = check_equal(RELU, broken)

    assert not result.ok and "the model does not run" in str(result)


def test_models_without_a_common_output_cannot_be_compared():
    other = model("g (float[n,3] x) => (float[n,3] other) { other = Relu(x) }")
    with pytest.raises(CheckError, match="no output in common"):
        check_equal(RELU, other)


def test_an_original_that_does_not_run_is_an_error():
    broken = model("g (float[n,3] x) => (float[n,3] y) { y = my.Relu(x) }", domains={"my": 1})
    with pytest.raises(CheckError, match="cannot load the model"):
        Reference(broken)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fill": "zzz"}, "input_fill is one of random, ones, zeros, arange"),
        ({"input_shapes": {"q": [1, 3]}}, "no input called 'q'"),
        ({"input_data": {"q": np.ones(3)}}, "no input called 'q'"),
    ],
)
def test_unknown_names_are_errors(options, message):
    with pytest.raises(OptionError, match=message):
        Reference(RELU, **options)


@pytest.mark.parametrize(
    ("text", "floor"),
    [
        ("g (float[3] x) => (float[3] y) { y = Relu(x) }", 0.0),
        ("g (float16[3] x) => (float16[3] y) { y = Relu(x) }", 2.0**-9),
        ("g (float[3] x) => (float[3] y) <float16 h={0}> { c = Cast<to=1>(h) y = Add(x, c) }", 2.0**-9),
        ("g (bfloat16[3] x) => (bfloat16[3] y) { y = Relu(x) }", 2.0**-6),
    ],
)
def test_half_floats_are_compared_as_coarsely_as_they_are(text, floor):
    """With 1e-4, a result one unit off in the last place would count as wrong."""
    assert tolerance_floor(read_model(model(text).SerializeToString())) == floor


def test_a_unit_in_the_last_place_of_a_half_is_no_difference():
    a = model("g (float16[3] x) => (float16[3] y) { y = Mul(x, k) }", initializers={"k": np.float16([1, 2, 3])})
    near = model("g (float16[3] x) => (float16[3] y) { y = Mul(x, k) }", initializers={"k": np.float16([1.001, 2, 3])})
    far = model("g (float16[3] x) => (float16[3] y) { y = Mul(x, k) }", initializers={"k": np.float16([1.05, 2, 3])})

    assert check_equal(a, near).ok and not check_equal(a, far).ok
