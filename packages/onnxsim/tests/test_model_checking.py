import pytest

import onnxsim
from onnxsim.model_checking import compare
from onnxsim_testkit import model

NEG = model("g (float[n,2] x) => (float[n,2] y) { y = Neg(x) }")
SAME = model("g (float[n,2] x) => (float[n,2] y) { a = Abs(x) b = Relu(x) c = Add(b, b) y = Sub(a, c) }")
NEAR = model("g (float[n,2] x) => (float[n,2] y) <float e = {0.001}> { t = Neg(x) y = Add(t, e) }")


def test_equal_models_are_equal_and_nothing_is_printed(capsys):
    assert compare(SAME, NEG, 3) is True
    assert capsys.readouterr().out == ""


def test_a_difference_is_told(capsys):
    assert compare(NEAR, NEG, 2) is False
    assert "output 'y' differs" in capsys.readouterr().out
    assert compare(NEAR, NEG, 2, verbose=False) is False
    assert capsys.readouterr().out == ""


def test_tolerances_count():
    assert compare(NEAR, NEG, 2, atol=0.01) is True


def test_an_unknown_input_is_an_error():
    with pytest.raises(onnxsim.OptionError, match="'z'"):
        compare(NEG, NEG, input_shapes={"z": [1, 2]})
