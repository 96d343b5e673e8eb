"""explicit_auto_pad: the pads are those onnxruntime computes, for every size, kernel, stride and dilation."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.explicit_auto_pad import written_pads
from onnxsim_testkit import model


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("stride", [1, 2, 3])
def test_conv(auto_pad, stride):
    dilation = 2 if auto_pad == "VALID" else 1
    for size in (5, 6, 7, 8):
        for kernel in (1, 2, 3):
            proto = model(
                f'g (float[1,2,{size},7] x) => (float[1,3,h,w] z) {{ z = Conv<auto_pad="{auto_pad}", '
                f"strides=[{stride},1], dilations=[{dilation},1]>(x, w) }}",
                initializers={"w": np.random.default_rng(0).standard_normal((3, 2, kernel, 2)).astype(np.float32)},
            )
            result, driver = apply(written_pads, proto)
            assert driver.changes and "auto_pad" not in {a.name for a in result.graph.node[0].attribute}
            assert_same_model(proto, result, rtol=0, atol=0)


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER", "VALID"])
@pytest.mark.parametrize("op", ["MaxPool", "AveragePool", "LpPool"])
def test_pools(op, auto_pad):
    more = {"AveragePool": ", count_include_pad=1, ceil_mode=1", "MaxPool": ", ceil_mode=1", "LpPool": ""}[op]
    for stride in (1, 2, 3):
        for kernel in (3, 4):
            proto = model(
                f'g (float[1,2,7,6] x) => (float[1,2,h,w] z) {{ z = {op}<auto_pad="{auto_pad}", '
                f"strides=[{stride},{min(stride, 2)}], kernel_shape=[{kernel},2]{more}>(x) }}"
            )
            result, driver = apply(written_pads, proto)
            assert driver.changes
            assert_same_model(proto, result, rtol=1e-6, atol=1e-6)


def test_the_pads_are_written():
    assert_rewrites(
        written_pads,
        'g (float[1,2,5,6] x) => (float[1,2,3,3] z) { z = MaxPool<auto_pad="SAME_UPPER", kernel_shape=[2,3], '
        "strides=[2,2]>(x) }",
        "g (float[1,2,5,6] x) => (float[1,2,3,3] z) { z = MaxPool<pads=[0,0,1,1], kernel_shape=[2,3], "
        "strides=[2,2]>(x) }",
    )


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (float[1,2,5,6] x) => (float[1,2,4,5] z) { z = MaxPool<kernel_shape=[2,2]>(x) }", "auto_pad is not set"),
        (
            'g (float[1,2,5,6] x, float[3,2,p,q] w) => (float[1,3,h,v] z) { z = Conv<auto_pad="VALID">(x, w) }',
            "the kernel or the rank is not known",
        ),
        (
            'g (float[1,2,5,6] x) => (float[1,2,h,v] z) { z = MaxPool<auto_pad="SAME_LOWER", kernel_shape=[2,2], '
            "strides=[1]>(x) }",
            "an attribute does not fit the rank",
        ),
        (
            'g (float[1,2,n,6] x) => (float[1,2,h,v] z) { z = MaxPool<auto_pad="SAME_LOWER", kernel_shape=[2,2]>(x) }',
            "the sizes that the pads depend on are not known",
        ),
        (
            'g (float[1,2,7,6] x) => (float[1,2,h,v] z) { z = MaxPool<auto_pad="SAME_LOWER", kernel_shape=[2,2], '
            "dilations=[2,2]>(x) }",
            "onnxruntime refuses to compute the pads of a dilated window",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(written_pads, before, reason)
