"""Choosing passes, presets and nodes on the command line."""

import numpy as np
import onnx
import pytest
from cli.running import assert_one_line, onnxsim, ops_of

from onnxsim_testkit import model


# --- passes by name, presets, kept nodes ------------------------------------------------------------------------------
@pytest.fixture
def named(tmp_path):
    """Three nodes with names, of which one is left by default."""
    proto = model("g (float[n,3] x) => (float[n,3] z) { a = Identity(x) b = Relu(a) z = Relu(b) }")
    for node in proto.graph.node:
        node.name = f"make_{node.output[0]}"
    onnx.save(proto, tmp_path / "named.onnx")
    return tmp_path / "named.onnx"


def simplified(source, *words):
    target = source.parent / "o.onnx"
    ran = onnxsim(source, target, *words)
    return ran, ops_of(target) if ran.code == 0 else []


@pytest.mark.parametrize(
    ("words", "ops"),
    [
        ([], ["Relu"]),
        (["--skip-optimization"], ["Identity", "Relu", "Relu"]),
        (["--skip-optimization", "eliminate_identity"], ["Identity", "Relu"]),
        (["--skip-optimization", "fuse_matmul_add_bias_into_gemm_batched", "quarot", "nop"], ["Relu"]),
        (["--keep-nodes", "make_a"], ["Identity", "Relu"]),
        (["--keep-nodes", "make_[ab]"], ["Identity", "Relu", "Relu"]),
        (["--preset", "quantize"], ["Relu"]),
    ],
)
def test_passes_are_chosen_by_name(named, words, ops):
    ran, left = simplified(named, *words)

    assert (ran.code, ran.err, left) == (0, "", ops)


@pytest.mark.parametrize(
    ("words", "parts"),
    [
        (
            ["--skip-optimization", "eliminate_identty"],
            ["no pass called 'eliminate_identty'", "did you mean eliminate_identity"],
        ),
        (["--enable-optimization", "quarot"], ["not part of this installation", "onnxsim-qat"]),
        (["--keep-nodes", "make_q"], ["no node is called 'make_q'", "did you mean"]),
        (["--preset", "onnxruntime"], ["no preset called 'onnxruntime'"]),
        (["--preset", "npu"], ["preset npu demands static shapes", "x [n,3]", "--overwrite-input-shape"]),
    ],
)
def test_what_cannot_be_chosen_is_a_usage_error(named, words, parts):
    ran, _ = simplified(named, *words)

    assert_one_line(ran, 2, *parts)


def test_asking_for_what_does_nothing_is_a_warning(named):
    ran, left = simplified(named, "--enable-optimization", "nop")

    assert left == ["Relu"] and ran.err.startswith("onnxsim: warning: pass nop was asked for and does nothing")


def test_a_pass_that_changed_an_output_is_left_out_and_named(named):
    from rewriting import withdraw

    from onnxsim_core.passes import catalog
    from onnxsim_core.rewrite.rule import rewrites

    catalog.load()
    catalog.declare("faulty_relu", "wrong on purpose")
    rewrites("faulty_relu", root="Relu")(lambda node, op: op.Abs(op.Neg(op.Tanh(node.input(0)))))
    try:
        ran, left = simplified(named, 1)
        failed, _ = simplified(named, 1, "--strict")
        found = onnxsim(named, named.parent / "o.onnx", 1, "--json").json()
    finally:
        withdraw("faulty_relu")

    assert left == ["Relu"] and ran.err.startswith("onnxsim: warning: pass faulty_relu changed output 'z' by ")
    assert_one_line(failed, 3, "pass faulty_relu changed output 'z'")
    assert found["ok"] and list(found["left_out"]) == ["faulty_relu"]


def test_a_size_can_be_named_on_the_command_line(named):
    simplified(named, "--overwrite-input-shape", "x:batch,3")

    kind = onnx.load(named.parent / "o.onnx").graph.input[0].type.tensor_type
    assert kind.shape.dim[0].dim_param == "batch"


def test_weights_stay_tunable(tmp_path):
    proto = model(
        "g (float[3] x) => (float[3] z) { e = Exp(w) z = Add(x, e) }", initializers={"w": np.ones(3, np.float32)}
    )
    onnx.save(proto, tmp_path / "a.onnx")

    assert simplified(tmp_path / "a.onnx")[1] == ["Add"]
    assert simplified(tmp_path / "a.onnx", "--initializers-as-non-constants")[1] == ["Exp", "Add"]


def test_bodies_are_left_alone(tmp_path):
    proto = model("""g (float[3] x, bool c) => (float[3] z) {
        z = If(c) <then_branch = t () => (float[3] a) { i = Identity(x) a = Neg(i) },
                   else_branch = e () => (float[3] b) { b = Abs(x) }> }""")
    onnx.save(proto, tmp_path / "a.onnx")

    def inner(*words):
        simplified(tmp_path / "a.onnx", *words)
        return [len(a.g.node) for a in onnx.load(tmp_path / "o.onnx").graph.node[0].attribute]

    assert inner("--include-subgraph") == inner() == [1, 1] and inner("--no-include-subgraph") == [2, 1]
