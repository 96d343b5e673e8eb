import pickle

import pytest

from onnxsim_core.errors import (
    CheckError,
    ModelError,
    OnnxsimError,
    OptionError,
    PassError,
    PluginError,
    UnsupportedModelError,
)


def test_text_is_one_line_with_place_offset_and_hint():
    error = ModelError("cut\n  short", offset=7, where="model\n.onnx", hint="download it\nagain")
    assert str(error) == "model .onnx: cut short at byte 7 (download it again)"


def test_an_error_without_message_shows_its_code():
    assert str(OnnxsimError()) == "error"
    assert str(PluginError(code="plugin-missing")) == "plugin-missing"


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        (OnnxsimError, "error"),
        (ModelError, "model"),
        (UnsupportedModelError, "unsupported"),
        (PassError, "pass"),
        (OptionError, "option"),
        (PluginError, "plugin"),
        (CheckError, "check"),
    ],
)
def test_every_class_has_a_code_that_the_caller_can_narrow(kind, code):
    assert kind("x").code == code
    assert kind("x", code="narrow").code == "narrow"
    assert issubclass(kind, OnnxsimError)


def test_attributes_default_to_none():
    error = ModelError("x")
    assert (error.where, error.hint, error.offset) == (None, None, None)


def test_unsupported_lists_five_gaps_and_counts_the_rest():
    error = UnsupportedModelError("cannot be exported", gaps=(f"gap {i}" for i in range(8)))
    assert error.gaps == [f"gap {i}" for i in range(8)]
    assert str(error) == "cannot be exported: gap 0; gap 1; gap 2; gap 3; gap 4; and 3 more"
    assert isinstance(error, ModelError)


def test_pass_error_names_everything_and_chains_its_cause():
    cause = KeyError("axis")
    error = PassError("failed", pass_name="fuse_x", rule="one_x", node="main/Conv_7", cause=cause)
    assert str(error) == "failed, pass fuse_x, rule one_x, node main/Conv_7: KeyError: 'axis'"
    assert error.__cause__ is cause


def test_option_error_is_a_value_error():
    with pytest.raises(ValueError, match="unknown pass"):
        raise OptionError("unknown pass")


@pytest.mark.parametrize(
    "error",
    [
        ModelError("m", offset=3, where="w", hint="h", code="c"),
        UnsupportedModelError("m", gaps=["a", "b"]),
        PassError("m", pass_name="p", rule="r", node="n"),
        OptionError("m", hint="h"),
    ],
)
def test_errors_survive_the_way_back_from_a_worker_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error)
    assert str(copy) == str(error)
    assert vars(copy) == vars(error)
