"""Models with operators that ONNX does not have, through the whole of `simplify`."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import pytest

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs, random_feeds


def parsed(graph: str, *domains: str, opset: int = 18) -> onnx.ModelProto:
    imports = "".join(f', "{domain}" : 1' for domain in domains)
    return onnx.parser.parse_model(f'<ir_version: 8, opset_import: ["" : {opset}{imports}]> g {graph}')


def ops(result: Any) -> list[str]:
    return [node.op_type for node in result.model.graph.node]


def declared(result: Any) -> dict[str, list[Any]]:
    return {info.name: [dim.dim_param or dim.dim_value for dim in info.type.tensor_type.shape.dim]
            for info in result.model.graph.value_info}


MESS = "i = Identity({0}) t = Transpose<perm=[0,2,1]>(i) u = Transpose<perm=[0,2,1]>(t)"


@pytest.mark.runtime
@pytest.mark.parametrize(("graph", "middle"), [
    ("(float[n,4,8] x, float[8] b) => (float[n,4,8] y) {{ {} v = M.BiasGelu(u, b) y = Neg(v) }}", "BiasGelu"),
    ("(float[n,4,8] x, float[8] s) => (float[n,4,8] y) {{ {} v = M.SkipSimplifiedLayerNormalization(u, u, s) y = Neg(v) }}",
     "SkipSimplifiedLayerNormalization"),
    ("(float[n,4,8] x) => (float[n,4,8] y) {{ {} v = M.QuickGelu<alpha=1.5>(u) y = Neg(v) }}", "QuickGelu"),
    ("(float[n,4,8] x, float[2,8,4] w) => (float[2,4,4] y) {{ {} v = M.FusedMatMul<alpha=0.5>(u, w) y = Neg(v) }}",
     "FusedMatMul"),
])
def test_operators_of_onnxruntime(graph, middle):
    """The rest is simplified around them, and what they compute is what they computed."""
    original = parsed(graph.format(MESS.format("x")).replace("M.", "com.microsoft."), "com.microsoft")
    result = simplify(original)

    assert ops(result) == [middle, "Neg"]
    assert_same_outputs(original, result.model, random_feeds(original, dims={"n": 2}), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("graph", "domain", "shape"), [
    ("(float[n,3,H,W] x, float[n,18,4,5] o, float[8,3,3,3] w) => (int64[4] y, float z) { t = D.MMCVDeformConv2d(x, o, w)",
     "mmdeploy", ["n", 8, 4, 5]),
    ("(float[1,5,n] x, float[1,5] s) => (int64[3] y, float z) { t, l = D.TRTBatchedNMS<keep_topk=7>(x, s)", "mmcv",
     [1, 7, 5]),
    ("(float[n,4] x, float[1] s) => (int64[2] y, float z) { t = D.Quant<signed=1, narrow=0>(x, s, s, s)",
     "qonnx.custom_op.general", ["n", 4]),
    ("(float[n,4,8] x, float[8] b) => (int64[3] y, float z) { t = D.BiasGelu(x, b)", "com.microsoft", ["n", 4, 8]),
])
def test_sizes_flow_through_what_is_known(graph, domain, shape):
    """A static shape behind the operator is a constant."""
    result = simplify(parsed(graph.replace("D.", f"{domain}.") + " y = Shape(t) z = Own(t) }", domain))

    assert declared(result)["t"] == shape
    if all(isinstance(size, int) for size in shape):
        assert "Shape" not in ops(result)
        assert onnx.numpy_helper.to_array(result.model.graph.initializer[0]).tolist() == shape


@pytest.mark.parametrize(("graph", "domain"), [
    ("(float[2] x) => (float[2] y) { c = Constant<value_floats=[1.0,2.0]>() t = D.Quant<signed=1>(c, c, c, c) y = Add(x, t) }",
     "qonnx.custom_op.general"),
    ("(float[2] x) => (float[2] y) { c = Constant<value_floats=[1.0,2.0]>() t = D.QuickGelu(c) y = Add(x, t) }",
     "com.microsoft"),
    ("(float[2] x) => (float[2] y) { c = Constant<value_floats=[1.0,2.0]>() t = D.Relu(c) u = D.Relu(c) v = Add(t, u) "
     "y = Add(x, v) }", "my.own"),
    ("(float[2] x) => (float[2] y) { c = Constant<value_floats=[1.0,2.0]>() t = NoSuchOperator(c) y = Add(x, t) }", ""),
])
def test_they_are_neither_computed_nor_merged(graph, domain):
    original = parsed(graph.replace("D.", f"{domain}."), *([domain] if domain else []))
    assert ops(simplify(original)) == [node.op_type for node in original.graph.node if node.op_type != "Constant"]


@pytest.mark.parametrize("name", ["Own", "my.own.Own"])
def test_types_and_sizes_that_the_file_states_are_kept(name):
    """Through renaming, in bodies, and when what made the value moved."""
    graph = f"""(float[batch,8] x, bool c) => (float[batch,8] y, float[q,7] z) <float[batch,5] t, int64[batch] l, float[k,7] w>
        {{ i = Identity(x) t, l = {name}(i) u = Identity(t) v = {name}(u, l) y = Add(v, x) w = {name}(v) z = Identity(w) }}"""
    result = simplify(parsed(graph.replace(", bool c", ""), "my.own"))

    assert declared(result)["t"] == ["batch", 5] and declared(result)["l"] == ["batch"]
    kinds = {info.name: info.type.tensor_type.elem_type for info in result.model.graph.value_info}
    assert (kinds["t"], kinds["l"]) == (1, 7)
    assert [output.type.tensor_type.shape.dim[0].dim_param for output in result.model.graph.output] == ["batch", "q"]


def test_what_a_file_states_is_used_where_nothing_better_is_known():
    """Sizes behind an unknown operator fold when the file states them."""
    result = simplify(parsed("""(float[2,8] x) => (float[20] y) <float[4,5] t> { t = my.own.Own(x) s = Shape(t)
        p = ReduceProd<keepdims=1>(s) y = Reshape(t, p) }""", "my.own"))

    assert ops(result) == ["Own", "Reshape"]


def test_attributes_of_any_kind_pass():
    original = parsed("""(float[2] x) => (float[2] y) { y = my.own.Own<a=1, b=2.5, c="text", d=[1,2], e=[0.5], f=["p","q"],
        g=float[2] {1,2}, h = inner () => (float[2] r) { [n] r = Neg(x) }>(x) }""", "my.own")
    original.graph.node[0].attribute.append(onnx.helper.make_attribute("t", [onnx.helper.make_tensor("k", 1, [1], [3.0])]))
    result = simplify(original)

    assert {a.name: a for a in result.model.graph.node[0].attribute} == {a.name: a for a in original.graph.node[0].attribute}


@pytest.mark.parametrize("target", [13, 21])
def test_they_survive_another_operator_set(target):
    original = parsed("""(float[2,1,8] x) => (float[2,8] y) { a = Squeeze<axes=[1]>(x) b = my.own.Squeeze<axes=[1]>(a)
        c = EfficientNMS_TRT<axes=[0]>(b) y = Neg(c) }""", "my.own", opset=11)
    result = simplify(original, target_opset_version=target)

    assert ops(result) == ["Squeeze", "Squeeze", "EfficientNMS_TRT", "Neg"]
    assert [len(node.input) for node in result.model.graph.node] == [2, 1, 1, 1]
    assert {entry.domain: entry.version for entry in result.model.opset_import} == {"": target, "my.own": 1}


def test_weights_beside_them_stay_bound():
    """A Conv and its BatchNorm fuse although a custom operator stands between other nodes."""
    rng = np.random.default_rng(0)
    arrays = {"w": rng.standard_normal((2, 3, 1, 1)), "s": np.ones(2), "b": np.ones(2), "m": np.zeros(2), "v": np.ones(2)}
    text = """(float[1,3,4,4] x, float[2,3,1,1] w, float[2] s, float[2] b, float[2] m, float[2] v) => (float[1,2,4,4] y)
        { p = my.own.Own(x) c = Conv(p, w) n = BatchNormalization(c, s, b, m, v) y = my.own.Own(n) }"""
    model = parsed(text, "my.own")
    for name, array in arrays.items():
        model.graph.initializer.append(onnx.numpy_helper.from_array(array.astype(np.float32), name))

    assert ops(simplify(model)) == ["Own", "Conv", "Own"]
