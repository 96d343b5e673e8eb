"""`custom_rewriter` with the libraries people write rewriters with. Run by the rewriters session."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_core.ir import exchange
from onnxsim_testkit import assert_same_outputs, model, random_feeds

pytestmark = pytest.mark.rewriters

GRAPH = "g (float[n,3] x, float[3,4] w, float[4] b) => (float[n,4] y) { t = MatMul(x, w) u = Add(t, b) y = Relu(u) }"
UNFUSED = {"skipped_optimizers": ["fuse_matmul_add_bias_into_gemm"]}


def gemm_rules() -> Any:
    from onnxscript.rewriter import pattern

    def matmul_add(op, x, w, b):
        return op.Add(op.MatMul(x, w), b)

    def gemm(op, x, w, b):
        return op.Gemm(x, w, b)

    return pattern.RewriteRuleSet([pattern.RewriteRule(matmul_add, gemm)])


def nothing_rules() -> Any:
    from onnxscript.rewriter import pattern

    def absent(op, x):
        return op.Sinh(op.Cosh(x))

    def never(op, x):
        return op.Identity(x)

    return pattern.RewriteRuleSet([pattern.RewriteRule(absent, never)])


class Counted:
    def __init__(self, function: Any) -> None:
        self.function = function
        self.calls = 0

    def __call__(self, proto: onnx.ModelProto) -> Any:
        self.calls += 1
        return self.function(proto)


def rewriting(rules: Any) -> Counted:
    from onnxscript.rewriter import rewrite

    return Counted(lambda proto: rewrite(proto, pattern_rewrite_rules=rules))


def test_the_plain_lambda_converges():
    original = model(GRAPH, opset=18)
    rewriter = rewriting(gemm_rules())
    result = simplify(original, custom_rewriter=rewriter, **UNFUSED)

    assert [node.op_type for node in result.model.graph.node] == ["Gemm", "Relu"]
    assert rewriter.calls <= 3 and result.report.converged and not result.report.warnings
    assert_same_outputs(original, result.model, random_feeds(original), rtol=1e-6, atol=1e-6)


def test_the_plain_lambda_that_finds_nothing_is_called_once():
    rewriter = rewriting(nothing_rules())
    result = simplify(model(GRAPH, opset=18), custom_rewriter=rewriter, **UNFUSED)

    assert rewriter.calls == 1 and result.report.converged and not result.report.warnings


def test_a_pass_manager_that_says_whether_it_changed_something():
    from onnxscript import ir
    from onnxscript.rewriter import RewritePass

    passes = ir.passes.PassManager([RewritePass(gemm_rules())])

    def apply(proto):
        done = passes(ir.serde.deserialize_model(proto))
        return ir.serde.serialize_model(done.model) if done.modified else False

    rewriter = Counted(apply)
    result = simplify(model(GRAPH, opset=18), custom_rewriter=rewriter, **UNFUSED)

    assert [node.op_type for node in result.model.graph.node] == ["Gemm", "Relu"] and rewriter.calls == 2


def test_passes_of_onnx_ir():
    from onnx_ir import serde
    from onnx_ir.passes.common import CommonSubexpressionEliminationPass

    def apply(proto):
        return serde.serialize_model(CommonSubexpressionEliminationPass()(serde.deserialize_model(proto)).model)

    original = model("g (float[2] x) => (float[2] y) { a = Exp(x) b = Exp(x) y = Add(a, b) }", opset=18)
    result = simplify(original, custom_rewriter=apply, perform_optimization=False)

    assert [node.op_type for node in result.model.graph.node] == ["Exp", "Add"]
    assert_same_outputs(original, result.model, random_feeds(original), rtol=0, atol=0)


def test_weights_that_are_references(tmp_path, monkeypatch):
    """The libraries follow references; weights that come back inside are known again."""
    monkeypatch.setattr(exchange, "WHOLE", 1_000_000)
    arrays = {"w": np.arange(3 * 200_000, dtype="f").reshape(3, -1) / 1e6, "b": np.arange(200_000, dtype="f")}
    text = GRAPH.replace("3,4", "3,200000").replace("float[4]", "float[200000]").replace("n,4", "n,200000")
    text = text.replace(", float[3,200000] w, float[200000] b", "")
    path = tmp_path / "model.onnx"
    onnx.save(model(text, opset=18, initializers=arrays), path)

    result = simplify(path, custom_rewriter=rewriting(gemm_rules()), **UNFUSED)

    assert [node.op_type for node in result.model.graph.node] == ["Gemm", "Relu"]
    assert all(value.tensor.span() is not None for value in result.graph.graph.constants if value.name == "w")
    original = onnx.load(path)
    assert_same_outputs(original, result.model, random_feeds(original), rtol=1e-5, atol=1e-5)


def test_rules_written_as_script_functions():
    from onnxscript import opset18 as op
    from onnxscript import script

    @script()
    def leaky_twice(x, alpha: float):
        return op.LeakyRelu(op.LeakyRelu(x, alpha=alpha), alpha=alpha)

    @script()
    def elu(x, alpha: float):
        return op.Elu(x, alpha=alpha)

    original = model("g (float[2] x) => (float[2] y) { a = LeakyRelu<alpha=0.5>(x) y = LeakyRelu<alpha=0.5>(a) }", opset=18)
    rules = [(leaky_twice.to_function_proto(), elu.to_function_proto())]
    result = simplify(original, function_rewrite_rules=rules)

    (node,) = result.model.graph.node
    assert node.op_type == "Elu" and node.attribute[0].f == 0.5
