"""Downwards, integers where floats were all there was, and Trilu."""

import numpy as np
import pytest
from opsets import assert_converts, assert_refused, converted, outputs_of

from onnxsim_testkit import assert_same_outputs, model, random_feeds


def test_maximum_of_integers():
    assert_converts("g (int64[2,3] a, int64[3] b) => (int64[2,3] y) { y = Max(a, b) }",
                    "g (int64[2,3] a, int64[3] b) => (int64[2,3] y) { c = Less(a, b) y = Where(c, b, a) }",
                    source=13, target=11)
    assert_converts("g (int32[4] a, int32[4] b) => (int32[4] y) { y = Min(a, b) }",
                    "g (int32[4] a, int32[4] b) => (int32[4] y) { c = Less(b, a) y = Where(c, b, a) }",
                    source=12, target=11)
    assert_converts("g (int32[4] a) => (int32[4] y) { y = Max(a) }", "g (int32[4] a) => (int32[4] y) { y = Identity(a) }",
                    source=12, target=11)


def test_maximum_of_floats_stays():
    assert_converts("g (float[4] a, float[4] b) => (float[4] y) { y = Max(a, b) }",
                    "g (float[4] a, float[4] b) => (float[4] y) { y = Max(a, b) }", source=13, target=8)


def test_clip_of_integers():
    assert_converts("g (int64[4] x, int64 a, int64 b) => (int64[4] y) { y = Clip(x, a, b) }",
                    """g (int64[4] x, int64 a, int64 b) => (int64[4] y) {
                       c = Less(x, a) t = Where(c, a, x) d = Less(b, t) y = Where(d, b, t) }""", source=13, target=11)
    assert_converts("g (int64[4] x) => (int64[4] y) { y = Clip(x) }", "g (int64[4] x) => (int64[4] y) { y = Identity(x) }",
                    source=13, target=11)


@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize("offset", [None, -1, 2])
@pytest.mark.parametrize(("shape", "target"), [("3,4", 13), ("3,4", 9), ("n,m", 13), ("n,m", 11), ("b,n,m", 13)])
def test_triangles(upper, offset, shape, target):
    """Static sizes make a mask in the model, symbolic ones count rows and columns; NaN outside the triangle goes too."""
    k = "" if offset is None else f"k = Constant<value_int={offset}>()"
    arguments = "x" if offset is None else "x, k"
    original = model(f"g (float[{shape}] x) => (float[{shape}] y) {{ {k} y = Trilu<upper={upper}>({arguments}) }}", opset=14)
    feeds = {"x": random_feeds(original, dims={"n": 3, "m": 5, "b": 2})["x"]}
    feeds["x"].reshape(-1)[[1, -2]] = np.nan

    result = converted(original, 14, target)

    assert "Trilu" not in {node.op_type for node in result.graph.node}
    assert_same_outputs(original, result, feeds, rtol=0, atol=0)


def test_a_triangle_whose_offset_is_fed():
    text = "g (float[3,3] x, int64 k) => (float[3,3] y) { y = Trilu(x, k) }"
    original = model(text, opset=14)
    result = converted(original, 14, 13)
    for offset in (-1, 0, 1):
        feeds = {"x": np.arange(9, dtype="f").reshape(3, 3), "k": np.array(offset)}
        assert outputs_of(result, feeds)["y"].tolist() == np.triu(feeds["x"], offset).tolist()


def test_refuses_a_triangle_of_unknown_rank():
    assert_refused("g (float[3,3] x) => (float[3,3] y) { t = Foo(x) y = Trilu(t) }",
                   "the type or the rank of input 0 is unknown", source=14, target=13)
