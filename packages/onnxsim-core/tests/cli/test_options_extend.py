"""Options about the operators a model is written with."""

import pytest

from onnxsim_core.cli import options_extend
from onnxsim_core.cli.parser import Parser, UsageError
from onnxsim_core.errors import OnnxsimError


def given(*words):
    parser = Parser()
    options_extend.add(parser)
    return options_extend.settings(parser.parse_args(list(words)))


def test_nothing_is_asked_for_by_default():
    assert given() == {
        "target_opset_version": None,
        "inline_functions": False,
        "import_custom_schemas": True,
        "function_rewrite_rules": None,
    }


@pytest.mark.parametrize(("text", "wanted"), [("18", 18), ("latest", "latest")])
def test_an_operator_set(text, wanted):
    assert given("--target-opset", text)["target_opset_version"] == wanted


@pytest.mark.parametrize("text", ["newest", "-3", "1.5", ""])
def test_what_is_no_operator_set_is_a_usage_error(text):
    with pytest.raises((UsageError, SystemExit)):
        given(f"--target-opset={text}")


def test_switches():
    found = given("--inline-functions", "--skip-schema-import")
    assert found["inline_functions"] is True and found["import_custom_schemas"] is False


def test_a_file_of_rules_that_is_not_there(tmp_path):
    with pytest.raises(OnnxsimError, match="none"):
        given("--rewrite-rules", str(tmp_path / "none.txt"))
