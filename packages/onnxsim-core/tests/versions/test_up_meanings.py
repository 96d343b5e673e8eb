"""Upwards, operators that mean something else since a version."""

import numpy as np
import pytest
from opsets import assert_converts, assert_refused, converted, outputs_of

from onnxsim_testkit import assert_same_outputs, model, random_feeds


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax", "Hardmax"])
def test_softmax_of_two_axes(op):
    assert_converts(
        f"g (float[n,3,4] x) => (float[n,3,4] y) {{ y = {op}(x) }}",
        f"""g (float[n,3,4] x) => (float[n,3,4] y) {{
            f = Flatten<axis=1>(x) s = {op}<axis=-1>(f) z = Shape(x) y = Reshape(s, z) }}""", source=11, target=13)


@pytest.mark.parametrize(("shape", "axis", "new"), [
    ("n,4", 1, 1), ("2,3,4", 2, 2), ("2,3,1,1", 1, 1), ("2,1,1,3", 1, 3), ("2,3,4", -1, 2), ("2,1,1", 1, 2),
])
def test_softmax_of_one_axis(shape, axis, new):
    assert_converts(f"g (float[{shape}] x) => (float[{shape}] y) {{ y = Softmax<axis={axis}>(x) }}",
                    f"g (float[{shape}] x) => (float[{shape}] y) {{ y = Softmax<axis={new}>(x) }}", source=11, target=13)


def test_softmax_of_unknown_rank_is_flattened():
    result = converted("g (float[2,3,4] x) => (float[2,3,4] y) { t = Foo(x) y = Softmax<axis=1>(t) }", 11, 13)

    assert [node.op_type for node in result.graph.node] == ["Foo", "Flatten", "Softmax", "Shape", "Reshape"]


BN = "float[2,3] x, float[3] s, float[3] b, float[3] m, float[3] v"


def test_batch_normalization():
    for source, target, attributes in ((7, 9, "<spatial=1>"), (8, 9, ""), (9, 14, "<epsilon=0.1>"), (9, 15, "")):
        kept = attributes.replace("<spatial=1>", "")
        assert_converts(f"g ({BN}) => (float[2,3] y) {{ y = BatchNormalization{attributes}(x, s, b, m, v) }}",
                        f"g ({BN}) => (float[2,3] y) {{ y = BatchNormalization{kept}(x, s, b, m, v) }}", source=source,
                        target=target, feeds={**random_feeds(model(f"g ({BN}) => () {{}}")), "v": np.ones(3, "f")})


def test_unread_statistics_go():
    assert_converts(f"g ({BN}) => (float[2,3] y) {{ y, a, b2, c, d = BatchNormalization(x, s, b, m, v) }}",
                    f"g ({BN}) => (float[2,3] y) {{ y = BatchNormalization(x, s, b, m, v) }}",
                    source=9, target=14, runs=False)


def test_a_mask_becomes_bool():
    result = converted("g (float[4] x) => (float[4] y, float[4] m) { y, m = Dropout(x) }", 9, 10)

    assert [node.op_type for node in result.graph.node] == ["Dropout", "Cast"]


def test_a_mask_nobody_reads_goes():
    result = converted("g (float[4] x) => (float[4] y) { y, m = Dropout(x) }", 9, 10)

    assert [(node.op_type, len(node.output)) for node in result.graph.node] == [("Dropout", 1)]


SCALED = "g (float[1,1,{}] x) => (float[1,1,{}] y) {{ s = Constant<value_floats=[1.0,1.0,{}]>() y = {} }}"


@pytest.mark.parametrize(("source", "op", "sizes", "new", "scale", "nearest"), [
    (9, "Upsample", "5,5", "10,10", "2.0,2.0", "floor"), (9, "Upsample", "5,4", "12,10", "2.5,2.5", "floor"),
    (10, "Resize", "5,5", "10,10", "2.0,2.0", "floor"), (10, "Resize", "6,6", "3,2", "0.5,0.4", "ceil"),
])
def test_nearest_pixels(source, op, sizes, new, scale, nearest):
    original = model(SCALED.format(sizes, new, scale, f"{op}(x, s)"), opset=source)

    result = converted(original, source, 13)

    (node,) = (node for node in result.graph.node if node.op_type == "Resize")
    attributes = {a.name: a.s.decode() for a in node.attribute if a.type == 3}
    assert attributes["coordinate_transformation_mode"] == "asymmetric" and attributes["nearest_mode"] == nearest
    assert list(node.input) == ["x", "", "s"]
    assert_same_outputs(original, result, random_feeds(original), rtol=0, atol=0)


