"""Upwards from the first versions, judged by onnx.reference or by what the operator is known to do."""

import numpy as np
import pytest
from opsets import assert_converts, assert_refused, converted, outputs_of

X = np.array([[-1.0, 0.0, 2.0], [3.0, -4.0, 0.5]], "f")


@pytest.mark.parametrize(("source", "target", "before", "after", "expected"), [
    (5, 7, "y = Relu<consumed_inputs=[0]>(x)", "y = Relu(x)", np.maximum(X, 0)),
    (1, 13, "y = Cast<to=\"INT32\">(x)", "y = Cast<to=6>(x)", X.astype(np.int32)),
    (1, 13, "y = Concat(x, x)", "y = Concat<axis=1>(x, x)", np.concatenate([X, X], 1)),
    (1, 7, "y = Pad<paddings=[0,1,0,0]>(x)", "y = Pad<pads=[0,1,0,0]>(x)", np.pad(X, ((0, 0), (1, 0)))),
    (1, 7, "y = Reshape<shape=[3,2]>(x)", "s = Constant<value_ints=[3,2]>() y = Reshape(x, s)", X.reshape(3, 2)),
    (1, 7, "y = Split<axis=1, split=[3]>(x)", "y = Split<axis=1, split=[3]>(x)", X),
    (6, 7, "y = Dropout<is_test=1>(x)", "y = Dropout(x)", X),
    (6, 7, "y = Gemm<broadcast=1>(x, w, b)", "y = Gemm(x, w, b)", X @ X.T + 1),
    (6, 7, "y = Add<broadcast=1, axis=0>(x, c)", "d = Constant<value=float[2,1] {1, 2}>() y = Add(x, d)",
     X + np.array([[1], [2]])),
    (6, 7, "y = Mul<broadcast=1>(x, b3)", "y = Mul(x, b3)", X * 2),
    (6, 7, "y = PRelu(x, p)", "y = PRelu(x, p)", np.where(X < 0, X * 2, X)),
])
def test_first_versions(source, target, before, after, expected):
    known = {"w": X.T.copy(), "b": np.ones(2, "f"), "c": np.array([1, 2], "f"), "b3": np.full(3, 2, "f"),
             "p": np.full(3, 2, "f")}
    kind = "int32" if expected.dtype == np.int32 else "float"
    head = f"g (float[2,3] x) => ({kind}[{','.join(map(str, expected.shape))}] y)"
    used = {name: array for name, array in known.items() if f", {name}" in before}
    listed = ", ".join(f"float[{','.join(map(str, a.shape))}] {n} = {{{','.join(map(str, a.ravel()))}}}"
                       for n, a in used.items() if f", {n}" in after)
    result = assert_converts(f"{head} {{ {before} }}", f"{head} <{listed}> {{ {after} }}" if listed else
                             f"{head} {{ {after} }}", source=source, target=target, initializers=used, runs=False)
    result.ir_version = 8
    np.testing.assert_allclose(outputs_of(result, {"x": X})["y"], expected, rtol=1e-6)


def test_slope_for_each_channel_gets_the_axes_behind():
    result = assert_converts(
        "g (float[1,2,3] x) => (float[1,2,3] y) { y = PRelu(x, p) }",
        "g (float[1,2,3] x) => (float[1,2,3] y) { q = Constant<value=float[2,1] {2, 3}>() y = PRelu(x, q) }",
        source=6, target=7, initializers={"p": np.array([2, 3], "f")}, runs=False)
    y = outputs_of(result, {"x": -np.ones((1, 2, 3), "f")})["y"]
    assert y.tolist() == [[[-2] * 3, [-3] * 3]]


def test_upsample_by_height_and_width():
    result = converted("g (float[1,1,1,2] x) => (float[1,1,2,6] y) { y = Upsample<height_scale=2.0, width_scale=3.0>(x) }",
                       6, 9)
    y = outputs_of(result, {"x": np.array([[[[1, 2]]]], "f")})["y"]
    assert y.tolist() == [[[[1, 1, 1, 2, 2, 2]] * 2]]


def test_tile_of_one_axis():
    result = converted("g (float[2,3] x) => (float[2,6] y) { y = Tile(x, t, a) }", 5, 13,
                       initializers={"t": np.array(2, "f"), "a": np.array(1, "f")})
    assert outputs_of(result, {"x": X})["y"].tolist() == np.tile(X, (1, 2)).tolist()


def test_numbers_that_changed_are_written_out():
    result = converted("g (float[2] x) => (float[2] y) { y = Selu(x) }", 5, 6)
    (node,) = result.graph.node
    assert {a.name: round(a.f, 4) for a in node.attribute} == {"alpha": 1.6732, "gamma": 1.0507}


@pytest.mark.parametrize(("op", "power"), [("GlobalLpPool", "p=2.0"), ("GlobalLpPool", "p=3.0")])
def test_powers_become_whole(op, power):
    result = converted(f"g (float[1,1,4] x) => (float[1,1,1] y) {{ y = {op}<{power}>(x) }}", 1, 7)
    assert [(a.type, a.i) for a in result.graph.node[0].attribute] == [(2, int(float(power[2:])))]


def test_lstm_says_by_its_outputs_what_is_wanted():
    text = "g (float[2,1,3] x, float[1,8,3] w, float[1,8,2] r) => (float[2,1,1,2] y) " \
           "{{ y = LSTM<hidden_size=2{}>(x, w, r) }}"
    result = converted(text.format(", output_sequence=1"), 6, 14)
    assert [a.name for a in result.graph.node[0].attribute] == ["hidden_size"]


@pytest.mark.parametrize(("source", "target", "reason", "before"), [
    (1, 6, "it casts to a type that ONNX does not have", "g (float[2] x) => (float[2] y) { y = Cast<to=\"FLOTE\">(x) }"),
    (1, 2, "p is not a whole number", "g (float[1,1,4] x) => (float[1,1,1] y) { y = GlobalLpPool<p=2.5>(x) }"),
    (1, 2, "the sizes are not constant", "g (float[4] x, float[2] s) => (float[2] y, float[2] z) { y, z = Split(x, s) }"),
    (5, 6, "tiles, axis or the rank are unknown",
     "g (float[2,3] x, float t, float a) => (float[n,m] y) { y = Tile(x, t, a) }"),
    (6, 7, "the ranks are unknown",
     "g (float[2,3] x) => (float[2,3] y) { t = Foo(x) y = Add<broadcast=1, axis=0>(x, t) }"),
    (6, 7, "the ranks are unknown", "g (float[2,3] x) => (float[2,3] y) { t = Foo(x) y = PRelu(x, t) }"),
    (6, 7, "it runs in training mode: its statistics are read",
     "g (float[2,3] x, float[3] s) => (float[2,3] y, float[3] m) { y, m = BatchNormalization(x, s, s, s, s) }"),
])
def test_refuses(source, target, reason, before):
    assert_refused(before, reason, source=source, target=target)
