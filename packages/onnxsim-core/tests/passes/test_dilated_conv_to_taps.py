"""dilated_conv_to_taps: the sum is the Conv, for strides, groups and pads."""

import numpy as np
import pytest
from rewriting import apply, assert_same_model, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.dilated_conv_to_taps import sum_of_taps
from onnxsim_testkit import model

RNG = np.random.default_rng(0)
W = {"w": RNG.standard_normal((4, 2, 3, 2)).astype(np.float32), "b": RNG.standard_normal(4).astype(np.float32)}


@pytest.mark.parametrize(
    "attributes", ["dilations=[2,1]", "dilations=[2,3], strides=[2,1]", "dilations=[1,2], pads=[1,0,2,3]"]
)
@pytest.mark.parametrize(("channels", "group"), [(2, 1), (4, 2)])
def test_the_sum_is_the_conv(attributes, channels, group):
    proto = model(
        f"g (float[2,{channels},9,8] x) => (float[2,4,h,v] z) {{ z = Conv<{attributes}, group={group}>(x, w, b) }}",
        initializers=W,
    )
    result, driver = apply(sum_of_taps, proto)
    assert driver.changes == 1
    ops = [node.op_type for node in result.graph.node]
    assert (ops.count("Conv"), ops.count("Slice"), ops.count("Add")) == (6, 6, 5)
    assert_same_model(proto, result, rtol=1e-5, atol=1e-5)


def test_it_stays_taken_apart_when_everything_runs():
    proto = model(
        "g (float[1,2,9,8] x) => (float[1,4,h,v] z) { z = Conv<dilations=[2,2], pads=[1,1,1,1]>(x, w, b) }",
        initializers=W,
    )
    result = simplify(proto, 1, extra_optimizers=["dilated_conv_to_taps"])

    assert result.ok and [node.op_type for node in result.model.graph.node].count("Conv") == 6


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (float[1,2,9,8] x) => (float[1,4,h,v] z) { z = Conv<dilations=[1,1]>(x, w) }", "it is not dilated"),
        (
            "g (float[1,2,n,8] x) => (float[1,4,h,v] z) { z = Conv<dilations=[2,1]>(x, w) }",
            "the weight or the sizes of the result are not known",
        ),
        (
            'g (float[1,2,9,8] x) => (float[1,4,h,v] z) { z = Conv<dilations=[2,1], auto_pad="SAME_LOWER">(x, w) }',
            "auto_pad computes the pads from the padded size",
        ),
        (
            "g (float[1,2,9,8] x) => (float[1,4,h,v] z) { z = Conv<dilations=[2,1], pads=[-1,0,0,0]>(x, w) }",
            "there are too many taps, or it crops",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(sum_of_taps, before, reason, initializers=W)
