"""fuse_pad_into_pool: what each pool's own padding means."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import given

from onnxsim_core.passes.fuse_pad_into_pool import padded_average_pool, padded_max_pool
from onnxsim_testkit import model

X = "g (float[2,3,5,6] x) => (float[2,3,p,q] z)"
ONES = np.array([0, 0, 1, 1, 0, 0, 1, 1], np.int64)
LOWEST = float(np.finfo(np.float32).min)


def test_max_pool_with_the_lowest_number():
    assert_rewrites(
        padded_max_pool,
        given(
            X + "{ y = Pad(x, a, v) z = MaxPool<kernel_shape=[3,3], strides=[2,2]>(y) }", a=ONES, v=np.float32(LOWEST)
        ),
        X + "{ z = MaxPool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1]>(x) }",
    )


def test_max_pool_pads_add_up():
    assert_rewrites(
        padded_max_pool,
        given(
            X + "{ y = Pad(x, a, v) z = MaxPool<kernel_shape=[3,3], pads=[0,1,1,0]>(y) }", a=ONES, v=np.float32(LOWEST)
        ),
        X + "{ z = MaxPool<kernel_shape=[3,3], pads=[1,2,2,1]>(x) }",
    )


def test_max_pool_with_minus_infinity():
    original = model(
        X + "{ y = Pad(x, a, v) z = MaxPool<kernel_shape=[3,2]>(y) }",
        opset=17,
        initializers={"a": ONES, "v": np.float32(-np.inf)},
    )
    result, driver = apply(padded_max_pool, original)
    assert driver.changes == 1
    x = np.random.default_rng(0).standard_normal((2, 3, 5, 6)).astype(np.float32)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})
    x[0, 0, ::2, ::2], x[1, 1, 1::2, 1::2] = -np.inf, np.inf
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})
    x[0, 0, 2, 2] = np.nan
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})


@pytest.mark.parametrize(("kind", "lowest"), [("int8", -128), ("uint8", 0)])
def test_max_pool_of_integers(kind, lowest):
    head = X.replace("float", kind)
    assert_rewrites(
        padded_max_pool,
        given(head + "{ y = Pad(x, a, v) z = MaxPool<kernel_shape=[2,2]>(y) }", a=ONES, v=np.array(lowest, kind)),
        head + "{ z = MaxPool<kernel_shape=[2,2], pads=[1,1,1,1]>(x) }",
    )


def test_average_pool_counts_the_zeros():
    assert_rewrites(
        padded_average_pool,
        given(X + "{ y = Pad(x, a) z = AveragePool<kernel_shape=[3,3], strides=[2,2]>(y) }", a=ONES),
        X + "{ z = AveragePool<kernel_shape=[3,3], strides=[2,2], pads=[1,1,1,1], count_include_pad=1>(x) }",
        rtol=1e-5,
        atol=1e-6,
    )


def test_average_pool_that_counts_its_own_padding():
    assert_rewrites(
        padded_average_pool,
        given(
            X + "{ y = Pad(x, a) z = AveragePool<kernel_shape=[4,4], pads=[1,0,0,2], count_include_pad=1>(y) }", a=ONES
        ),
        X + "{ z = AveragePool<kernel_shape=[4,4], pads=[2,1,1,3], count_include_pad=1>(x) }",
        rtol=1e-5,
        atol=1e-6,
    )


def skips(rule, reason: str, body: str, head: str = X, opset: int = 17, **arrays) -> None:
    assert_skips(
        rule, given(f"{head} {{ {body} }}", **{"a": ONES, "low": np.float32(LOWEST), **arrays}), reason, opset=opset
    )


def test_skips_zeros_before_a_max_pool():
    """All x may be negative."""
    skips(padded_max_pool, "the Pad does not add the lowest number", "y = Pad(x, a) z = MaxPool<kernel_shape=[3,3]>(y)")


def test_skips_indices():
    skips(
        padded_max_pool, "the indices count padded elements", "y = Pad(x, a, low) z, i = MaxPool<kernel_shape=[3,3]>(y)"
    )


def test_skips_dilated_windows():
    skips(
        padded_max_pool,
        "a dilated window may miss the input altogether",
        "y = Pad(x, a, low) z = MaxPool<kernel_shape=[2,2], dilations=[2,2]>(y)",
    )


def test_skips_other_numbers_before_an_average_pool():
    skips(
        padded_average_pool, "the Pad does not add zeros", "y = Pad(x, a, low) z = AveragePool<kernel_shape=[3,3]>(y)"
    )


def test_skips_a_pool_that_leaves_its_padding_out():
    skips(
        padded_average_pool,
        "the pool leaves its own padding out of the average",
        "y = Pad(x, a) z = AveragePool<kernel_shape=[3,3], pads=[1,1,1,1]>(y)",
    )


def test_skips_opsets_without_count_include_pad():
    skips(
        padded_average_pool,
        "AveragePool counts its padding from opset 7 on",
        "y = Pad<pads=[0,0,1,1,0,0,1,1]>(x) z = AveragePool<kernel_shape=[3,3]>(y)",
        opset=6,
    )


BOTH = pytest.mark.parametrize(
    ("rule", "pad", "pool"),
    [(padded_max_pool, "Pad(x, a, low)", "MaxPool"), (padded_average_pool, "Pad(x, a)", "AveragePool")],
)


@BOTH
def test_skips_ceil_mode(rule, pad, pool):
    skips(
        rule,
        "ceil_mode lets windows reach beyond the padding",
        f"y = {pad} z = {pool}<kernel_shape=[3,3], strides=[2,2], ceil_mode=1>(y)",
    )
    skips(
        rule,
        "ceil_mode lets windows reach beyond the padding",
        f"y = {pad} z = {pool}<kernel_shape=[3,3], strides=[2,1], pads=[1,0,0,0], ceil_mode=1>(y)",
    )
    skips(
        rule,
        "ceil_mode lets windows reach beyond the padding",
        f"y = {pad} z = {pool}<kernel_shape=[3,3], strides=[2,2], ceil_mode=1>(y)",
        head="g (float[2,3,h,w] x) => (float[2,3,p,q] z)",
    )


@BOTH
@pytest.mark.parametrize(
    ("head", "window"),
    [
        ("g (float[2,3,5,7] x) => (float[2,3,p,q] z)", "kernel_shape=[3,3], strides=[2,2]"),
        ("g (float[2,3,6,6] x) => (float[2,3,p,q] z)", "kernel_shape=[2,2], strides=[3,2]"),
        ("g (float[2,3,h,w] x) => (float[2,3,p,q] z)", "kernel_shape=[3,3]"),
    ],
)
def test_fires_where_ceil_mode_adds_no_window(rule, pad, pool, head, window):
    """The padding ends with a window, or each window begins one further."""
    counting = ", count_include_pad=1" if pool == "AveragePool" else ""
    assert_rewrites(
        rule,
        given(f"{head} {{ y = {pad} z = {pool}<{window}, ceil_mode=1>(y) }}", a=ONES, low=np.float32(LOWEST)),
        f"{head} {{ z = {pool}<{window}, pads=[1,1,1,1]{counting}>(x) }}",
        rtol=1e-5,
        atol=1e-6,
    )


def test_dilations_count_where_ceil_mode_adds_no_window():
    """3 elements 2 apart reach over 5: from 7 x 9 on windows end with the padding, and 2 further, but not 1 further."""
    text = "{ y = Pad(x, a) z = AveragePool<kernel_shape=[3,3], dilations=[2,2], strides=[2,4], ceil_mode=1>(y) }"
    fused = "{ z = AveragePool<kernel_shape=[3,3], dilations=[2,2], strides=[2,4], pads=[1,1,1,1], count_include_pad=1>(x) }"
    head = "g (float[2,3,5,7] x) => (float[2,3,p,q] z) "
    assert_rewrites(padded_average_pool, given(head + text, a=ONES), head + fused, opset=19, rtol=1e-5, atol=1e-6)
    wider = given(head.replace("5,7", "5,6") + text, a=ONES)
    assert_skips(padded_average_pool, wider, "ceil_mode lets windows reach beyond the padding", opset=19)


@BOTH
def test_skips_pads_as_large_as_the_kernel(rule, pad, pool):
    """onnxruntime refuses such pools."""
    skips(rule, "the pads are not smaller than the kernel", f"y = {pad} z = {pool}<kernel_shape=[1,3]>(y)")


@BOTH
def test_skips_pads_computed_from_the_size(rule, pad, pool):
    skips(
        rule,
        "auto_pad computes the pads from the padded size",
        f'y = {pad} z = {pool}<kernel_shape=[3,3], auto_pad="SAME_UPPER">(y)',
    )


@BOTH
def test_skips_cropping_and_other_producers(rule, pad, pool):
    skips(rule, "the Pad crops", f"y = {pad} z = {pool}<kernel_shape=[3,3]>(y)", a=ONES * -1)
    skips(rule, "the input is not made by a Pad", f"y = Abs(x) z = {pool}<kernel_shape=[3,3]>(y)")


def test_skips_a_pad_of_nan():
    assert_skips(
        padded_max_pool,
        X + "{ y = Pad(x, a, low) z = MaxPool<kernel_shape=[3,3]>(y) }",
        "the Pad does not add the lowest number",
        initializers={"a": ONES, "low": np.float32(np.nan)},
    )


def test_skips_a_kernel_larger_than_what_is_padded():
    """onnxruntime runs such a pool and clips the window, by which a padded zero counts and a pad does not."""
    text = "g (float[4,2,4,1] x) => (float[4,2,p,q] z) { y = Pad(x, a) z = AveragePool<kernel_shape=[2,2], strides=[2,2]>(y) }"
    pads = np.array([0, 0, 1, 0, 0, 0, 1, 0], np.int64)
    assert_skips(padded_average_pool, given(text, a=pads), "the kernel is larger than what is padded")
