"""Shapes of normalisations against the judge."""

from typing import Any

import numpy as np
import onnx
import pytest
from ops.judging import facts, judge

from onnxsim_core import simplify
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.normalization import batch_normalization_training
from onnxsim_testkit import assert_same_outputs, model, run

ONES = {f"c{n}": np.ones(n, np.float32) for n in (2, 3, 4)}


def ones(*shape: int, dtype: type = np.float32) -> np.ndarray:
    return np.ones(shape, dtype)


@pytest.mark.parametrize(
    ("call", "opset"),
    [
        ("InstanceNormalization(x, c4, c4)", 21),
        ("GroupNormalization<num_groups=2>(x, c4, c4)", 21),
        ("LRN<size=3>(x)", 21),
        ("MeanVarianceNormalization(x)", 21),
        ("LpNormalization<axis=1>(x)", 21),
        ("BatchNormalization(x, c4, c4, c4, c4)", 21),
        ("BatchNormalization(x, c4, c4, c4, c4)", 9),
        ("LayerNormalization<axis=1>(x, w, w)", 21),
        ("RMSNormalization<axis=1>(x, w)", 23),
    ],
)
def test_the_shape_is_kept(call: str, opset: int) -> None:
    text = f"g (float[N,4,H,3] x) => (y) {{ y = {call} }}"
    used = {name: array for name, array in ONES.items() if f"{name}," in call or f"{name})" in call}
    for n, h in ((2, 5), (1, 1)):
        if "w" in call:
            used["w"] = ones(4, h, 3)
        assert judge(text, {"x": ones(n, 4, h, 3)}, opset=opset, kernels=False, **used).shape("y") == "[N, 4, H, 3]"


def test_batch_normalization_gives_statistics_when_it_trains() -> None:
    text = "g (float[N,4,H] x) => (y) { y, m, v = BatchNormalization<training_mode=1>(x, c4, c4, c4, c4) }"
    found = judge(text, {"x": ones(2, 4, 5)}, opset=15, kernels=False, c4=ONES["c4"])
    assert (found.shape("y"), found.shape("m"), found.shape("v")) == ("[N, 4, H]", "[4]", "[4]")
    text = "g (float[N,4,H] x) => (y) { y, m, v, s, t = BatchNormalization(x, c4, c4, c4, c4) }"
    found = judge(text, {"x": ones(2, 4, 5)}, opset=9, kernels=False, c4=ONES["c4"])
    assert found.shape("s") == found.shape("t") == "[4]"


TRAINING = [(15, "y, m, v", "training_mode=1,"), (14, "y, m, v", "training_mode=1,"), (13, "y, m, v, k, l", ""),
            (9, "y, m, v, k, l", ""), (7, "y, m, v, k, l", "")]


def parameters(x: np.ndarray) -> dict[str, np.ndarray]:
    """Scale, bias, and mean and variance so far, for each channel."""
    channels = np.arange(x.shape[1])
    return {name: (channels + first).astype(x.dtype) for name, first in {"s": 1.5, "b": -2, "p": 0.25, "q": 3}.items()}


def trained(x: np.ndarray, opset: int, outputs: str, attributes: str, **others: np.ndarray) -> onnx.ModelProto:
    """A BatchNormalization that trains on x."""
    kind = "double" if x.dtype == np.float64 else "float16" if x.dtype == np.float16 else "float"
    named = ", ".join(f"{kind}[] {name}" for name in outputs.split(", ")[:3])
    text = f"g () => ({named}) {{ {outputs} = BatchNormalization<{attributes}epsilon=0.001>(x, s, b, p, q) }}"
    return model(text, opset=opset, initializers={"x": x, **parameters(x), **others})


