"""Downwards, operators that meant something else before a version."""

import numpy as np
import pytest
from installed import OPSET
from opsets import assert_converts, assert_refused, conversion, converted

from onnxsim_core.ir.save import model_proto
from onnxsim_testkit import assert_same_outputs, model, random_feeds


@pytest.mark.parametrize(("shape", "axis", "new"), [("2,3,4", -1, 2), ("2,3,1,1", 1, 1), ("2,3", 1, 1)])
@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
def test_softmax_of_the_last_axis(op, shape, axis, new):
    assert_converts(f"g (float[{shape}] x) => (float[{shape}] y) {{ y = {op}<axis={axis}>(x) }}",
                    f"g (float[{shape}] x) => (float[{shape}] y) {{ y = {op}<axis={new}>(x) }}", source=13, target=11)


def test_softmax_of_an_axis_inside():
    assert_converts("g (float[2,3,4] x) => (float[2,3,4] y) { y = Softmax<axis=0>(x) }",
                    """g (float[2,3,4] x) => (float[2,3,4] y) { a = Transpose<perm=[2,1,0]>(x) b = Softmax<axis=2>(a)
                       y = Transpose<perm=[2,1,0]>(b) }""", source=21, target=11, rtol=1e-6)


BN = "float[2,3] x, float[3] s, float[3] b, float[3] m, float[3] v"


CONVERTED = [
    (15, 13, "g (float[2,3,4] x) => (int64[1] y) { y = Shape<start=1, end=2>(x) }",
     """g (float[2,3,4] x) => (int64[1] y) { s = Shape(x) a = Constant<value_ints=[1]>() b = Constant<value_ints=[2]>()
        z = Constant<value_ints=[0]>() y = Slice(s, a, b, z) }"""),
    (15, 9, "g (float[2,3,4] x) => (int64[2] y) { y = Shape<start=-2>(x) }",
     f"""g (float[2,3,4] x) => (int64[2] y) {{ s = Shape(x)
         y = Slice<starts=[-2], ends=[{(1 << 63) - 1}], axes=[0]>(s) }}"""),
    (19, 13, "g (float[2,3] x) => (int64[2] y) { y = Shape<start=0>(x) }",
     "g (float[2,3] x) => (int64[2] y) { y = Shape(x) }"),
     (14, 13, "g (float[2,3] x) => (float[3,2] y) { s = Constant<value_ints=[3,-1]>() y = Reshape<allowzero=1>(x, s) }",
     "g (float[2,3] x) => (float[3,2] y) { s = Constant<value_ints=[3,-1]>() y = Reshape(x, s) }"),
    (21, 13, "g (float[2,3] x) => (float[3,2] y) { s = Constant<value_ints=[3,2]>() y = Reshape<allowzero=0>(x, s) }",
     "g (float[2,3] x) => (float[3,2] y) { s = Constant<value_ints=[3,2]>() y = Reshape(x, s) }"),
    (11, 9, "g (float[2,3] a, float[3,4] b) => (float[2,4] y) { y = Gemm<alpha=0.5>(a, b) }",
     "g (float[2,3] a, float[3,4] b) => (float[2,4] y) { c = Constant<value_floats=[0.0]>() y = Gemm<alpha=0.5>(a, b, c) }"),
    (13, 7, "g (float[2,3] x) => (float[2,3] y) { n = Constant<value_int=2>() y = Pow(x, n) }",
     "g (float[2,3] x) => (float[2,3] y) { n = Constant<value_int=2>() m = Cast<to=1>(n) y = Pow(x, m) }"),
    (13, 7, "g (float[2] x, float[2] z) => (float[2] y) { y = Pow(x, z) }",
     "g (float[2] x, float[2] z) => (float[2] y) { y = Pow(x, z) }"),
    (15, 13, "g (float[2] x, int64[2] z) => (float[2] y) { y = CastLike(z, x) }",
     "g (float[2] x, int64[2] z) => (float[2] y) { y = Cast<to=1>(z) }"),
    (13, 10, "g (float[1,8,2,3] x) => (float[1,2,4,6] y) { y = DepthToSpace<blocksize=2, mode=\"CRD\">(x) }",
     """g (float[1,8,2,3] x) => (float[1,2,4,6] y) { s = Constant<value_ints=[0,2,2,2,2,3]>() a = Reshape(x, s)
        b = Transpose<perm=[0,1,4,2,5,3]>(a) t = Constant<value_ints=[0,2,4,6]>() y = Reshape(b, t) }"""),
    (13, 10, "g (float[1,8,2,3] x) => (float[1,2,4,6] y) { y = DepthToSpace<blocksize=2, mode=\"DCR\">(x) }",
     "g (float[1,8,2,3] x) => (float[1,2,4,6] y) { y = DepthToSpace<blocksize=2>(x) }"),
    (13, 7, "g (float[2,3] a, float[3] b, float[1] c) => (float[2,3] y) { y = Sum(a, b, c) }",
     "g (float[2,3] a, float[3] b, float[1] c) => (float[2,3] y) { s = Add(a, b) y = Add(s, c) }"),
    (13, 7, "g (float[2,3] a, float[2,3] b) => (float[2,3] y) { y = Max(a, b) }",
     "g (float[2,3] a, float[2,3] b) => (float[2,3] y) { y = Max(a, b) }"),
    (28, 27, "g (int64[2] a, int64[2] b) => (int64[2] y) { y = Mod(a, b) }",
     "g (int64[2] a, int64[2] b) => (int64[2] y) { y = Mod(a, b) }"),
]


