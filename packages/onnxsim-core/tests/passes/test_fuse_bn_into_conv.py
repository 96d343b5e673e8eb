"""fuse_bn_into_conv: folded weights against numpy in float64, results against the runtime."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_bn_into_conv import convolution_with_batchnorm
from onnxsim_testkit import model

BOUND = {"rtol": 1e-5, "atol": 2e-6}
PLAIN = "g (float[2,3,5] x) => (float[2,4,3] z) { y = Conv(x, w) z = BatchNormalization(y, s, t, m, v) }"


def statistics(channels: int, variance: float = 0.5) -> dict[str, np.ndarray]:
    return {
        "s": drawn(channels, seed=1),
        "t": drawn(channels, seed=2),
        "m": drawn(channels, seed=3),
        "v": drawn(channels, seed=4, low=variance, high=3 * variance),
    }


def affine(stats: dict[str, np.ndarray], epsilon: float = 1e-5) -> tuple[np.ndarray, np.ndarray]:
    s, t, m, v = (stats[name].astype(np.float64) for name in "stmv")
    scale = s / np.sqrt(v + float(np.float32(epsilon)))
    return scale, t - m * scale


def fires(text: str, *, opset: int = 15, rtol: float = 1e-5, atol: float = 2e-6, initializers=None, **arrays):
    original = model(given(text, **{**statistics(4), **arrays}), opset=opset, initializers=initializers)
    original.ir_version = max(original.ir_version, 4)
    result, driver = apply(convolution_with_batchnorm, original)
    assert driver.changes == 1
    assert_same_model(original, result, rtol=rtol, atol=atol)
    return result


def skips(reason: str, text: str = PLAIN, *, opset: int = 15, initializers=None, without: str = "", **arrays):
    held = {"w": drawn(4, 3, 3), **statistics(4), **arrays}
    held = {name: array for name, array in held.items() if name not in without}
    assert_skips(convolution_with_batchnorm, given(text, **held), reason, opset=opset, initializers=initializers)


def test_conv_without_bias():
    w, stats = drawn(4, 3, 2, 2), statistics(4)
    scale, shift = affine(stats)
    assert_rewrites(
        convolution_with_batchnorm,
        given(
            """g (float[n,3,6,5] x) => (float[n,4,5,4] z) {
            y = Conv(x, w) z = BatchNormalization(y, s, t, m, v) }""",
            w=w,
            **stats,
        ),
        given(
            "g (float[n,3,6,5] x) => (float[n,4,5,4] z) { z = Conv(x, w, b) }",
            w=(w * scale.reshape(-1, 1, 1, 1)).astype(np.float32),
            b=shift.astype(np.float32),
        ),
        **BOUND,
    )


def test_grouped_conv_with_bias_and_attributes():
    w, b, stats = drawn(6, 2, 3), drawn(6, seed=7), statistics(6)
    scale, shift = affine(stats, 0.25)
    assert_rewrites(
        convolution_with_batchnorm,
        given(
            """g (float[2,6,9] x) => (float[2,6,5] z) {
            y = Conv<group=3, strides=[2], pads=[1,1]>(x, w, b)
            z = BatchNormalization<epsilon=0.25>(y, s, t, m, v) }""",
            w=w,
            b=b,
            **stats,
        ),
        given(
            "g (float[2,6,9] x) => (float[2,6,5] z) { z = Conv<group=3, strides=[2], pads=[1,1]>(x, w, b) }",
            w=(w * scale.reshape(-1, 1, 1)).astype(np.float32),
            b=(b * scale + shift).astype(np.float32),
        ),
        **BOUND,
    )


def test_grouped_conv_transpose():
    w, stats = drawn(4, 3, 2, 2), statistics(6)
    scale, shift = affine(stats)
    wanted = w.astype(np.float64).copy()
    for i in range(4):
        for j in range(3):
            wanted[i, j] *= scale[(i // 2) * 3 + j]
    assert_rewrites(
        convolution_with_batchnorm,
        given(
            """g (float[2,4,3,3] x) => (float[2,6,6,6] z) {
            y = ConvTranspose<group=2, strides=[2,2]>(x, w) z = BatchNormalization(y, s, t, m, v) }""",
            w=w,
            **stats,
        ),
        given(
            "g (float[2,4,3,3] x) => (float[2,6,6,6] z) { z = ConvTranspose<group=2, strides=[2,2]>(x, w, b) }",
            w=wanted.astype(np.float32),
            b=shift.astype(np.float32),
        ),
        **BOUND,
    )


@pytest.mark.parametrize("opset", [7, 8, 9, 13, 14, 15, 22])
def test_every_version(opset):
    fires(PLAIN, opset=opset, w=drawn(4, 3, 3))


def test_tiny_variance():
    """A channel that hardly varied while training: 1 / sqrt(var + eps) is 316."""
    fires(PLAIN, w=drawn(4, 3, 3), **statistics(4, variance=1e-9), rtol=1e-4, atol=1e-5)


def test_dead_channels_do_not_stop_the_layer():
    """Weight decay drives the scale of unused channels to denormal numbers."""
    # Apart from the text: not every parser reads a denormal number.
    fires(PLAIN, w=drawn(4, 3, 3), initializers={"s": np.array([1, 1e-41, 0.5, 0], np.float32)})


def test_float16_keeps_its_type():
    stats = {name: array.astype(np.float16) for name, array in statistics(4).items()}
    result = fires(PLAIN.replace("float", "float16"), w=drawn(4, 3, 3, dtype="float16"), **stats, rtol=4e-3, atol=4e-3)
    assert {t.data_type for t in result.graph.initializer} == {10}


def test_a_shared_weight_is_not_changed_for_its_other_reader():
    result = fires(
        """g (float[2,3,5] x) => (float[2,4,3] z, float[2,4,3] u) {
        y = Conv(x, w) u = Conv(x, w, t) z = BatchNormalization(y, s, t, m, v) }""",
        w=drawn(4, 3, 3),
    )
    assert len([t for t in result.graph.initializer if len(t.dims) == 3]) == 2


def test_a_large_weight_is_computed_when_written():
    fires(
        """g (float[1,512,4,4] x) => (float[1,64,2,2] z) {
        y = Conv(x, w) z = BatchNormalization(y, s, t, m, v) }""",
        initializers={"w": drawn(64, 512, 3, 3)},
        **statistics(64),
        atol=1e-5,
    )


def test_skips_other_producers():
    skips(
        "no operand is made by such a layer",
        "g (float[2,4,3] x) => (float[2,4,3] z) { y = Relu(x) z = BatchNormalization(y, s, t, m, v) }",
    )


def test_skips_a_conv_with_other_readers():
    skips(
        "the layer's result has other readers",
        """g (float[2,3,5] x) => (float[2,4,3] z, float[2,4,3] u) {
        y = Conv(x, w) u = Relu(y) z = BatchNormalization(y, s, t, m, v) }""",
    )


def test_skips_a_conv_outside_the_body():
    skips(
        "the layer stands outside this body",
        """g (bool c, float[2,3,5] x, float[2,4,3] e) => (float[2,4,3] z) {
        y = Conv(x, w)
        z = If(c) <then_branch = a () => (float[2,4,3] p) { p = BatchNormalization(y, s, t, m, v) },
                   else_branch = b () => (float[2,4,3] q) { q = Neg(e) }> }""",
    )


def test_skips_training_mode():
    skips(
        "it is in training mode",
        """g (float[2,3,5] x) => (float[2,4,3] z) {
        y = Conv(x, w) z, mm, vv = BatchNormalization<training_mode=1>(y, s, t, m, v) }""",
    )


def test_skips_the_five_outputs_of_old_training():
    skips(
        "it is in training mode",
        """g (float[2,3,5] x) => (float[2,4,3] z) {
        y = Conv(x, w) z, a, b, c, d = BatchNormalization(y, s, t, m, v) }""",
        opset=9,
    )


def test_skips_old_versions_that_train_by_default():
    skips("it is in training mode", opset=6)


def test_skips_statistics_per_element():
    skips(
        "its statistics are per element",
        """g (float[2,3,5] x) => (float[2,4,3] z) {
        y = Conv(x, w) z = BatchNormalization<spatial=0>(y, s, t, m, v) }""",
        opset=8,
    )


def test_skips_statistics_that_are_inputs():
    skips(
        "its statistics are not constants",
        """g (float[2,3,5] x, float[4] m) => (float[2,4,3] z) {
        y = Conv(x, w) z = BatchNormalization(y, s, t, m, v) }""",
        without="m",
    )


def test_skips_statistics_of_different_lengths():
    skips("its statistics are not vectors of one length", m=drawn(1))


def test_skips_a_missing_input():
    skips(
        "it has not five inputs",
        """g (float[2,3,5] x) => (float[2,4,3] z) {
        y = Conv(x, w) z = BatchNormalization(y, s, t, m) }""",
    )


def test_skips_a_negative_variance():
    skips("its scale or shift is not finite", v=np.array([1, -1, 1, 1], np.float32))


def test_skips_another_number_of_channels():
    skips("the layer does not have as many output channels", w=drawn(5, 3, 3))


def test_skips_a_weight_that_is_an_input():
    skips(
        "the weight is not a constant",
        """g (float[2,3,5] x, float[4,3,3] w) => (float[2,4,3] z) {
        y = Conv(x, w) z = BatchNormalization(y, s, t, m, v) }""",
        without="w",
    )


def test_skips_a_bias_that_is_an_input():
    skips(
        "the bias is not a constant",
        """g (float[2,3,5] x, float[4] b) => (float[2,4,3] z) {
        y = Conv(x, w, b) z = BatchNormalization(y, s, t, m, v) }""",
    )


def test_skips_a_scale_that_overflows_the_weight():
    skips(
        "the scaled weight leaves the range of its type",
        w=drawn(4, 3, 3) * np.float32(1e20),
        s=np.array([1, 1e30, 1, 1], np.float32),
    )


def test_skips_a_bias_that_overflows():
    skips("the new bias leaves the range of its type", m=np.full(4, 3e38, np.float32), s=np.full(4, 100, np.float32))


def test_skips_a_large_weight_that_lives_on():
    """2.25 MiB more in the file for one node less is no gain."""
    skips(
        "the new weight would make the model grow",
        """
        g (float[1,1024,4,4] x) => (float[1,64,2,2] z, float[1,64,2,2] u) {
        y = Conv(x, w) u = Conv(x, w, t) z = BatchNormalization(y, s, t, m, v) }""",
        without="w",
        **statistics(64),
        initializers={"w": drawn(64, 1024, 3, 3)},
    )


def test_a_generated_weight_stays_generated():
    """A weight of one number times a scale of one number is a ConstantOfShape again: the file does not grow."""
    same = {name: np.full(64, number, np.float32) for name, number in {"s": 2, "t": 0.5, "m": -1, "v": 3}.items()}
    text = """g (float[1,1024,4,4] x) => (float[1,64,2,2] z) { w = ConstantOfShape<value = float[1] {0.01}>(shape)
        y = Conv(x, w) z = BatchNormalization(y, s, t, m, v) }"""
    original = model(given(text, shape=np.array([64, 1024, 3, 3], np.int64), **same), opset=15)
    result, driver = apply(convolution_with_batchnorm, original, fold=True)
    assert driver.fired["fuse_bn_into_conv"] == 1
    assert [node.op_type for node in result.graph.node] == ["ConstantOfShape", "Conv"]
    assert_same_model(original, result, rtol=1e-5, atol=1e-5)