@pytest.mark.parametrize("target", [11, 13, 18])
def test_linear_pixels(target):
    original = model(SCALED.format("3,3", "6,7", "2.0,2.4", 'Resize<mode="linear">(x, s)'), opset=10)

    result = converted(original, 10, target)

    assert_same_outputs(original, result, random_feeds(original), rtol=1e-6, atol=1e-6)


def test_scatter():
    arrays = {"i": np.array([[1, 0]]), "u": np.array([[5, 6]], "f")}
    assert_converts("g (float[2,2] x) => (float[2,2] y) { y = Scatter(x, i, u) }",
                    """g (float[2,2] x) => (float[2,2] y) <int64[1,2] i = {1,0}, float[1,2] u = {5,6}>
                       { y = ScatterElements(x, i, u) }""", source=9, target=11, initializers=arrays)


GRID = "g (float[1,1,4,4] x, float[1,2,2,2] p) => (float[1,1,2,2] y) {{ y = GridSample<mode=\"{}\">(x, p) }}"


@pytest.mark.parametrize(("old", "new"), [("bilinear", "linear"), ("bicubic", "cubic"), ("nearest", "nearest")])
def test_modes_of_grid_sample(old, new):
    assert_converts(GRID.format(old), GRID.format(new), source=16, target=20, rtol=1e-6, atol=1e-6)


def test_roi_align_keeps_its_corners():
    feeds = {"x": np.arange(16, dtype="f").reshape(1, 1, 4, 4), "r": np.array([[0, 0, 3, 3]], "f"), "b": np.array([0])}
    text = "g (float[1,1,4,4] x, float[1,4] r, int64[1] b) => (float[1,1,1,1] y) {{ y = RoiAlign{}(x, r, b) }}"
    assert_converts(text.format(""), text.format('<coordinate_transformation_mode="output_half_pixel">'),
                    source=10, target=16, feeds=feeds)


def test_group_normalization_scales_channels():
    """onnxruntime has no kernel for version 18, which was taken back: the definition in the schema is run."""
    text = "g (float[1,4,3] x, float[{}] s, float[{}] b) => (float[1,4,3] y) {{ {} }}"
    original = model(text.format(2, 2, "y = GroupNormalization<num_groups=2>(x, s, b)"), opset=18)
    result = converted(original, 18, 21)
    feeds = random_feeds(original)
    wide = {**feeds, "s": feeds["s"].repeat(2), "b": feeds["b"].repeat(2)}
    direct = model(text.format(4, 4, "y = GroupNormalization<num_groups=2>(x, s, b)"), opset=21)

    np.testing.assert_allclose(outputs_of(result, feeds)["y"], outputs_of(direct, wide)["y"], rtol=1e-6)


@pytest.mark.parametrize(("source", "target", "reason", "before"), [
    (8, 9, "spatial is 0", f"g ({BN}) => (float[2,3] y) {{ y = BatchNormalization<spatial=0>(x, s, b, m, v) }}"),
    (9, 14, "it runs in training mode: its statistics are read",
     f"g ({BN}) => (float[2,3] y, float[3] a) {{ y, a = BatchNormalization(x, s, b, m, v) }}"),
    (10, 11, "scales are not constant, and where it shrinks it rounds in another way",
     "g (float[4] x, float[1] s) => (float[n] y) { y = Resize(x, s) }"),
    (10, 11, "it grows along one axis and shrinks along another",
     "g (float[4,4] x) => (float[2,8] y) { s = Constant<value_floats=[0.5,2.0]>() y = Resize(x, s) }"),
    (18, 21, "the number of channels is unknown",
     "g (float[1,c,3] x, float[2] s, float[2] b) => (float[1,c,3] y) { y = GroupNormalization<num_groups=2>(x, s, b) }"),
])
def test_refuses(source, target, reason, before):
    assert_refused(before, reason, source=source, target=target)


def test_scan_of_batches_stays_where_it_is():
    text = """g (float[1,2] i, float[1,3,2] x) => (float[1,2] y, float[1,3,2] z) { y, z = Scan<num_scan_inputs=1,
        body = b (float[2] s, float[2] v) => (float[2] t, float[2] w) { t = Add(s, v) w = Identity(t) }>( , i, x) }"""
    assert_refused(text, "it scans batches", source=8, target=9)
