"""Keywords of earlier releases."""

import warnings

import pytest

from onnxsim_core import OptionError, simplify
from onnxsim_testkit import model

RELU = model("g (float[2] x) => (float[2] y) { y = Relu(x) }")


def test_what_is_turned_off_is_nothing_to_speak_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = simplify(RELU, certify=False, range_opt=False, check_hazards=False, check_gradients=False,
                          gradient_precision="fp32")

    assert result.ok and simplify(RELU, certify=None).ok


@pytest.mark.parametrize("name", ["certify", "range_opt", "check_hazards", "check_gradients"])
def test_what_another_distribution_does_says_which(name):
    with pytest.raises(OptionError, match=rf"{name} comes with onnxsim-ranges.*pip install onnxsim-ranges"):
        simplify(RELU, **{name: True})


def test_the_choice_of_a_gemm_has_no_effect():
    with pytest.warns(DeprecationWarning, match="gemm_fusion_backend has no effect") as caught:
        assert simplify(RELU, gemm_fusion_backend="webgpu").ok
    assert caught[0].filename == __file__
    with pytest.raises(OptionError, match="gemm_fusion_backend is one of ort_cpu, .*not 'cuda'"):
        simplify(RELU, gemm_fusion_backend="cuda")


def test_a_keyword_that_never_was_is_a_type_error():
    with pytest.raises(TypeError, match="unexpected keyword argument 'skiped_optimizers'"):
        simplify(RELU, skiped_optimizers=[])
