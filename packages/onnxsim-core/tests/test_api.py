"""`simplify()` around the engine: what it accepts, what it gives, what it writes."""

import copy
import json

import numpy as np
import onnx
import pytest
from cli.running import RESHAPE, SIZES, ops_of

from onnxsim_core import ModelError, OptionError, simplify
from onnxsim_core.check import CheckResult, Mismatch
from onnxsim_testkit import model

PROTO = model(RESHAPE, initializers=SIZES)


@pytest.fixture(autouse=True)
def no_profile(monkeypatch):
    for name in ("ONNXSIM_PROFILE", "ONNXSIM_ORT_PROFILE", "ONNXSIM_MERGE_ORT_PROFILE"):
        monkeypatch.delenv(name, raising=False)


def test_the_result_unpacks(tmp_path):
    result = simplify(PROTO)
    simplified, ok = result

    assert ok and [node.op_type for node in simplified.graph.node] == ["Reshape"]
    assert result.model is simplified is result[0] and len(result) == 2
    assert repr(result) == "SimplifyResult(ok=True, nodes=9->1)"
    assert result.path is None and result.check is None
    assert result.nbytes == simplified.ByteSize()


def test_paths_bytes_and_protos_give_the_same(tmp_path):
    """F54: bytes and Path once were no models."""
    onnx.save(PROTO, tmp_path / "m.onnx")
    results = [simplify(source).model for source in
               (PROTO, PROTO.SerializeToString(), tmp_path / "m.onnx", str(tmp_path / "m.onnx"))]

    assert all(one == results[0] for one in results)


def test_the_given_model_is_never_changed():
    before = copy.deepcopy(PROTO)
    simplify(PROTO, 1)

    assert before == PROTO


def test_arguments_are_never_changed():
    """F24: the list of skipped passes once grew."""
    skipped, shapes = ["fuse_gelu"], {"x": [2, 3, 4]}
    with pytest.warns(DeprecationWarning):
        simplify(PROTO, skipped_optimizers=skipped, skip_fuse_bn=True, overwrite_input_shapes=shapes)

    assert (skipped, shapes) == (["fuse_gelu"], {"x": [2, 3, 4]})
    with pytest.warns(DeprecationWarning):
        assert simplify(PROTO, skipped_optimizers=("fuse_gelu",), skip_fuse_bn=True).ok


@pytest.mark.parametrize("name", ["skipped_optimizers", "extra_optimizers", "unused_output", "providers"])
def test_a_text_is_no_list_of_names(name):
    with pytest.raises(TypeError, match=f"{name} is a list of names"):
        simplify(PROTO, **{name: "fuse_gelu"})


def test_an_unavailable_provider_is_refused_even_if_nothing_would_run():
    with pytest.raises(ValueError, match="NoSuchExecutionProvider"):
        simplify(PROTO, providers=["NoSuchExecutionProvider"])


def test_old_names_work_with_a_warning():
    with pytest.warns(DeprecationWarning, match="input_shapes is now called overwrite_input_shapes"):
        assert simplify(PROTO, input_shapes={"x": [2, 3, 4]}).ok
    with pytest.warns(DeprecationWarning, match="dynamic_input_shape has no effect"):
        assert simplify(PROTO, dynamic_input_shape=True).ok
    with pytest.raises(OptionError, match="is an old name"):
        simplify(PROTO, input_shapes={"x": [2, 3, 4]}, overwrite_input_shapes={"x": [2, 3, 4]})


def test_a_comparison_tells_what_it_found(tmp_path):
    result = simplify(PROTO, 3, output_path=tmp_path / "m.onnx")

    assert result.ok and str(result.check) == "equal on 3 random inputs"
    assert result.path == str(tmp_path / "m.onnx") and ops_of(tmp_path / "m.onnx") == ["Reshape"]
    assert result.nbytes == (tmp_path / "m.onnx").stat().st_size


def test_a_negative_number_of_comparisons_is_none():
    assert simplify(PROTO, -1).check is None