@pytest.mark.parametrize(("source", "target", "before", "after"), [case for case in CONVERTED if case[0] <= OPSET])
def test_converts(source, target, before, after):
    assert_converts(before, after, source=source, target=target, runs=source < 28)


def test_a_size_of_zero_that_may_fail_is_said():
    done = conversion("g (float[b,s,6] x, int64[1] n) => (float[b,s,2,3] y) { z = Shape<end=2>(x) "
                      "t = Constant<value_ints=[2,3]>() q = Concat<axis=0>(z, t) y = Reshape<allowzero=1>(x, q) }", 18, 13)
    assert not done.gaps and not done.ctx.warnings  # each symbolic size copies its own axis: 0 means the same

    done = conversion("g (float[b,s,6] x) => (float[s,b,6] y) { z = Shape<end=1>(x) w = Shape<start=1,end=2>(x) "
                      "t = Constant<value_ints=[6]>() q = Concat<axis=0>(w, z, t) y = Reshape<allowzero=1>(x, q) }", 18, 13)
    assert not done.gaps and len(done.ctx.warnings) == 1
    assert "Reshape has no allowzero in older operator sets" in done.ctx.warnings[0]


GRID = "g (float[1,1,4,4] x, float[1,2,2,2] p) => (float[1,1,2,2] y) {{ y = GridSample<mode=\"{}\">(x, p) }}"


@pytest.mark.parametrize(("new", "old"), [("linear", "bilinear"), ("cubic", "bicubic"), ("nearest", "nearest")])
def test_modes_of_grid_sample(new, old):
    assert_converts(GRID.format(new), GRID.format(old), source=20, target=16, rtol=1e-6, atol=1e-6)


def test_roi_align_from_its_corners():
    feeds = {"x": np.arange(16, dtype="f").reshape(1, 1, 4, 4), "r": np.array([[0, 0, 3, 3]], "f"), "b": np.array([0])}
    text = "g (float[1,1,4,4] x, float[1,4] r, int64[1] b) => (float[1,1,1,1] y) {{ y = RoiAlign{}(x, r, b) }}"
    assert_converts(text.format('<coordinate_transformation_mode="output_half_pixel">'), text.format(""),
                    source=16, target=10, feeds=feeds)


@pytest.mark.parametrize(("source", "target", "attribute"), [(19, 10, "axis=1"),
(21, 19, "output_dtype=2, block_size=0")])
def test_quantize_with_one_scale(source, target, attribute):
    text = "g (float[2,3] x) => (uint8[2,3] y) {{ s = Constant<value_float=0.5>() z = Constant<value=uint8 {{3}}>() " \
           "y = QuantizeLinear{}(x, s, z) }}"
    assert_converts(text.format(f"<{attribute}>"), text.format(""), source=source, target=target)


def test_dequantize_to_the_type_of_the_scale():
    text = "g (uint8[2] x) => (float[2] y) {{ s = Constant<value_float=0.5>() y = DequantizeLinear{}(x, s) }}"
    assert_converts(text.format("<output_dtype=1>"), text.format(""), source=23, target=21)


def test_scatter_elements():
    arrays = {"i": np.array([[1, 0]]), "u": np.array([[5, 6]], "f")}
    assert_converts("g (float[2,2] x) => (float[2,2] y) { y = ScatterElements(x, i, u) }",
                    """g (float[2,2] x) => (float[2,2] y) <int64[1,2] i = {1,0}, float[1,2] u = {5,6}>
                       { y = Scatter(x, i, u) }""", source=18, target=9, initializers=arrays)


