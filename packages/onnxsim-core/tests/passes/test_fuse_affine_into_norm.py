"""fuse_affine_into_norm: scales and shifts of batch, instance, group, layer and RMS normalizations."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_affine_into_norm import affine_channels, affine_last_axes, consecutive_batchnorms

BOUND = {"rtol": 1e-5, "atol": 2e-6}
S, T, M = drawn(4, seed=1), drawn(4, seed=2), drawn(4, seed=3)
V = drawn(4, seed=4, low=0.5, high=2)
C = drawn(4, seed=5)
HEAD = "g (float[2,4,5] x) => (float[2,4,5] z)"
LAST = "g (float[b,3,4] x) => (float[b,3,4] z)"


def test_batchnorm_with_tail():
    assert_rewrites(
        affine_channels,
        given(
            HEAD + "{ y = BatchNormalization(x, s, t, m, v) a = Mul(y, c) z = Sub(a, h) }",
            s=S,
            t=T,
            m=M,
            v=V,
            c=C.reshape(4, 1),
            h=np.float32(0.5),
        ),
        given(HEAD + "{ z = BatchNormalization(x, s, t, m, v) }", s=S * C, t=T * C - np.float32(0.5), m=M, v=V),
        **BOUND,
    )


def test_instance_norm_with_tail():
    assert_rewrites(
        affine_channels,
        given(
            HEAD + "{ y = InstanceNormalization<epsilon=0.01>(x, s, t) a = Div(y, c) z = Add(m, a) }",
            s=S,
            t=T,
            m=M.reshape(1, 4, 1),
            c=C.reshape(4, 1),
        ),
        given(HEAD + "{ z = InstanceNormalization<epsilon=0.01>(x, s, t) }", s=S / C, t=T / C + M),
        **BOUND,
    )


def test_group_norm_with_tail():
    head = "g (float[2,4,6] x) => (float[2,4,6] z)"
    assert_rewrites(
        affine_channels,
        given(head + "{ y = GroupNormalization<num_groups=2>(x, s, t) z = Mul(c, y) }", s=S, t=T, c=C.reshape(4, 1)),
        given(head + "{ z = GroupNormalization<num_groups=2>(x, s, t) }", s=S * C, t=T * C),
        opset=21,
        **BOUND,
    )


@pytest.mark.parametrize("dims", [(5,), (4,), (4, 1, 1, 1)])
def test_skips_what_runs_along_other_axes(dims):
    head = "g (float[2,4,4] x) => (float[] z)" if dims == (4,) else "g (float[2,4,5] x) => (float[] z)"
    text = head + "{ y = BatchNormalization(x, s, t, m, v) z = Mul(y, c) }"
    assert_skips(
        affine_channels,
        given(text, s=S, t=T, m=M, v=V, c=drawn(*dims)),
        "the constant does not run along the output channels",
    )


def test_skips_training_mode():
    text = HEAD + "{ y, a, b = BatchNormalization<training_mode=1>(x, s, t, m, v) z = Mul(y, c) }"
    assert_skips(affine_channels, given(text, s=S, t=T, m=M, v=V, c=C.reshape(4, 1)), "it is in training mode")


def test_skips_a_scale_per_group():
    text = HEAD + "{ y = GroupNormalization<num_groups=4>(x, s, t) z = Mul(y, c) }"
    assert_skips(affine_channels, given(text, s=S, t=T, c=C.reshape(4, 1)), "the scale is one per group", opset=20)


def test_skips_a_scale_that_is_an_input():
    text = "g (float[2,4,5] x, float[4] s) => (float[2,4,5] z) { y = InstanceNormalization(x, s, t) z = Mul(y, c) }"
    assert_skips(
        affine_channels, given(text, t=T, c=C.reshape(4, 1)), "the scale or bias of the normalization is not a constant"
    )


@pytest.mark.parametrize("first", ["BatchNormalization(x, s, t, m, v)", "InstanceNormalization(x, s, t)"])
def test_consecutive_batchnorms(first):
    scale = T / np.sqrt(V.astype(np.float64) + float(np.float32(1e-5)))
    text = f"{{ y = {first} z = BatchNormalization(y, t, s, c, v) }}"
    assert_rewrites(
        consecutive_batchnorms,
        given(HEAD + text, s=S, t=T, m=M, v=V, c=C),
        given(
            f"{HEAD} {{ z = {first} }}",
            s=(S * scale).astype(np.float32),
            t=(T * scale + S - C * scale).astype(np.float32),
            m=M,
            v=V,
        ),
        **BOUND,
    )


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("no operand is made by such a layer", "y = Relu(x) z = BatchNormalization(y, s, t, m, v)"),
        (
            "the layer's result has other readers",
            "y = InstanceNormalization(x, s, t) b = BatchNormalization(y, s, t, m, v) z = Add(b, y)",
        ),
        (
            "it is in training mode",
            "y, p, q = BatchNormalization<training_mode=1>(x, s, t, m, v) z = BatchNormalization(y, s, t, m, v)",
        ),
        (
            "it is in training mode",
            "y = InstanceNormalization(x, s, t) z, p, q = BatchNormalization<training_mode=1>(y, s, t, m, v)",
        ),
    ],
)
def test_skips_batchnorms(reason, body):
    assert_skips(consecutive_batchnorms, given(f"{HEAD} {{ {body} }}", s=S, t=T, m=M, v=V), reason)


def test_skips_other_channel_counts():
    text = HEAD + "{ y = InstanceNormalization(x, s, t) z = BatchNormalization(y, a, a, a, a) }"
    assert_skips(
        consecutive_batchnorms,
        given(text, s=S, t=T, a=drawn(3, low=1, high=2)),
        "the layer does not have as many output channels",
    )


@pytest.mark.parametrize("dims", [(4,), (1, 4), (1, 1, 4), (1,), ()])
def test_layer_norm_with_constant_tail(dims):
    c, h = drawn(*dims, seed=5), drawn(*dims, seed=6)
    assert_rewrites(
        affine_last_axes,
        given(LAST + "{ y = LayerNormalization<epsilon=0.01>(x, s) a = Mul(y, c) z = Add(h, a) }", s=S, c=c, h=h),
        given(
            LAST + "{ z = LayerNormalization<epsilon=0.01>(x, s, h) }",
            s=(S * c).reshape(4),
            h=np.broadcast_to(h.reshape(h.shape[-1:]), 4),
        ),
        **BOUND,
    )


def test_layer_norm_with_bias():
    assert_rewrites(
        affine_last_axes,
        given(LAST + "{ y = LayerNormalization(x, s, t) a = Mul(y, c) z = Add(a, m) }", s=S, t=T, c=C, m=M),
        given(LAST + "{ z = LayerNormalization(x, s, t) }", s=S * C, t=T * C + M),
        **BOUND,
    )


def test_layer_norm_over_two_axes():
    s, c = drawn(3, 4), drawn(3, 1)
    assert_rewrites(
        affine_last_axes,
        given(LAST + "{ y = LayerNormalization<axis=1>(x, s) z = Mul(y, c) }", s=s, c=c),
        given(LAST + "{ z = LayerNormalization<axis=1>(x, s) }", s=s * c),
        **BOUND,
    )


def test_scale_and_bias_that_are_inputs_take_the_place_of_ones_and_none():
    head = "g (float[b,3,4] x, float[4] c, float[4] h) => (float[b,3,4] z)"
    assert_rewrites(
        affine_last_axes,
        given(head + "{ y = LayerNormalization(x, s) a = Mul(c, y) z = Add(a, h) }", s=np.ones(4, np.float32)),
        head + "{ z = LayerNormalization(x, c, h) }",
        **BOUND,
    )


def test_rms_norm_takes_a_scale():
    assert_rewrites(
        affine_last_axes,
        given(LAST + "{ y = RMSNormalization(x, s) z = Mul(y, c) }", s=np.ones(4, np.float32), c=C),
        given(LAST + "{ z = RMSNormalization(x, c) }", c=C),
        opset=23,
        **BOUND,
    )


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("no operand is made by such a layer", "y = Relu(x) z = Mul(y, c)"),
        ("the layer's result has other readers", "y = LayerNormalization(x, s) a = Mul(y, c) z = Add(a, y)"),
        ("mean and deviation are read too", "y, p, q = LayerNormalization(x, s) a = Mul(y, c) z = Add(a, p)"),
        ("the constant does not run along the normalized axes", "y = LayerNormalization(x, s) z = Mul(y, r)"),
        ("the constant does not run along the normalized axes", "y = LayerNormalization(x, s) z = Add(y, i)"),
        (
            "the scale does not have the shape of the normalized axes",
            "y = LayerNormalization<axis=1>(x, s) z = Mul(y, c)",
        ),
        ("there is no constant operand", "y = LayerNormalization(x, s) z = Mul(y, x)"),
        ("there is no constant operand", "y = LayerNormalization(x, s, t) z = Add(y, x)"),
    ],
)
def test_skips_last_axes(reason, body):
    infinite = {"i": np.array([1, np.inf, 1, 1], np.float32)}
    text = given(f"{LAST} {{ {body} }}", s=S, t=T, c=C, r=drawn(3, 1))
    assert_skips(affine_last_axes, text, reason, initializers=infinite)


@pytest.mark.parametrize("tail", ["Mul(y, c)", "Add(y, c)"])
def test_skips_a_bias_that_is_an_input(tail):
    text = f"g (float[b,3,4] x, float[4] t) => (float[b,3,4] z) {{ y = LayerNormalization(x, s, t) z = {tail} }}"
    assert_skips(affine_last_axes, given(text, s=S, c=C), "the bias is not a constant")


def test_skips_a_bias_of_an_rms_norm():
    text = LAST + "{ y = RMSNormalization(x, s) z = Add(y, c) }"
    assert_skips(affine_last_axes, given(text, s=S, c=C), "RMSNormalization has no bias", opset=23)


def test_skips_a_constant_of_higher_rank():
    text = "g (float[b,3,4] x) => (float[1,b,3,4] z) { y = LayerNormalization(x, s) z = Mul(y, c) }"
    assert_skips(
        affine_last_axes, given(text, s=S, c=drawn(1, 1, 1, 4)), "the constant does not run along the normalized axes"
    )


def test_skips_a_number_that_would_become_a_large_bias():
    text = "g (float[b,99,99] x) => (float[b,99,99] z) { y = LayerNormalization<axis=1>(x, s) z = Add(y, one) }"
    arrays = {"s": drawn(99, 99), "one": np.float32(1)}
    assert_skips(affine_last_axes, text, "the new bias would make the model grow", initializers=arrays)
