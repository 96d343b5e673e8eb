import json

from cli.running import onnxsim

from onnxsim_core.cli.lists import print_passes
from onnxsim_core.cli.terminal import Terminal
from onnxsim_core.passes import catalog


def names(*words):
    ran = onnxsim(*words)
    assert (ran.code, ran.err) == (0, "")
    return ran.out.split("\n")[:-1]


def test_default_and_other_passes_are_all_passes():
    catalog.load()
    default, other = names("--list-default-optimizers"), names("--list-other-optimizers")

    assert not set(default) & set(other)
    assert {*default, *other} == {*catalog.CATALOG}
    assert "fuse_bn_into_conv" in default


def test_what_is_accepted_and_does_nothing_is_no_default_pass():
    """F21: passes that never run were once listed as default."""
    catalog.load()
    idle = {name for name, one in catalog.CATALOG.items() if one.kind in ("none", "alias")}

    assert idle and idle <= set(names("--list-other-optimizers"))


def test_the_lists_do_not_change_after_a_run(tmp_path):
    from cli.running import reshape_model

    before = names("--list-default-optimizers")
    onnxsim(reshape_model(tmp_path / "a.onnx"), tmp_path / "b.onnx")

    assert names("--list-default-optimizers") == before


def test_as_json_a_pass_says_what_it_does(capsys):
    assert print_passes(Terminal(as_json=True), default=True, other=False) == 0
    found = {one["name"]: one for one in json.loads(capsys.readouterr().out)}

    assert found["fuse_bn_into_conv"] == {
        "name": "fuse_bn_into_conv", "default": True, "kind": catalog.CATALOG["fuse_bn_into_conv"].kind,
        "summary": catalog.CATALOG["fuse_bn_into_conv"].summary}


def test_with_v_a_name_says_what_it_stands_for():
    """Aliases, passes of onnxoptimizer, and what nothing or another package does."""
    lines = names("--list-other-optimizers", "-v")
    found = dict(line.split(maxsplit=1) for line in lines)

    assert found["fuse_qkv"].startswith("nothing: ") and "onnxsim-qat" in found["quarot"]
    assert found["split_init"].endswith("done by onnxoptimizer")
    assert found["eliminate_sequence_at_construct"] == "the same as eliminate_sequence"


def test_presets_are_listed():
    assert {line.split()[0] for line in names("--list-presets")} == {
        "ort", "tensorrt", "tflite", "coreml", "npu", "quantize"}
    found = {one["name"]: one for one in json.loads(onnxsim("--list-presets", "--json").out)}
    assert found["npu"]["static"] and "explicit_auto_pad" in found["npu"]["adds"]
    assert "fuse_matmul_add_bias_into_gemm" in found["quantize"]["skips"]
