import pytest

from onnxsim_core.cli.main import build_parser
from onnxsim_core.cli.options_old import translate
from onnxsim_core.cli.parser import UsageError


def translated(*words):
    args = build_parser().parse(["a", "b", *words])
    return args, translate(args)


def test_present_spellings_need_no_note():
    assert translated("--overwrite-input-shape", "1,2")[1] == []


def test_values_move_to_the_present_name():
    assert translated("--input-shape", "x:1")[0].overwrite_input_shape == [("x", [1])]
    assert translated("--skip-optimizer", "a", "b")[0].skip_optimization == ["a", "b"]
    assert translated("--tensor-size-threshold", "2KB")[0].no_large_tensor == 2048


def test_skipping_one_more_pass():
    assert translated("--skip-fuse-bn")[0].skip_optimization == ["fuse_bn_into_conv"]
    both = translated("--skip-fuse-bn", "--skip-optimization", "nop")[0]
    assert both.skip_optimization == ["nop", "fuse_bn_into_conv"]
    assert translated("--skip-fuse-bn", "--skip-optimization")[0].skip_optimization == []


@pytest.mark.parametrize("words", [
    ["--input-shape", "1", "--overwrite-input-shape", "1"],
    ["--skip-optimizer", "nop", "--skip-optimization", "nop"],
    ["--tensor-size-threshold", "1KB", "--no-large-tensor", "1KB"],
])
def test_both_spellings_at_once_are_refused(words):
    with pytest.raises(UsageError, match="is the old name of"):
        translated(*words)


def test_the_help_does_not_show_them():
    assert "--input-shape " not in build_parser().format_help()
