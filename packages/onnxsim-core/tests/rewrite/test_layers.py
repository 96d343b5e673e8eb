"""Channels of layers, and scales spread over their weights, against loops."""

import re

import numpy as np
import pytest
from inferred import Inferred
from rewriting import apply, assert_skips
from weights import drawn

from onnxsim_core.ir.tensors import ArrayTensor
from onnxsim_core.rewrite import layers
from onnxsim_core.rewrite.rule import Skip
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("inputs", "call", "opset", "wanted"),
    [
        ("float[1,3,4,4] x, float[8,3,2,2] w", "Conv(x, w)", 17, (8, 2, 4)),
        ("float[1,3,4,4] x, float[k,3,2,2] w", "Conv(x, w)", 17, None),
        ("float[1,4,4] x, float[4,3,2] w", "ConvTranspose<group=2>(x, w)", 17, (6, 1, 3)),
        ("float[2,4] x, float[4,5] w", "Gemm(x, w)", 17, (5, 0, 2)),
        ("float[2,4] x, float[5,4] w", "Gemm<transB=1>(x, w)", 17, (5, 0, 2)),
        ("float[2,3,4] x, float[4,5] w", "MatMul(x, w)", 17, (5, 0, 3)),
        ("float[] x, float[4,k] w", "MatMul(x, w)", 17, (-1, 0, -1)),
        ("float[2,4] x, float[4] w", "MatMul(x, w)", 17, None),
        ("float[2,4,5] x, float[4] w", "InstanceNormalization(x, w, w)", 17, (4, 1, 3)),
        ("float[] x, float[4] w", "InstanceNormalization(x, w, w)", 17, None),
        ("float[2,4] x", "Relu(x)", 17, None),
    ],
)
def test_output_channels(inputs, call, opset, wanted):
    found = layers.output_channels(Inferred(f"g ({inputs}) => (float[] z) {{ z = {call} }}", opset).nodes["z"])
    assert (None if found is None else (found.count, found.after, found.rank)) == wanted


@pytest.mark.parametrize(
    ("dims", "channels", "size"),
    [
        ((), (4, 2, 4), 1),
        ((1, 1), (4, 2, 4), 1),
        ((4, 1, 1), (4, 2, 4), 4),
        ((1, 4, 1, 1), (4, 2, 4), 4),
        ((4,), (4, 2, 4), None),
        ((4, 1), (4, 2, 4), None),
        ((4, 1, 1, 1), (4, 2, 4), None),
        ((1, 1, 1, 1, 1), (4, 2, 4), None),
        ((3, 1, 1), (4, 2, 4), None),
        ((4,), (4, 0, 2), 4),
        ((4, 1), (4, 0, 2), None),
        ((0,), (4, 0, 2), None),
        ((4,), (4, 0, -1), 4),
        ((1, 4), (4, 0, -1), None),
        ((4,), (-1, 0, 3), None),
        ((1,), (-1, 0, 3), 1),
    ],
)
def test_along_channels(dims, channels, size):
    value = Inferred("g (float[] x) => (float[] z) { z = Mul(x, c) }", c=drawn(*dims)).values["c"]
    found = layers.along_channels(value, layers.Channels(*channels))
    assert (None if found is None else found.shape) == (None if size is None else (size,))


def weight_of(call: str, w: np.ndarray, x: str) -> Inferred:
    return Inferred(f"g ({x} x) => (float[] z) {{ z = {call} }}", w=w)


