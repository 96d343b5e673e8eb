from onnxsim_core.cli.main import build_parser
from onnxsim_core.options import ORT_PREFIX, PROFILE_FILE


def parsed(*words):
    return build_parser().parse(["a.onnx", "b.onnx", *words])


def test_a_profile_has_a_usual_name():
    assert parsed("--profile").profile == PROFILE_FILE
    assert parsed("--ort-profile").ort_profile == ORT_PREFIX
    assert parsed("--profile", "p.json").profile == "p.json"
    assert parsed().profile is None


def test_a_model_is_no_profile():
    args = build_parser().parse(["--profile", "a.onnx", "b.onnx"])

    assert (args.profile, args.paths) == (PROFILE_FILE, ["a.onnx", "b.onnx"])


def test_the_plot_is_named_after_the_profile_unless_told():
    assert parsed("--node-reduction-plot").node_reduction_plot == ""
    assert parsed("--node-reduction-plot", "n.png").node_reduction_plot == "n.png"
