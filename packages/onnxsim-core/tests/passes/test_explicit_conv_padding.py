"""explicit_conv_padding: a Pad does the same, and is not taken back."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core import simplify
from onnxsim_core.passes.explicit_conv_padding import pad_before
from onnxsim_testkit import model

W = {"w": np.arange(24, dtype=np.float32).reshape(3, 2, 2, 2)}
BEFORE = "g (float[1,2,5,6] x) => (float[1,3,h,v] z) { z = Conv<pads=[1,0,2,1]>(x, w) }"


@pytest.mark.parametrize(("opset", "pad"), [(17, "p = Pad(x, a)"), (9, "p = Pad<pads=[0,0,1,0,0,0,2,1]>(x)")])
def test_pads_go_into_a_pad(opset, pad):
    assert_rewrites(
        pad_before,
        BEFORE,
        "g (float[1,2,5,6] x) => (float[1,3,h,v] z) <float[3,2,2,2] w={" + ",".join(map(str, range(24))) + "}, "
        "int64[8] a={0,0,1,0,0,0,2,1}> { " + pad + " z = Conv<pads=[0,0,0,0]>(p, w) }",
        opset=opset,
        initializers=W,
        rtol=1e-6,
        hazards=opset > 9,
    )


def test_the_pad_stays_when_everything_runs():
    result = simplify(model(BEFORE, initializers=W), extra_optimizers=["explicit_conv_padding"]).model

    assert [node.op_type for node in result.graph.node] == ["Pad", "Conv"]


@pytest.mark.parametrize(
    ("before", "reason"),
    [
        ("g (float[] x) => (float[] z) { z = Conv<pads=[1,0,2,1]>(x, w) }", "the rank is not known"),
        (
            'g (float[1,2,5,6] x) => (float[1,3,h,v] z) { z = Conv<auto_pad="SAME_LOWER">(x, w) }',
            "auto_pad computes the pads from the padded size",
        ),
        ("g (float[1,2,5,6] x) => (float[1,3,h,v] z) { z = Conv<pads=[1,0]>(x, w) }", "the pads do not fit the rank"),
        ("g (float[1,2,5,6] x) => (float[1,3,h,v] z) { z = Conv(x, w) }", "it pads nothing"),
        ("g (float[1,2,5,6] x) => (float[1,3,h,v] z) { z = Conv<pads=[1,0,-1,0]>(x, w) }", "it crops"),
    ],
)
def test_declines(before, reason):
    assert_skips(pad_before, before, reason, initializers=W)