@pytest.mark.parametrize("group", [1, 2])
def test_spread_over_convolutions(group):
    factor = np.arange(1.0, 5.0)
    conv = weight_of(f"Conv<group={group}>(x, w)", drawn(4, 6 // group, 2), "float[1,6,5]")
    spread = np.broadcast_to(layers.spread(conv.nodes["z"], factor), (4, 6 // group, 2))
    for m in range(4):
        assert (spread[m] == factor[m]).all()
    inputs = np.arange(1.0, 7.0)
    spread = np.broadcast_to(layers.spread_inputs(conv.nodes["z"], inputs), (4, 6 // group, 2))
    for m in range(4):
        for c in range(6 // group):
            assert (spread[m, c] == inputs[m // (4 // group) * (6 // group) + c]).all()


@pytest.mark.parametrize("group", [1, 2])
def test_spread_over_transposed_convolutions(group):
    layer = weight_of(f"ConvTranspose<group={group}>(x, w)", drawn(4, 3, 2), "float[1,4,5]").nodes["z"]
    factor = np.arange(1.0, 3 * group + 1)
    spread = np.broadcast_to(layers.spread(layer, factor), (4, 3, 2))
    inputs = np.broadcast_to(layers.spread_inputs(layer, np.arange(1.0, 5.0)), (4, 3, 2))
    for c in range(4):
        assert (inputs[c] == c + 1).all()
        for m in range(3):
            assert (spread[c, m] == factor[c // (4 // group) * 3 + m]).all()


@pytest.mark.parametrize(
    ("weight", "factor", "reason"),
    [
        (drawn(3, 2), np.array([2.0, 3.0]), None),
        (drawn(3, 2), np.array(1.0), None),
        (drawn(3, 2) * np.float32(1e20), np.array([1.0, 1e20]), "the scaled weight leaves the range of its type"),
        (drawn(3, 2), np.array(1e-40), "the scaled weight leaves the range of its type"),
        (drawn(3, 2), np.array([1e-40, 1.0]), None),
        (drawn(3, 2), np.array([np.inf, 1.0]), "the scaled weight leaves the range of its type"),
        (drawn(3, 2), np.array([np.nan, 1.0]), "the scaled weight leaves the range of its type"),
        (np.zeros((3, 2), np.float32), np.array(1e-40), None),
        (np.ones((3, 2), np.int32), np.array(2.0), "the weight is not of a float type"),
    ],
)
def test_multiplied(weight, factor, reason):
    kind = "int32" if weight.dtype == np.int32 else "float"
    graph = Inferred(f"g ({kind}[2,3] x) => ({kind}[] z) {{ z = MatMul(x, w) }}", w=weight)
    made = layers.multiplied(graph.op, graph.values["w"], factor)
    if reason is not None:
        assert isinstance(made, Skip) and made.reason == reason
    else:
        np.testing.assert_array_equal(made.tensor.numpy(), (weight * factor).astype(np.float32))
        assert (made is graph.values["w"]) == (factor == 1).all()


def test_multiplied_leaves_complex_weights_alone():
    graph = Inferred("g (float[2,3] x) => (float[] z) { z = MatMul(x, w) }", w=drawn(3, 2))
    graph.values["w"].tensor = ArrayTensor(np.full((3, 2), 1j, np.complex64))
    made = layers.multiplied(graph.op, graph.values["w"], np.array(2.0))
    assert isinstance(made, Skip) and made.reason == "the weight is not of a float type"


def test_multiplied_asks_whether_the_model_may_grow():
    graph = Inferred("g (float[2,3] x) => (float[] z) { z = MatMul(x, w) }", allows_growth=False, w=drawn(3, 2))
    assert (
        layers.multiplied(graph.op, graph.values["w"], np.array(2.0))
        == Skip.known["the new weight would make the model grow"]
    )


def test_a_generated_weight_that_would_leave_its_range():
    graph = Inferred(
        "g (float[2,3] x) => (float[] z) { w = ConstantOfShape<value = float[1] {1e20}>(s) z = MatMul(x, w) }",
        s=np.array([3, 2]),
    )
    graph.values["w"].tensor = ArrayTensor(np.full((3, 2), 1e20, np.float32))
    made = layers.multiplied(graph.op, graph.values["w"], np.array(1e20))
    assert isinstance(made, Skip) and made.reason == "the scaled weight leaves the range of its type"


def test_vector():
    graph = Inferred("g (float[2] x) => (float[] z) { z = Neg(x) }")
    np.testing.assert_array_equal(
        layers.vector(graph.op, np.array([0.1, 2.0]), 1, "b").tensor.numpy(), np.float32([0.1, 2.0])
    )
    for numbers in ([1e39], [np.nan], [-np.inf]):
        assert isinstance(layers.vector(graph.op, np.array(numbers), 1, "b"), Skip)
    assert isinstance(layers.vector(graph.op, np.array([1.0]), 7, "b"), Skip)


@pytest.mark.parametrize("kind", ["complex64", "complex128", "bool", "object"])
@pytest.mark.parametrize(
    ("rule", "body"),
    [
        ("fuse_consecutive_mul", "matrix: y = Div(x, c) z = Div(y, f)"),
        ("fuse_consecutive_mul", "matrix: y = Mul(x, f) z = Mul(y, c)"),
        ("fuse_consecutive_add", "matrix: y = Add(x, c) z = Add(y, c)"),
        ("fuse_consecutive_add", "matrix: y = Add(x, f) z = Add(y, c)"),
        ("fuse_consecutive_matmul", "matrix: y = MatMul(x, w) z = MatMul(y, c2)"),
        ("fuse_mul_into_matmul", "matrix: y = MatMul(x, w) z = Mul(y, c)"),
        ("fuse_mul_into_matmul", "matrix: y = MatMul(x, w) s = Add(y, f) z = Mul(s, c)"),
        ("fuse_mul_into_matmul", "matrix: y = MatMul(x, w) s = Add(y, c) z = Mul(s, f)"),
        ("fuse_affine_into_gemm", "matrix: y = Gemm(x, w) z = Mul(y, c)"),
        ("fuse_affine_into_gemm", "matrix: y = Gemm(x, w, c) z = Sub(y, f)"),
        ("fuse_bn_into_gemm", "matrix: y = Gemm(x, w) z = BatchNormalization(y, f, f, c, f)"),
        ("fuse_mul_into_conv", "picture: y = Conv(x, k) z = Mul(y, c1)"),
        ("fuse_mul_into_conv", "picture: y = Conv(x, k, c) z = Mul(y, f1)"),
        ("fuse_add_bias_into_conv", "picture: y = Conv(x, k) z = Add(y, c1)"),
        ("fuse_preceding_mul_into_conv", "picture: y = Mul(x, c1) z = Conv(y, k)"),
        ("fuse_bn_into_conv", "picture: y = Conv(x, k) z = BatchNormalization(y, c, f, f, f)"),
        ("fuse_affine_into_norm", "picture: y = InstanceNormalization(x, f, c) z = Mul(y, f1)"),
        ("fuse_affine_into_norm", "matrix: y = LayerNormalization(x, f) z = Mul(y, c)"),
        ("fuse_affine_into_norm", "matrix: y = LayerNormalization(x, f, c) z = Add(y, f)"),
        ("fuse_group_norm", "picture: a = Reshape(x, p) b = InstanceNormalization(a, f, c) z = Reshape(b, q)"),
    ],
)
def test_rules_skip_constants_without_real_numbers(rule, body, kind):
    """No operator there takes them, but a file may hold them: as float64 they lose their imaginary part, or are none."""
    shape, body = body.split(": ")
    text = f"g ({READS[shape]}) => (float[] z) {{ {body} }}"
    unreal = np.array(["1", "two", "3"], object) if kind == "object" else np.array([1, 2 + 1j, 3]).astype(kind)
    assert_skips(rule, text, "a constant has no real numbers", opset=21, initializers=read_by(body, unreal))
    real = model(text, opset=21, initializers=read_by(body, drawn(3, seed=1, low=1, high=2)))
    assert apply(rule, real)[1].changes == 1


READS = {"matrix": "float[3,3] x", "picture": "float[1,3,4,4] x"}


def read_by(body: str, c: np.ndarray) -> dict[str, np.ndarray]:
    f = drawn(3, low=1, high=2)
    held = {
        "c": c, "c1": c.reshape(3, 1, 1), "c2": c.reshape(3, 1), "f": f, "f1": f.reshape(3, 1, 1),
        "w": drawn(3, 3), "k": drawn(3, 3, 1, 1), "p": np.array([1, 3, -1]), "q": np.array([1, 3, 4, 4]),
    }  # fmt: skip
    return {name: array for name, array in held.items() if re.search(rf"\b{name}\b", body)}
