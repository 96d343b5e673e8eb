"""explicit_layer_attributes: what is written is what the runtime assumes."""

import numpy as np
import onnx
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.explicit_layer_attributes import stated_attributes
from onnxsim_testkit import model

W = {"w": np.ones((2, 2, 3, 3), np.float32)}


def attributes_of(before, **options):
    proto = model(before, **options)
    result, driver = apply(stated_attributes, proto, opset=options.get("opset", 17))
    assert driver.changes
    assert_same_model(proto, result, rtol=0, atol=0)
    return {a.name: onnx.helper.get_attribute_value(a) for a in result.graph.node[0].attribute}


def test_conv():
    ones = ",".join("1" * 36)
    assert_rewrites(
        stated_attributes,
        "g (float[1,2,5,6] x) => (float[1,2,3,4] z) { z = Conv(x, w) }",
        f"g (float[1,2,5,6] x) => (float[1,2,3,4] z) <float[2,2,3,3] w={{{ones}}}> {{ z = Conv<kernel_shape=[3,3], "
        "strides=[1,1], dilations=[1,1], pads=[0,0,0,0], group=1>(x, w) }",
        initializers=W,
    )


def test_what_is_written_stays():
    found = attributes_of(
        "g (float[1,2,5,6] x) => (float[1,2,h,v] z) { z = Conv<strides=[2,1], pads=[1,1,1,1]>(x, w) }", initializers=W
    )
    assert found == {"kernel_shape": [3, 3], "strides": [2, 1], "dilations": [1, 1], "pads": [1, 1, 1, 1], "group": 1}


def test_auto_pad_and_output_shape_compute_the_pads():
    found = attributes_of(
        'g (float[1,2,5,6] x) => (float[1,2,h,v] z) { z = Conv<auto_pad="SAME_UPPER">(x, w) }', initializers=W
    )
    assert "pads" not in found and found["auto_pad"] == b"SAME_UPPER"
    found = attributes_of(
        "g (float[1,2,5,6] x) => (float[1,2,7,8] z) { z = ConvTranspose<output_shape=[7,8]>(x, w) }", initializers=W
    )
    assert "pads" not in found and found["group"] == 1


@pytest.mark.parametrize(
    ("op", "opset", "dilated"),
    [
        ("MaxPool", 9, False),
        ("MaxPool", 10, True),
        ("AveragePool", 17, False),
        ("AveragePool", 19, True),
        ("LpPool", 17, False),
        ("LpPool", 18, True),
    ],
)
def test_pools_have_dilations_from_some_version_on(op, opset, dilated):
    found = attributes_of(
        f"g (float[1,2,5,6] x) => (float[1,2,h,v] z) {{ z = {op}<kernel_shape=[2,2]>(x) }}", opset=opset
    )
    assert ("dilations" in found) is dilated and found["strides"] == [1, 1] and "group" not in found


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        (
            "g (float[1,2,5,6] x, float[2,2,k,l] v) => (float[1,2,h,o] z) { z = Conv(x, v) }",
            "the kernel's sizes are not known",
        ),
        (
            "g (float[1,2,5,6] x) => (float[1,2,3,4] z) { z = Conv<kernel_shape=[3,3], strides=[1,1], dilations=[1,1], "
            "pads=[0,0,0,0], group=1>(x, w) }",
            "all is written",
        ),
    ],
)
def test_declines(before, reason):
    assert_skips(stated_attributes, before, reason, initializers=W)