def by_the_standard(x: np.ndarray) -> dict[str, np.ndarray]:
    """What that gives, in float64, with the momentum that the standard sets."""
    axes = (0, *range(2, x.ndim))
    wide = x.astype(np.float64)
    mean, variance = wide.mean(axes, keepdims=True), wide.var(axes, keepdims=True)
    s, b, p, q = (array.astype(np.float64).reshape(mean.shape[1:]) for array in parameters(x).values())
    return {"y": (wide - mean) / np.sqrt(variance + 0.001) * s + b,
            "m": (p * 0.9 + mean[0] * 0.1).reshape(-1), "v": (q * 0.9 + variance[0] * 0.1).reshape(-1)}


@pytest.mark.parametrize(("opset", "outputs", "attributes"), TRAINING)
@pytest.mark.parametrize("shape", [(1, 4, 18), (3, 2, 5, 7), (6, 3), (1, 2, 1)], ids=str)
@pytest.mark.parametrize(("dtype", "tolerance"), [(np.float32, 1e-6), (np.float64, 1e-7), (np.float16, 1e-3)])
def test_batch_normalization_that_trains_on_constants_is_computed(opset, outputs, attributes, shape, dtype, tolerance):
    """Within 1e-6 of the largest number for float32, and for double as near as a momentum of single precision allows."""
    x = (np.random.default_rng(0).standard_normal(shape) * 3 + 1).astype(dtype)
    before, expected = trained(x, opset, outputs, attributes), by_the_standard(x)
    after = simplify(before).model
    assert not after.graph.node
    found, actual = run(after, {}), run(before, {})
    for name, wanted in expected.items():
        atol = tolerance * max(1, np.abs(wanted).max())
        assert found[name].dtype == actual[name].dtype == dtype
        assert np.allclose(found[name], wanted, rtol=0, atol=atol)
        assert np.allclose(found[name].astype(np.float64), actual[name].astype(np.float64), rtol=0, atol=2 * atol)


def kernel_of(proto: onnx.ModelProto) -> Any:
    """What the kernel gives for the only node of a model of constants."""
    ir = read_model(proto.SerializeToString())
    node = ir.graph.first
    return batch_normalization_training(node, [value.tensor.numpy() for value in node.inputs], None)


def test_sums_that_overflow_in_the_type_are_left_to_the_runtime():
    """In float32 the squares are infinite and the result is the bias; a float64 would hold them."""
    large = np.array([[[1e20, -1e20], [1, 2]]], np.float32)
    assert kernel_of(trained(large, *TRAINING[0])) is None
    assert kernel_of(trained(large.astype(np.float64), *TRAINING[0])) is not None
    assert kernel_of(trained(np.full((1, 1, 2), 3e38, np.float32), *TRAINING[0])) is None
    for number in (np.nan, np.inf):
        assert kernel_of(trained(np.full((1, 1, 2), number, np.float32), *TRAINING[0])) is None


def test_what_the_training_kernel_leaves_to_the_runtime():
    x = np.ones((2, 4, 3), np.float32)
    assert len(kernel_of(trained(x, *TRAINING[0]))) == 3
    assert len(kernel_of(trained(x, *TRAINING[2]))) == 5
    assert kernel_of(trained(x, 15, "y", "")) is None  # it does not train
    assert kernel_of(trained(x[:0], *TRAINING[0])) is None
    assert kernel_of(trained(x, 8, "y, m, v, k, l", "spatial=0,")) is None
    assert kernel_of(trained(x, *TRAINING[0], p=np.ones(1, np.float32))) is None
    flat = model("g () => (float[] y, float[] m, float[] v) { y, m, v = BatchNormalization<training_mode=1>(x, s, s, s, s) }",
                 opset=15, initializers={"x": ones(5), "s": ones(1)})
    assert kernel_of(flat) is None


def test_a_batch_normalization_that_trains_on_an_input_stays():
    text = """g (float[2,4,3] x) => (float[2,4,3] y) {
        n, m, v = BatchNormalization<training_mode=1>(x, c4, c4, c4, c4) y = Neg(n) }"""
    before = model(text, opset=15, initializers={"c4": ONES["c4"]})
    after = simplify(before).model
    assert [node.op_type for node in after.graph.node] == ["BatchNormalization", "Neg"]
    assert len(after.graph.node[0].output) == 3 and all(after.graph.node[0].output)
    x = np.random.default_rng(0).standard_normal((2, 4, 3)).astype(np.float32)
    assert_same_outputs(before, after, {"x": x}, rtol=0, atol=0)


