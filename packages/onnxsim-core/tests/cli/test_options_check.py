from cli.running import onnxsim, reshape_model

from onnxsim_core.check.feeds import FILLS
from onnxsim_core.cli import options_check
from onnxsim_core.cli.main import build_parser


def test_defaults_are_those_of_simplify():
    args = build_parser().parse(["a", "b"])

    assert (args.check_rtol, args.check_atol, args.input_fill, args.check_n) == (1e-4, 1e-5, "random", None)


def test_fills_are_those_of_the_comparison():
    assert options_check.FILLS == FILLS


def test_options_about_a_comparison_that_is_not_made_are_named():
    """F27: options without the one they belong to once did nothing, silently."""
    words = ["--check-rtol", "1", "--check-atol", "1", "--test-input-shape", "1", "--input-data-path", "a.npz",
             "--input-fill", "ones", "--custom-lib", "l.so"]

    assert options_check.idle_options(build_parser().parse(["a", "b"])) == []
    assert options_check.idle_options(build_parser().parse(["a", "b", *words])) == [
        word for word in words if word.startswith("--")]


def test_the_command_says_that_they_have_no_effect(tmp_path):
    source = reshape_model(tmp_path / "a.onnx")

    assert onnxsim(source, tmp_path / "o.onnx", "--input-fill", "ones").err == (
        "onnxsim: warning: --input-fill: nothing is compared, give CHECK_N\n")
    assert onnxsim(source, tmp_path / "o.onnx", 1, "--input-fill", "ones").err == ""


def test_the_help_says_what_becomes_of_a_pass_that_changes_an_output():
    """It once said that nothing is written then, which is so with --strict only."""
    text = " ".join(build_parser().format_help().split())

    assert "a pass that changes one is left out and named, the rest is written" in text
    assert "where they differ, nothing is written" not in text
