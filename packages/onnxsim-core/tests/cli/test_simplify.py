import os

import numpy as np
import onnx
import pytest
from cli.running import assert_one_line, onnxsim, ops_of, reshape_model

from onnxsim_core.check import CheckResult, Mismatch
from onnxsim_core.cli import simplify as module
from onnxsim_core.cli.main import build_parser
from onnxsim_core.cli.simplify import settings_of, shapes_of
from onnxsim_core.errors import OptionError
from onnxsim_core.plugins import Format, FormatHost
from onnxsim_testkit import model

WEIGHT = np.arange(1024 * 3, dtype=np.float32).reshape(3, 1024)
PRODUCT = model("g (float[n,3] x) => (float[n,1024] y) { y = MatMul(x, w) }", initializers={"w": WEIGHT})


@pytest.fixture
def source(tmp_path):
    return reshape_model(tmp_path / "a.onnx")


def settings(*words):
    return settings_of(build_parser().parse(["a", "b", *words]), None)


# --- options become arguments --------------------------------------------------------------------------------------
def test_without_options_the_arguments_are_the_defaults_of_simplify():
    import inspect

    from onnxsim_core import simplify

    defaults = {name: p.default for name, p in inspect.signature(simplify).parameters.items()}
    assert {name: value for name, value in settings().items() if defaults[name] != value} == {}


@pytest.mark.parametrize(("words", "expected"), [
    (["--skip-optimization"], {"perform_optimization": False}),
    (["--skip-optimization", "nop", "x"], {"skipped_optimizers": ["nop", "x"], "perform_optimization": True}),
    (["--enable-optimization", "x"], {"extra_optimizers": ["x"]}),
    (["--skip-constant-folding"], {"skip_constant_folding": True}),
    (["--skip-shape-inference"], {"skip_shape_inference": True}),
    (["--overwrite-input-shape", "x:1,2", "y:3"], {"overwrite_input_shapes": {"x": [1, 2], "y": [3]}}),
    (["--test-input-shape", "1,2"], {"test_input_shapes": {None: [1, 2]}}),
    (["--unused-output", "y", "z"], {"unused_output": ["y", "z"]}),
    (["--mutable-initializer"], {"mutable_initializer": True}),
    (["--initializers-as-non-constants"], {"initializers_as_constants": False}),
    (["--no-include-subgraph"], {"include_subgraph": False}),
    (["--include-subgraph"], {"include_subgraph": True}),
    (["--no-large-tensor"], {"tensor_size_threshold": 1024}),
    (["--no-large-tensor", "1M"], {"tensor_size_threshold": 1 << 20}),
    (["--check-rtol", "0.5", "--check-atol", "0"], {"check_rtol": 0.5, "check_atol": 0.0}),
    (["--input-fill", "ones"], {"input_fill": "ones"}),
    (["--custom-lib", "l.so"], {"custom_lib": "l.so"}),
    (["--providers", "A", "B"], {"providers": ["A", "B"]}),
    (["--cuda"], {"providers": ["CUDAExecutionProvider", "CPUExecutionProvider"]}),
    (["--save-as-external-data"], {"save_as_external_data": True}),
    (["--external-data-threshold", "2KB"], {"external_data_threshold": 2048}),
    (["--explain"], {"trace": True}),
])
def test_each_option_sets_its_argument(words, expected):
    found = settings(*words)

    assert {name: found[name] for name in expected} == expected


def test_an_input_has_one_shape():
    assert shapes_of([("x", [1]), (None, [2])], "--o") == {"x": [1], None: [2]}
    with pytest.raises(OptionError, match="--o gives x two shapes"):
        shapes_of([("x", [1]), ("x", [2])], "--o")


