"""Comparing two models by running them."""

import numpy as np
import onnx
import pytest

from onnxsim_core import CheckError, OptionError
from onnxsim_core.check.equality import Reference, check_equal, on_disk, tolerance_floor
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model

DOUBLED = "g (float[n,3] x) => (float[n,3] z) { z = Add(x, x) }"
TIMES_TWO = "g (float[n,3] x) => (float[n,3] z) <float two={2}> { z = Mul(x, two) }"


def test_models_that_compute_the_same_are_equal(tmp_path):
    path = tmp_path / "m.onnx"
    onnx.save(model(TIMES_TWO), path)
    for other in (model(TIMES_TWO), model(TIMES_TWO).SerializeToString(), path, str(path)):
        result = check_equal(model(DOUBLED), other, n=3, rtol=0.0, atol=0.0)
        assert result.ok and result.runs == 3 and result.sizes == {"n": 2}


def test_a_difference_names_the_output_the_run_and_how_much():
    wrong = model("g (float[n,3] x) => (float[n,3] z) <float half={0.5}> { y = Add(x, x) z = Add(y, half) }")
    result = check_equal(model(DOUBLED), wrong, n=2)

    assert not result.ok and [(m.output, m.run) for m in result.mismatches] == [("z", 0), ("z", 1)]
    assert result.mismatches[0].max_abs == pytest.approx(0.5, abs=1e-6)
    assert check_equal(model(DOUBLED), wrong, atol=0.51).ok


def test_outputs_are_compared_by_name_and_removed_ones_are_not():
    two = model("g (float[3] x) => (float[3] a, float[3] b) { a = Neg(x) b = Abs(x) }")
    one = model("g (float[3] x) => (float[3] b) { b = Abs(x) }")
    swapped = model("g (float[3] x) => (float[3] a, float[3] b) { a = Abs(x) b = Neg(x) }")

    assert check_equal(two, one).ok
    assert {m.output for m in check_equal(two, swapped).mismatches} == {"a", "b"}
    with pytest.raises(CheckError, match="no output in common"):
        check_equal(two, model(DOUBLED))


def test_sizes_are_tried_until_the_original_runs():
    proto = model("g (float[n] x) => (float[4,k] z) <int64[2] s={4,-1}> { z = Reshape(x, s) }")

    assert check_equal(proto, proto).sizes == {"n": 8}
    assert check_equal(proto, proto, input_shapes={"x": [12]}).sizes == {"n": 12}


def test_an_original_that_does_not_run_is_an_error_with_a_hint():
    proto = model("g (float[n] x) => (float[4,k] z) <int64[2] s={4,-1}> { z = Reshape(x, s) }")
    with pytest.raises(CheckError, match="original model does not run on generated inputs") as error:
        check_equal(proto, proto, input_shapes={"x": [3]})
    assert "test_input_shapes" in error.value.hint and "input_data" in error.value.hint


def test_another_model_that_does_not_run_differs():
    missing = model("g (float[n,3] x) => (float[n,3] z) { z = my.Op(x) }", domains={"my": 1})
    narrow = model("g (float[n,3] x) => (float[m,3] z) <int64[1] i={7}> { z = Gather(x, i) }")

    assert str(check_equal(model(DOUBLED), missing)).partition(": ")[0].endswith("cannot load the model")
    assert str(check_equal(model(DOUBLED), narrow)).startswith("the model does not run: ")


@pytest.mark.parametrize("argument", [{"input_shapes": {"y": [2, 3]}}, {"input_data": {"y": np.zeros((2, 3))}}])
def test_names_must_be_inputs(argument):
    with pytest.raises(OptionError, match=r"the model has no input called 'y' \(its inputs are x\)"):
        check_equal(model(DOUBLED), model(TIMES_TWO), **argument)


def test_given_data_and_fills_decide_what_is_compared():
    root, zero = (
        model("g (float[2] x) => (float[2] z) { z = Sqrt(x) }"),
        model("g (float[2] x) => (float[2] z) { z = Sub(x, x) }"),
    )

    assert check_equal(root, zero, fill="zeros").ok and not check_equal(root, zero, fill="ones").ok
    assert check_equal(root, zero, input_data={"x": np.zeros(2, np.float32)}).ok
    with pytest.raises(OptionError, match="input_fill"):
        check_equal(root, zero, fill="noise")


def test_what_is_not_given_has_the_sizes_of_what_is():
    both = model("g (float[n,3] x, float[n,3] y) => (float[n,3] z) { z = Add(x, y) }")

    assert check_equal(both, both, input_data={"x": np.zeros((7, 3), np.float32)}).sizes == {"n": 7}


@pytest.mark.parametrize(
    ("array", "part"),
    [
        (np.zeros((2, 3)), "input 'x' takes float32, the given array holds float64"),
        (np.zeros((2, 4), np.float32), r"input 'x' has shape \[n, 3\], the given array \[2, 4\]"),
        (np.zeros(3, np.float32), r"input 'x' has shape \[n, 3\], the given array \[3\]"),
    ],
)
def test_given_data_must_fit_its_input(array, part):
    with pytest.raises(OptionError, match=part):
        check_equal(model(DOUBLED), model(TIMES_TWO), input_data={"x": array})


def test_given_data_that_the_original_refuses_is_not_called_generated():
    proto = model("g (float[n] x) => (float[4,k] z) <int64[2] s={4,-1}> { z = Reshape(x, s) }")
    with pytest.raises(CheckError, match="original model does not run on these inputs") as error:
        check_equal(proto, proto, input_data={"x": np.zeros(3, np.float32)})
    assert not error.value.hint


def test_a_reference_serves_several_comparisons():
    reference = Reference(model(DOUBLED), n=2)

    assert reference.compare(model(TIMES_TWO)).ok
    assert not reference.compare(model(DOUBLED.replace("Add", "Mul"))).ok
    assert reference.compare(model(DOUBLED)).ok


def test_the_tolerance_is_never_finer_than_the_floats_of_the_model():
    floors = {
        kind: tolerance_floor(read_model(model(f"g ({kind}[2] x) => ({kind}[2] z) {{ z = Relu(x) }}")))
        for kind in ("float", "float16", "bfloat16")
    }

    assert floors == {"float": 0.0, "float16": 2**-9, "bfloat16": 2**-6}


def test_a_model_in_memory_is_a_file_as_long_as_it_is_needed(tmp_path):
    with on_disk(model(DOUBLED)) as path:
        assert onnx.load(path).graph.node[0].op_type == "Add"
    with pytest.raises(FileNotFoundError):
        open(path)
    with on_disk(tmp_path / "own.onnx") as path:
        assert path == str(tmp_path / "own.onnx")