@pytest.mark.parametrize("previous", [None, b"previous"])
def test_a_model_that_differs_is_not_written(tmp_path, monkeypatch, previous):
    """F57: on a failed comparison the output was once written, and only the exit code told."""
    target = tmp_path / "m.onnx"
    if previous is not None:
        target.write_bytes(previous)
    verdict = CheckResult(1, (Mismatch("y", 0, "shape [1] instead of [2]"),))
    monkeypatch.setattr("onnxsim_core.check.Reference.compare", lambda *_, **__: verdict)

    result = simplify(PROTO, 1, output_path=target)

    assert not result.ok and result.path is None and result.check is verdict
    assert [path.name for path in tmp_path.iterdir()] == ([] if previous is None else ["m.onnx"])
    assert previous is None or target.read_bytes() == previous


def test_pinned_sizes_are_used_in_the_comparison():
    """F37: the original was once fed sizes of its own."""
    proto = model("g (float[n,3] x, float[n,3] z) => (float[n,3] y) { y = Add(x, z) }")
    result = simplify(proto, 1, overwrite_input_shapes={"x": [7, 3]})

    assert result.ok and result.check.sizes["n"] == 7
    assert [dim.dim_value for dim in result.model.graph.output[0].type.tensor_type.shape.dim] == [7, 3]


def test_one_input_needs_no_name():
    proto = model("g (float[n,3] x) => (float[n,3] y) { y = Relu(x) }")

    assert simplify(proto, 1, overwrite_input_shapes={None: [7, 3]}).check.sizes == {"n": 7}
    assert simplify(proto, 1, test_input_shapes={None: [5, 3]}).check.sizes == {"n": 5}


def test_a_profile_is_written_and_printed(tmp_path, capsys):
    simplify(PROTO, 1, profile=tmp_path / "p.json")

    assert capsys.readouterr().out.startswith("onnxsim profiling summary")
    assert json.loads((tmp_path / "p.json").read_text())["traceEvents"]