# --- the run -------------------------------------------------------------------------------------------------------
def test_the_table_and_the_summary(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", 2)

    assert (ran.code, ran.err) == (0, "")
    assert "| Gather           |              3 |                0 |" in ran.out
    assert ran.out.rstrip().endswith("o.onnx: 9 nodes -> 1, equal on 2 random inputs")


def test_quiet_prints_nothing(source, tmp_path):
    assert onnxsim(source, tmp_path / "o.onnx", "-q") == onnxsim(source, tmp_path / "p.onnx", "--quiet")
    assert onnxsim(source, tmp_path / "o.onnx", "-q").out == ""
    assert ops_of(tmp_path / "o.onnx") == ["Reshape"]


def test_json_tells_everything(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", "1", "--json")
    found = ran.json()

    assert ran.err == ""
    assert (found["ok"], found["nodes_before"], found["nodes_after"], found["error"]) == (True, 9, 1, None)
    assert found["input"] == str(source) and found["output"] == str(tmp_path / "o.onnx")
    assert found["check"] == {"runs": 1, "ok": True, "differences": [], "sizes": {}}
    assert found["original"]["op_counts"]["Gather"] == 3 and found["simplified"]["op_counts"] == {"Reshape": 1}
    assert found["original"]["model_bytes"] == source.stat().st_size
    assert found["simplified"]["model_bytes"] == (tmp_path / "o.onnx").stat().st_size
    assert found["passes"]["fold_constants"] > 0


def test_verbose_names_passes(source, tmp_path):
    assert "fold_constants: " in onnxsim(source, tmp_path / "o.onnx", "-v").err


def test_the_output_may_be_the_input(source):
    assert onnxsim(source, source, 1).code == 0
    assert ops_of(source) == ["Reshape"]


def test_pinned_sizes_hold_in_the_comparison_too(tmp_path):
    onnx.save(PRODUCT, tmp_path / "a.onnx")
    ran = onnxsim(tmp_path / "a.onnx", tmp_path / "o.onnx", "--overwrite-input-shape", "7,3", 1)

    assert ran.code == 0, ran
    assert onnx.load(tmp_path / "o.onnx").graph.output[0].type.tensor_type.shape.dim[0].dim_value == 7


def test_a_model_that_differs_is_not_written(source, tmp_path, monkeypatch):
    output = tmp_path / "o.onnx"
    output.write_bytes(b"previous")
    verdict = CheckResult(1, (Mismatch("y", 0, "3 of 24 elements are outside the tolerance", 0.5, 0.25),))
    monkeypatch.setattr("onnxsim_core.check.Reference.compare", lambda *_, **__: verdict)

    ran = onnxsim(source, output, 1)

    warning, error = ran.err.splitlines()
    assert ran.code == 3 and warning.startswith("onnxsim: warning: the original gives other outputs each time")
    for part in ("onnxsim: error: ", "output 'y' differs in run 0", "(max abs 0.5, max rel 0.25)",
                 "o.onnx was not written"):
        assert part in error
    assert output.read_bytes() == b"previous"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.onnx", "o.onnx"]
    assert "Original Model" in ran.out
    assert onnxsim(source, output, 1, "--json").json()["output"] is None


def test_external_data_is_replaced_not_appended(tmp_path, monkeypatch):
    """F1 and F2: a second run once appended to the data file, and a file of that name elsewhere was deleted."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "o.onnx.data").write_text("precious")
    (tmp_path / "sub").mkdir()
    onnx.save(PRODUCT, "a.onnx")

    sizes = []
    for checks in (0, 1, 0):
        assert onnxsim("a.onnx", "sub/o.onnx", "--save-as-external-data", checks).code == 0
        sizes.append(os.path.getsize("sub/o.onnx.data"))

    assert sizes == [WEIGHT.nbytes] * 3
    assert (tmp_path / "o.onnx.data").read_text() == "precious"
    np.testing.assert_array_equal(onnx.numpy_helper.to_array(onnx.load("sub/o.onnx").graph.initializer[0]), WEIGHT)


def test_the_threshold_decides_about_external_data(tmp_path):
    onnx.save(PRODUCT, tmp_path / "a.onnx")
    onnxsim(tmp_path / "a.onnx", tmp_path / "in.onnx", "--external-data-threshold", "1MB")
    onnxsim(tmp_path / "a.onnx", tmp_path / "out.onnx", "--external-data-threshold", "1KB")

    assert not (tmp_path / "in.onnx.data").exists()
    assert (tmp_path / "out.onnx.data").stat().st_size == WEIGHT.nbytes


@pytest.mark.parametrize(("words", "note"), [
    (["--input-shape", "x:2,3,4"], "--input-shape is now called --overwrite-input-shape"),
    (["--skip-optimizer", "fuse_bn_into_conv"], "--skip-optimizer is now called --skip-optimization"),
    (["--skip-optimizers", "fuse_bn_into_conv"], "--skip-optimizer is now called --skip-optimization"),
    (["--skip-fuse-bn"], "--skip-fuse-bn is now written --skip-optimization fuse_bn_into_conv"),
    (["--enable-fuse-bn"], "--enable-fuse-bn has no effect"),
    (["--dynamic-input-shape"], "--dynamic-input-shape has no effect"),
    (["--keep-io-names"], "--keep-io-names has no effect"),
    (["--keep_io_names"], "--keep-io-names has no effect"),
    (["--tensor-size-threshold", "1KB"], "--tensor-size-threshold is now called --no-large-tensor"),
])
def test_old_spellings_work_with_a_note(source, tmp_path, words, note):
    ran = onnxsim(source, tmp_path / "o.onnx", *words)

    assert ran.code == 0
    assert ran.err.startswith(f"onnxsim: warning: {note}") and ran.err.count("\n") == 1
    assert ops_of(tmp_path / "o.onnx") == ["Reshape"]


# --- containers and plugins ----------------------------------------------------------------------------------------
def test_other_containers_are_read_and_written_by_their_plugin(tmp_path, monkeypatch):
    written = {}
    host = FormatHost()
    host.add(Format("boxes", ".box", read=lambda path: PRODUCT, write=lambda made, path: written.update({path: made})))
    monkeypatch.setattr("onnxsim_core.cli.extensions.formats", lambda *, with_plugins: host)

    ran = onnxsim(tmp_path / "a.box", tmp_path / "o.box", 1)

    assert ran.code == 0, ran
    assert [node.op_type for node in written[str(tmp_path / "o.box")].graph] == ["MatMul"]


def test_plugins_get_their_turns(source, tmp_path, monkeypatch):
    turns = []

    def register(host):
        group = host.group("boxes")
        group.add_argument("--box", help="put into a box")
        host.check(lambda args: turns.append(("check", args.box)))
        host.after(lambda args, result, say: (turns.append(("after", result.path)), say(f"boxed {args.box}")))

    class Entry:
        name, value = "boxes", "boxes:register"

        def load(self):
            return register

    monkeypatch.setattr("importlib.metadata.entry_points",
                        lambda group: [Entry()] if group == "onnxsim.cli" else [])
    ran = onnxsim(source, tmp_path / "o.onnx", "--box", "big")

    assert turns == [("check", "big"), ("after", str(tmp_path / "o.onnx"))]
    assert ran.out.endswith("boxed big\n")
    assert_one_line(onnxsim(source, tmp_path / "o.onnx", "--box", "big", "--no-plugins"), 2, "no option --box")


def test_a_plot_that_cannot_be_drawn_is_a_warning(source, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    ran = onnxsim(source, tmp_path / "o.onnx", "--node-reduction-plot", "--profile", tmp_path / "p.json", "-q")

    assert (ran.code, ran.out) == (0, "")
    assert ran.err == "onnxsim: warning: drawing needs matplotlib (pip install 'onnxsim[plot]')\n"
    assert (tmp_path / "p.json").exists()


def test_the_profile_is_printed_before_the_table(source, tmp_path):
    ran = onnxsim(source, tmp_path / "o.onnx", "--profile", tmp_path / "p.json")

    assert ran.out.startswith("onnxsim profiling summary") and "Original Model" in ran.out
    assert module.DONE == ran.code
