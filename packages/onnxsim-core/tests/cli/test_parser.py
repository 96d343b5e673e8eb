import pytest

from onnxsim_core.cli.parser import Parser, UsageError, wanted_paths


def parser():
    made = Parser()
    made.add_argument("paths", nargs="*")
    made.add_argument("--graph-diff", action="store_true")
    made.add_argument("--size", type=int)
    return made


def test_options_and_words_are_told_apart():
    args = parser().parse(["a", "--size", "3", "b", "--graph-diff"])

    assert args.paths == ["a", "b"] and args.size == 3 and args.graph_diff


def test_an_unknown_option_is_refused_with_the_nearest():
    with pytest.raises(UsageError, match=r"no option --graph-dif .*did you mean --graph-diff\?"):
        parser().parse(["a", "b", "--graph-dif"])


def test_an_abbreviation_is_no_option():
    with pytest.raises(UsageError, match="no option --graph"):
        parser().parse(["a", "b", "--graph"])


@pytest.mark.parametrize(("option", "package"), [
    ("--emit-tflite", "onnxsim-export-tflite"),
    ("--tflite-int8", "onnxsim-export-tflite"),
    ("--tflite-edgetpu-check", "onnxsim-edgetpu"),
    ("--emit-coreml=x.mlpackage", "onnxsim-export-coreml"),
    ("--mlir-target", "onnxsim-export-mlir"),
    ("--calibration-samples", "onnxsim-qat"),
])
def test_an_option_of_an_absent_package_says_what_to_install(option, package):
    with pytest.raises(UsageError, match=rf"{package}, which is not installed \(pip install {package}\)"):
        parser().parse(["a", "b", option])


def test_a_malformed_value_is_a_usage_error():
    with pytest.raises(UsageError, match="--size: invalid int value: 'x'"):
        parser().parse(["a", "b", "--size", "x"])


def test_a_folder_makes_one_model_enough():
    assert wanted_paths(["--size"]) == 2
    assert wanted_paths(["-o"]) == wanted_paths(["--output-dir=x"]) == wanted_paths(["-oDIR"]) == 1


def test_turning_off_what_is_not_there_needs_no_package():
    assert not hasattr(parser().parse(["a", "b", "--no-certify"]), "no_certify")
    with pytest.raises(UsageError, match="--certify comes with onnxsim-ranges"):
        parser().parse(["a", "b", "--no-certify", "--certify"])
