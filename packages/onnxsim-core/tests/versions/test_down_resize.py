"""Downwards, Resize."""

import numpy as np
import pytest
from opsets import assert_refused, converted

from onnxsim_testkit import assert_same_outputs, model, random_feeds


def resized(attributes: str, inputs: str, *, sizes: str = "1,1,3,4", new: str = "1,1,6,8") -> str:
    return f"""g (float[{sizes}] x) => (float[{new}] y) {{ s = Constant<value_floats=[1.0,1.0,2.0,2.0]>()
        t = Constant<value_floats=[2.0,2.0]>() h = Constant<value_floats=[1.0,1.0,0.5,0.5]>()
        z = Constant<value_ints=[1,1,6,8]>() v = Constant<value_ints=[6,8]>() e = Constant<value = float[0] {{}}>()
        w = Constant<value_floats=[1.0,1.0,1.5,1.5]>()
        y = Resize<{attributes}>({inputs}) }}"""


FLOOR = 'mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor"'


@pytest.mark.parametrize(("source", "targets", "attributes", "inputs"), [
    (19, [18, 13, 11], 'mode="linear"', "x, , s"),
    (19, [18, 13, 11], 'mode="cubic", cubic_coeff_a=-0.5', "x, , , z"),
    (19, [18, 13, 11], 'mode="linear", axes=[2,3]', "x, , t"),
    (19, [18, 13, 11], 'mode="linear", axes=[-2,-1]', "x, , , v"),
    (18, [13, 11], 'mode="linear", antialias=0, keep_aspect_ratio_policy="stretch"', "x, , s"),
    (13, [11, 10, 9, 8, 7], FLOOR, "x, , s"),
    (13, [11, 10, 9, 7], FLOOR, "x, e, s"),
    (11, [10, 9, 7], FLOOR, "x, e, e, z"),
    (13, [11, 10, 9, 7], 'mode="nearest"', "x, , s"),
    (13, [10, 9], 'mode="nearest", coordinate_transformation_mode="tf_half_pixel_for_nn", nearest_mode="floor"', "x, , s"),
    (13, [10, 9], 'mode="linear", coordinate_transformation_mode="asymmetric"', "x, , s"),
])
def test_resize(source, targets, attributes, inputs):
    original = model(resized(attributes, inputs), opset=source)
    for target in targets:
        result = converted(original, source, target)
        names = {node.op_type for node in result.graph.node}
        assert ("Upsample" if target < 10 else "Resize") in names
        assert_same_outputs(original, result, random_feeds(original), rtol=1e-6, atol=1e-6)


def test_shrinking_rounds_up():
    attributes = 'mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="ceil"'
    original = model(resized(attributes, "x, , h", new="1,1,1,2"), opset=13)

    result = converted(original, 13, 10)

    feeds = {"x": np.arange(12, dtype="f").reshape(1, 1, 3, 4)}
    assert_same_outputs(original, result, feeds, rtol=0, atol=0)
    assert_refused(resized(attributes, "x, , h", new="1,1,1,2"), "its scales are not constant, or it shrinks",
                   source=13, target=9)


@pytest.mark.parametrize(("source", "target", "reason", "attributes", "inputs"), [
    (19, 18, "its coordinate_transformation_mode is half_pixel_symmetric",
     'mode="linear", coordinate_transformation_mode="half_pixel_symmetric"', "x, , s"),
    (18, 13, "it uses antialias", 'mode="linear", antialias=1', "x, , s"),
    (18, 13, "it keeps the aspect ratio", 'mode="linear", keep_aspect_ratio_policy="not_larger"', "x, , , z"),
    (13, 10, "its mode is cubic", 'mode="cubic"', "x, , s"),
    (13, 10, "it rounds in a way that did not exist", 'mode="linear"', "x, , s"),
    (13, 10, "it rounds in a way that did not exist", 'mode="nearest"', "x, , w"),
    (13, 10, "it rounds in a way that did not exist",
     'mode="nearest", coordinate_transformation_mode="align_corners"', "x, , s"),
])
def test_refuses(source, target, reason, attributes, inputs):
    assert_refused(resized(attributes, inputs, new="1,1,a,b"), reason, source=source, target=target)


@pytest.mark.parametrize(("source", "target", "reason", "text"), [
    (13, 10, "its scales are not constant", "g (float[4] x, float[1] s) => (float[n] y) { y = Resize(x, , s) }"),
    (18, 13, "axes are given and scales or sizes are not constant",
     "g (float[4,4] x, float[1] s) => (float[n,4] y) { y = Resize<axes=[0]>(x, , s) }"),
    (18, 13, "axes are given and the rank is unknown, or a part is cut out",
     "g (float[4,4] x, float[1] s) => (float[n,4] y) { t = Foo(x) y = Resize<axes=[0]>(t, , s) }"),
    (10, 9, "its scales are not constant, or it shrinks", "g (float[4] x, float[1] s) => (float[n] y) { y = Resize(x, s) }"),
    (9, 8, "its scales are not constant", "g (float[4] x, float[1] s) => (float[n] y) { y = Upsample(x, s) }"),
])
def test_refuses_what_is_not_known(source, target, reason, text):
    assert_refused(text, reason, source=source, target=target)
