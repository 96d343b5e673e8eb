"""float16_to_float32: the interface stays, everything inside is float32."""

import numpy as np
import onnx
import pytest

from onnxsim_core import UnsupportedModelError, simplify
from onnxsim_testkit import assert_same_outputs, model, run

RNG = np.random.default_rng(0)


def half(*shape):
    return RNG.standard_normal(shape).astype(np.float16)


def widened(proto, **options):
    result = simplify(proto, extra_optimizers=["float16_to_float32"], **options).model
    onnx.checker.check_model(result, full_check=True)
    return result


def types_of(graph):
    return {info.name: info.type.tensor_type.elem_type for info in (*graph.input, *graph.output, *graph.value_info)}


def test_a_layer_computes_in_float32():
    proto = model("g (float16[n,8] x) => (float16[n,4] z) { y = MatMul(x, w) a = Add(y, b) z = Relu(a) }",
                  initializers={"w": half(8, 4), "b": half(4)})
    result = widened(proto)

    assert [node.op_type for node in result.graph.node] == ["Cast", "Gemm", "Relu", "Cast"]
    assert {tensor.data_type for tensor in result.graph.initializer} == {onnx.TensorProto.FLOAT}
    assert types_of(result.graph)["x"] == types_of(result.graph)["z"] == onnx.TensorProto.FLOAT16
    x = half(3, 8)
    expected = np.maximum(x.astype(np.float64) @ onnx.numpy_helper.to_array(proto.graph.initializer[0]).astype(np.float64)
                          + onnx.numpy_helper.to_array(proto.graph.initializer[1]).astype(np.float64), 0)
    # One rounding to float16 at the end: half a unit in the last place, 2**-11.
    np.testing.assert_allclose(run(result, {"x": x})["z"].astype(np.float64), expected, rtol=2.0**-10, atol=1e-6)


def test_casts_and_generators_make_float32_inside():
    proto = model("""g (float[2] x, int64[1] s) => (float16[k] z, float[2] w) {
        h = Cast<to=10>(x) c = ConstantOfShape<value = float16[1] {15872}>(s) z = Add(h, c) w = Cast<to=1>(h) }""")
    result = widened(proto)
    inside = {name: kind for name, kind in types_of(result.graph).items() if name not in ("x", "s", "z")}

    assert set(inside.values()) <= {onnx.TensorProto.FLOAT}
    feeds = {"x": np.array([1, 2], np.float32), "s": np.array([2])}
    assert_same_outputs(proto, result, feeds, rtol=0, atol=0)


def test_bodies_are_widened_with_what_they_state():
    proto = model("""g (float16[3] x, bool c) => (float16[3] z) <float16[3] w = {0, 0, 0}> {
        y = Add(x, w)
        z = If(c) <then_branch = t () => (float16[3] a) { n = Neg(y) a = Mul(n, n) },
                   else_branch = e () => (float16[3] b) { b = Exp(y) }> }""")
    result = widened(proto)
    branches = [attribute.g for node in result.graph.node if node.op_type == "If" for attribute in node.attribute]

    assert {g.output[0].type.tensor_type.elem_type for g in branches} == {onnx.TensorProto.FLOAT}
    for choice in (True, False):
        feeds = {"x": np.array([1, -2, 0.5], np.float16), "c": np.array(choice)}
        assert_same_outputs(proto, result, feeds, rtol=2.0**-9, atol=0)


def test_outputs_that_are_inputs_or_constants_keep_type_and_name():
    proto = model("g (float16[2] x) => (float16[2] x, float16[2] k) { }", initializers={"k": np.float16([1, 2])})
    graph = widened(proto).graph

    assert [(v.name, v.type.tensor_type.elem_type) for v in graph.output] == [("x", 10), ("k", 10)]


def test_a_large_weight_is_widened_when_it_is_written(tmp_path):
    proto = model("g (float16[1,512] x) => (float16[1,256] z) { z = MatMul(x, w) }", initializers={"w": half(512, 256)})
    onnx.save(proto, tmp_path / "m.onnx")
    simplify(tmp_path / "m.onnx", extra_optimizers=["float16_to_float32"], output_path=tmp_path / "o.onnx")
    written = onnx.load(tmp_path / "o.onnx").graph.initializer

    np.testing.assert_array_equal(onnx.numpy_helper.to_array(written[0]),
                                  onnx.numpy_helper.to_array(proto.graph.initializer[0]).astype(np.float32))


def test_a_model_without_halves_stays_as_it_is():
    proto = model("g (float[2] x) => (float[2] z) { z = Relu(x) }")
    result = simplify(proto, extra_optimizers=["float16_to_float32"])

    assert "float16_to_float32" not in result.report.fired and [n.op_type for n in result.model.graph.node] == ["Relu"]


def test_operators_of_other_domains_are_refused_all_at_once():
    proto = model("g (float16[2] x) => (float16[2] z) { a = my.Op(x) z = my.Other(a) }", domains={"my": 1})
    with pytest.raises(UnsupportedModelError, match=r"my\.Op.*my\.Other") as caught:
        widened(proto)
    assert len(caught.value.gaps) == 2


def test_comparing_it_works():
    proto = model("g (float16[n,8] x) => (float16[n,4] z) { z = MatMul(x, w) }", initializers={"w": half(8, 4)})

    assert simplify(proto, 2, extra_optimizers=["float16_to_float32"]).ok
