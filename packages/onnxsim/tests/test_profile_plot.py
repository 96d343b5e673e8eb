import onnxsim
import onnxsim_core.profile.merge
import onnxsim_core.profile.plot
from onnxsim.profile_merge import merge_ort_traces, merge_ort_traces_into_profile
from onnxsim.profile_plot import load_node_counts, plot_node_reduction


def test_they_are_those_of_the_core():
    assert plot_node_reduction is onnxsim_core.profile.plot.plot_node_reduction
    assert load_node_counts is onnxsim_core.profile.plot.load_node_counts
    assert merge_ort_traces is onnxsim_core.profile.merge.merge_ort_traces
    assert merge_ort_traces_into_profile is onnxsim_core.profile.merge.merge_ort_traces_into_profile


def test_counts_of_a_real_profile(tmp_path, capsys):
    from onnxsim_testkit import model

    onnxsim.simplify(model("g (float[2] x) => (float[2] y) { a = Identity(x) y = Relu(a) }"),
                     profile=tmp_path / "p.json")  # fmt: skip

    assert onnxsim.profile_plot.load_node_counts(tmp_path / "p.json")["Initial"] == [2]
    assert "Pipeline" in capsys.readouterr().out