def test_the_environment_asks_for_a_profile_too(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ONNXSIM_PROFILE", str(tmp_path / "p.json"))
    simplify(PROTO)

    assert (tmp_path / "p.json").exists() and "Pipeline" in capsys.readouterr().out


def test_external_references_without_a_folder_are_an_error_not_a_guess(tmp_path, monkeypatch):
    """F18: references in a proto were once looked up in the working directory, and kept when not found."""
    big = model("g (float[512] x) => (float[512] y) { y = Add(x, w) }", initializers={"w": np.ones(512, np.float32)})
    onnx.save(big, tmp_path / "m.onnx", save_as_external_data=True, location="w.bin", size_threshold=0)
    stub = onnx.load(tmp_path / "m.onnx", load_external_data=False)

    with pytest.raises(ModelError):
        simplify(stub.SerializeToString()).model  # noqa: B018
    assert simplify(tmp_path / "m.onnx", 1).ok


def test_simplifying_twice_gives_the_same():
    once = simplify(PROTO).model

    assert simplify(once).model == once


def test_the_graph_holds_what_is_known(tmp_path):
    graph = simplify(PROTO).graph.graph

    assert graph.outputs[0].shape == (2, 4, 3)
    assert graph.count == 1


# --- options ---------------------------------------------------------------------------------------------------------
WEIGHTED = model("g (float[1024] x) => (float[1024] y) { y = Add(x, w) }", initializers={"w": np.ones(1024, np.float32)})


@pytest.mark.parametrize("check_n", [0, 1])
@pytest.mark.parametrize(("options", "outside"), [({}, False), ({"external_data_threshold": "1KB"}, True),
                                                  ({"external_data_threshold": 8192}, False),
                                                  ({"save_as_external_data": True}, True)])
def test_weights_go_beside_the_model_when_they_are_larger_than_the_threshold(tmp_path, check_n, options, outside):
    """F30: the threshold once counted only when a comparison was asked for, and the result then lacked its weights."""
    onnx.save(WEIGHTED, tmp_path / "in.onnx")
    result = simplify(tmp_path / "in.onnx", check_n, output_path=tmp_path / "out.onnx", **options)

    assert (tmp_path / "out.onnx.data").exists() is outside
    assert onnx.load(tmp_path / "out.onnx").graph.initializer[0].raw_data == np.ones(1024, np.float32).tobytes()
    assert result.model.graph.initializer[0].raw_data == np.ones(1024, np.float32).tobytes()


def test_nothing_is_noted_in_the_model():
    """F28: every result once carried half a kilobyte about how it was made."""
    given = copy.deepcopy(PROTO)
    given.metadata_props.add(key="mine", value="1")
    result = simplify(given, skipped_optimizers=["fuse_gelu"]).model

    assert [(entry.key, entry.value) for entry in result.metadata_props] == [("mine", "1")]
    assert not any(node.metadata_props for node in result.graph.node) and not result.graph.metadata_props


@pytest.mark.parametrize("threshold", ["1M", "1MiB", "1 mb", 1 << 20, "1048576", "1048576B", 1048576.0])
def test_sizes_are_written_in_every_usual_form(threshold):
    """F26: the example of the help itself was once rejected."""
    fits = model("g (float[1] x) => (float[512,512] y) <int64[2] s={512,512}> { e = ConstantOfShape(s) y = Add(e, x) }")
    beyond = model("g (float[1] x) => (float[512,513] y) <int64[2] s={512,513}> { e = ConstantOfShape(s) y = Add(e, x) }")

    assert len(simplify(fits, tensor_size_threshold=threshold, skipped_optimizers=[
        "eliminate_expand_before_broadcast", "eliminate_nop_with_unit"]).model.graph.node) == 1
    assert len(simplify(beyond, tensor_size_threshold=threshold, skipped_optimizers=[
        "eliminate_expand_before_broadcast", "eliminate_nop_with_unit"]).model.graph.node) == 2


@pytest.mark.parametrize("threshold", ["", "-1", -1, "1X", "many"])
def test_what_is_no_size(threshold):
    with pytest.raises(OptionError, match="is not a size"):
        simplify(PROTO, tensor_size_threshold=threshold)


def test_skipping_inference_leaves_what_the_model_states():
    proto = model("g (float[2,3] x) => (int64[2] s, float[2,3] z) { y = Relu(x) s = Shape(y) z = Neg(y) }")
    left = simplify(proto, 1, skip_shape_inference=True).model.graph
    inferred = simplify(proto).model.graph

    assert [n.op_type for n in inferred.node] == ["Relu", "Neg"] and [v.name for v in inferred.value_info] == ["y"]
    assert sorted(n.op_type for n in left.node) == ["Neg", "Relu", "Shape"] and not left.value_info


def test_what_depends_on_constants_is_computed_without_inference_too():
    proto = model("g (float[3] x) => (float[3] z) { c = Add(w, w) d = Exp(c) z = Add(x, d) }",
                  initializers={"w": np.ones(3, np.float32)})

    assert [n.op_type for n in simplify(proto, 1, skip_shape_inference=True).model.graph.node] == ["Add"]


def test_skip_fuse_bn_has_a_successor():
    conv = model("g (float[1,1,2,2] x) => (float[1,1,2,2] z) <float[1,1,1,1] w={2}, float[1] s={3}> "
                 "{ y = Conv(x, w) z = BatchNormalization(y, s, s, s, s) }")
    with pytest.warns(DeprecationWarning, match=r"skipped_optimizers=\['fuse_bn_into_conv'\]"):
        left = simplify(conv, skip_fuse_bn=True).model.graph.node
    assert [n.op_type for n in left] == ["Conv", "BatchNormalization"]


@pytest.mark.runtime
def test_provider_pairs_are_taken():
    assert simplify(PROTO, 1, providers=[("CPUExecutionProvider", {}), "CPUExecutionProvider"]).ok
    with pytest.raises(OptionError, match="a pair of name and options"):
        simplify(PROTO, providers=[("CPUExecutionProvider", 3)])
    with pytest.raises(ValueError, match="(?s)CUDAExecutionProvider.*available are.*pip install onnxruntime-gpu"):
        simplify(PROTO, providers=[("CUDAExecutionProvider", {"device_id": 1}), "CPUExecutionProvider"])


@pytest.mark.parametrize("name", ["m.gguf", "M.SafeTensors"])
def test_an_archive_is_no_model_file(name, tmp_path):
    """Under its name a plain model would be written that nothing reads."""
    path = tmp_path / name
    with pytest.raises(OptionError, match=r"onnxsim_archives.export_\w+\(result, path\) writes an archive"):
        simplify(PROTO, output_path=path)
    assert not path.exists()
    path.write_bytes(PROTO.SerializeToString())
    with pytest.raises(ModelError, match=r"simplify\(onnxsim_archives.open_archive\(path\)\) reads it"):
        simplify(path)
    with pytest.raises(ModelError, match="open_archive"):
        simplify(str(path))