@pytest.mark.parametrize("target", [16, 13, 11, 9])
@pytest.mark.parametrize(("attributes", "inputs"), [("", "x, s"), ("<axis=1, epsilon=0.1>", "x, w, b")])
def test_layer_normalization_is_written_out(target, attributes, inputs):
    """float32 of numbers around 1000: the mean of squares would lose all digits, the square of deviations does not."""
    original = model(f"g (float[2,3,4] x, float[4] s, float[3,4] w, float[3,4] b) => (float[2,3,4] y) "
                     f"{{ y = LayerNormalization{attributes}({inputs}) }}", opset=17)
    feeds = random_feeds(original)
    feeds["x"] = feeds["x"] + 1000

    result = converted(original, 17, target)

    assert "ReduceMean" in {node.op_type for node in result.graph.node}
    assert_same_outputs(original, result, feeds, rtol=2e-3, atol=2e-3)


def test_batch_normalization():
    text = f"g ({BN}) => (float[2,3] y) {{{{ y = BatchNormalization{{}}(x, s, b, m, v) }}}}"
    feeds = {**random_feeds(model(text.format(""), opset=15)), "v": np.ones(3, "f")}
    assert_converts(text.format("<training_mode=0>"), text.format(""), source=15, target=7, feeds=feeds)


def test_the_mask_of_dropout_becomes_a_number():
    done = conversion("g (float[4] x) => (float[4] y, bool[4] m) { y, m = Dropout(x) }", 10, 9)
    assert [node.op_type for node in model_proto(done.model).graph.node] == ["Dropout", "Cast"]


REFUSED = [
    (13, 11, "the rank of input 0 is unknown", "g (float[2] x) => (float[2] y) { t = Foo(x) y = Softmax(t) }"),
    (14, 13, "allowzero is 1 and the shape may hold a 0",
     "g (float[2] x, int64[1] s) => (float[n] y) { y = Reshape<allowzero=1>(x, s) }"),
    (14, 9, "it runs in training mode",
     f"g ({BN}) => (float[2,3] y, float[3] a, float[3] c) "
     "{ y, a, c = BatchNormalization<training_mode=1>(x, s, b, m, v) }"),
    (11, 9, "the type of input 0 is unknown", "g (float[2,2] x) => (float[2,2] y) { t = Foo(x) y = Gemm(t, t) }"),
    (12, 7, "the exponent is of another type than the integer base",
     "g (int32[2] x, int64[2] z) => (int32[2] y) { y = Pow(x, z) }"),
    (12, 7, "the types are unknown", "g (float[2] x) => (float[2] y) { t = Foo(x) y = Pow(x, t) }"),
    (20, 16, "the input is not known to have 4 dimensions",
     "g (float[1,1,2,2,2] x, float[1,1,1,1,3] p) => (float[1,1,1,1,1] y) { y = GridSample(x, p) }"),
    (16, 10, "it shifts the boxes by half a pixel",
     "g (float[1,1,4,4] x, float[1,4] r, int64[1] b) => (float[1,1,1,1] y) { y = RoiAlign(x, r, b) }"),
    (13, 10, "it has a scale for each channel",
     "g (float[2,3] x, float[3] s) => (uint8[2,3] y) { y = QuantizeLinear(x, s) }"),
    (21, 19, "output_dtype is not the type of the zero point",
     "g (float[2] x, float s) => (int8[2] y) { y = QuantizeLinear<output_dtype=3>(x, s) }"),
    (23, 21, "output_dtype is not the type of the scale",
     "g (uint8[2] x, float s) => (float16[2] y) { y = DequantizeLinear<output_dtype=10>(x, s) }"),
    (11, 10, "its mode is CRD and the sizes are unknown",
     "g (float[1,8,h,3] x) => (float[1,2,m,6] y) { y = DepthToSpace<blocksize=2, mode=\"CRD\">(x) }"),
    (8, 7, "its inputs are not known to have one shape",
     "g (float[2,3] a, float[3] b) => (float[2,3] y) { y = Max(a, b) }"),
    (28, 27, "it takes the remainder of floats with the sign of the divisor",
     "g (float[2] a, float[2] b) => (float[2] y) { y = Mod(a, b) }"),
    (15, 14, "the type of input 1 is unknown", "g (float[2] x) => (float[2] y) { t = Foo(x) y = CastLike(x, t) }"),
]


@pytest.mark.parametrize(("source", "target", "reason", "before"), [case for case in REFUSED if case[0] <= OPSET])
def test_refuses(source, target, reason, before):
    assert_refused(before, reason, source=source, target=target)
