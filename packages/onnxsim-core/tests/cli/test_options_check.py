from onnxsim_core.check.feeds import FILLS
from onnxsim_core.cli import options_check
from onnxsim_core.cli.main import build_parser


def test_defaults_are_those_of_simplify():
    args = build_parser().parse(["a", "b"])

    assert (args.check_rtol, args.check_atol, args.input_fill, args.check_n) == (1e-4, 1e-5, "random", None)


def test_fills_are_those_of_the_comparison():
    assert options_check.FILLS == FILLS
