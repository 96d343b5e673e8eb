"""eliminate_nop_resize: Resize that changes no size."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.eliminate_nop_resize import drop_resize
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            drop_resize,
            'g (float[1,2,3,4] x) => (float[1,2,3,4] z) <float[4] s={1,1,1,1}> { b = Resize<mode="linear">(x,'
            ' , s) z = Neg(b) }',
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_resize,
            'g (float[1,2,3,4] x) => (float[1,2,3,4] z) <int64[4] s={1,2,3,4}> { b = '
            'Resize<mode="cubic",coordinate_transformation_mode="align_corners">(x, , , s) z = Neg(b) }',
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) { z = Neg(x) }",
            {},
        ),
        (
            drop_resize,
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) <float[4] s={1,1,1,1}> { b = Resize(x, s) z = Neg(b) }",
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) { z = Neg(x) }",
            {"opset": 10},
        ),
        (
            drop_resize,
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) { b = Upsample<scales=[1.0,1.0,1.0,1.0]>(x) z = Neg(b) }",
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) { z = Neg(x) }",
            {"opset": 8},
        ),
        (
            drop_resize,
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) <float[4] s={1,1,1,1}> { b = Upsample(x, s) z = Neg(b) }",
            "g (float[1,2,3,4] x) => (float[1,2,3,4] z) { z = Neg(x) }",
            {"opset": 9},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            drop_resize,
            "g (float[1,2,3,4] x) => (float[1,2,3,8] z) <float[4] s={1,1,1,2}> { z = Resize(x, , s) }",
            "the shape changes or is not known",
            {},
        ),
        (
            drop_resize,
            'g (float[1,2,3,4] x) => (float[1,2,3,4] z) <float[4] s={1,1,1,1.2}> { z = '
            'Resize<mode="linear">(x, , s) }',
            "a scale is not 1",
            {},
        ),
        (
            drop_resize,
            'g (float[1,2,3,4] x) => (float[1,2,3,4] z) <float[8] r={0,0,0,0.5,1,1,1,1}, float[4] '
            's={1,1,1,1}> { z = Resize<coordinate_transformation_mode="tf_crop_and_resize">(x, r, s) }',
            "it crops",
            {},
        ),
        (
            drop_resize,
            'g (float[1,2,3,4] x) => (float[1,2,3,4] z) <int64[2] s={3,4}> { z = '
            'Resize<axes=[2,3],keep_aspect_ratio_policy="not_larger">(x, , , s) }',
            "the scales are not known",
            {"opset": 18},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


@pytest.mark.parametrize("mode", ["nearest", "linear", "cubic"])
@pytest.mark.parametrize("transformation", ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"])
def test_the_runtime_copies_also_what_is_not_finite(mode, transformation):
    original = model(
        f"""g (float[1,1,3,3] x) => (float[1,1,3,3] z) <float[4] s = {{1,1,1,1}}> {{
            a = Resize<mode="{mode}",coordinate_transformation_mode="{transformation}">(x, , s) z = Identity(a) }}""",
        opset=17,
    )
    result, driver = apply(drop_resize, original)
    assert driver.changes == 1
    x = np.array([1, np.nan, 2, np.inf, 3, -np.inf, -0.0, 4, 1e-45], np.float32).reshape(1, 1, 3, 3)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})


def test_scales_that_are_no_list_are_no_scales():
    result, driver = apply(drop_resize, "g () => (float z) <float x = {2}, float s = {1}> { z = Resize(x, , s) }")

    assert not driver.changes
    assert [node.op_type for node in result.graph.node] == ["Resize"]