def test_weights_that_are_standardised_by_a_batch_normalization_are_weights():
    """As exported for timm's ScaledStdConv2d."""
    text = """g (float[1,2,8,8] x) => (float[1,4,6,6] y) <int64[3] flat = {1,4,18}, int64[4] back = {4,2,3,3},
        float[4] s = {1,2,3,4}, float[4] b = {0,0,0,0}, float[4] mu = {0,0,0,0}, float[4] q = {1,1,1,1}> {
        r = Reshape(w, flat) n, m, v = BatchNormalization<training_mode=1, epsilon=0.0001>(r, s, b, mu, q)
        k = Reshape(n, back) y = Conv(x, k) }"""
    rng = np.random.default_rng(0)
    before = model(text, opset=15, initializers={"w": rng.standard_normal((4, 2, 3, 3)).astype(np.float32)})
    after = simplify(before).model
    assert [node.op_type for node in after.graph.node] == ["Conv"]
    assert len(after.graph.initializer) == 1
    assert_same_outputs(before, after, {"x": rng.standard_normal((1, 2, 8, 8)).astype(np.float32)}, rtol=1e-5, atol=1e-5)


def test_statistics_may_have_a_wider_type() -> None:
    text = "g (float16[N,4,H] x) => (y) { y, m, v = BatchNormalization<training_mode=1>(x, s, s, c4, c4) }"
    found = facts(text, opset=15, c4=ONES["c4"], s=ones(4, dtype=np.float16))
    assert (found.values["y"].dtype, found.values["m"].dtype) == (10, 1)


@pytest.mark.parametrize(
    ("axis", "expected"),
    [
        (-1, "[N, H, 1]"),
        (2, "[N, H, 1]"),
        (1, "[N, 1, 1]"),
        (-2, "[N, 1, 1]"),
        (0, "[1, 1, 1]"),
    ],
)
def test_layer_normalization_gives_mean_and_inverse_deviation(axis: int, expected: str) -> None:
    for n, h in ((2, 5), (1, 3)):
        text = f"g (float[N,H,4] x) => (y) {{ y, m, v = LayerNormalization<axis={axis}>(x, w) }}"
        found = judge(text, {"x": ones(n, h, 4)}, kernels=False, w=ones(*(n, h, 4)[axis:]))
        assert (found.shape("y"), found.shape("m"), found.shape("v")) == ("[N, H, 4]", expected, expected)


@pytest.mark.parametrize("name", ["float16", "double"])
def test_layer_normalization_keeps_statistics_in_the_stash_type(name: str) -> None:
    dtype = np.float16 if name == "float16" else np.float64
    text = f"g ({name}[N,4] x) => (y) {{ y, m, v = LayerNormalization(x, w) }}"
    found = judge(text, {"x": ones(2, 4, dtype=dtype)}, kernels=False, w=ones(4, dtype=dtype))
    assert found.values["m"].dtype == found.values["v"].dtype == 1


def test_unknown_and_invalid() -> None:
    found = facts("g (float[] x) => (y) { y, m, v = LayerNormalization(x, c4) }", **{"c4": ONES["c4"]})
    assert (found.shape("y"), found.shape("m"), found.values["m"].dtype) == ("?", "?", 1)
    found = facts("g (float[N,4] x) => (y) { y, m, v = LayerNormalization<axis=7>(x, c4) }", **{"c4": ONES["c4"]})
    assert (found.shape("y"), found.shape("m")) == ("[N, 4]", "?")
    for op_type in ("LRN", "BatchNormalization", "LayerNormalization"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"
    found = facts("g (float[N,4] x) => (y) { y, m = BatchNormalization(x) }")
    assert (found.shape("y"), found.shape("m")) == ("[N, 4]", "?")
