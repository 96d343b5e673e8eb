from onnxsim_core.cli.main import build_parser


def parsed(*words):
    return build_parser().parse(["a", "b", *words])


def test_no_name_and_no_option_are_told_apart():
    assert parsed("--skip-optimization").skip_optimization == []
    assert parsed().skip_optimization is None


def test_the_size_may_be_left_out():
    assert parsed().no_large_tensor is None
    assert parsed("--no-large-tensor").no_large_tensor == 1024
    assert parsed("--no-large-tensor", "3KiB").no_large_tensor == 3072
