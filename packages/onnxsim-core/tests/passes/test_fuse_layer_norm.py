"""fuse_layer_norm: the spellings of exporters, one or several axes, and what only looks like it."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_affine_into_norm import affine_last_axes
from onnxsim_core.passes.fuse_layer_norm import layer_norm, layer_norm_of_moments
from onnxsim_testkit import model

BOUND = {"rtol": 1e-5, "atol": 2e-6}
NUMBERS = {
    "eps": np.float32(1e-5),
    "two": np.float32(2),
    "three": np.float32(3),
    "half": np.float32(0.5),
    "minus": np.float32(-0.5),
    "one": np.float32(1),
    "below": np.float32(-1),
    "axes": np.array([-1], np.int64),
    "wide": np.full((1, 1, 1, 1), 1e-5, np.float32),
}
AFTER = "g (float[b,s,8] x) => (float[b,s,8] z) { z = LayerNormalization<axis=-1, epsilon=1e-5>(x, ones) }"
MEAN = "m = ReduceMean<axes=[-1]>(x) d = Sub(x, m)"
ROOT = "a = Add(v, eps) r = Sqrt(a)"


def graph(body: str, head: str = "g (float[b,s,8] x) => (float[b,s,8] z)") -> str:
    words = set(body.replace("(", " ").replace(")", " ").replace(",", " ").split())
    return given(f"{head} {{ {body} }}", **{name: value for name, value in NUMBERS.items() if name in words})


@pytest.mark.parametrize(
    "body",
    [
        f"{MEAN} p = Pow(d, two) v = ReduceMean<axes=[-1]>(p) {ROOT} z = Div(d, r)",
        f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[2]>(p) {ROOT} i = Reciprocal(r) z = Mul(d, i)",
        f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[2]>(p) {ROOT} i = Div(one, r) z = Mul(i, d)",
        f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[2]>(p) a = Add(eps, v) r = Pow(a, half) z = Div(d, r)",
        f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[2]>(p) a = Add(eps, v) i = Pow(a, minus) z = Mul(d, i)",
        f"{MEAN} e = Sub(x, m) p = Mul(e, e) v = ReduceMean<axes=[2]>(p) {ROOT} z = Div(d, r)",
    ],
)
def test_spellings(body):
    assert_rewrites(layer_norm, graph(body), given(AFTER, ones=np.ones(8, np.float32)), **BOUND)


def test_axes_as_input():
    body = f"m = ReduceMean(x, axes) d = Sub(x, m) p = Mul(d, d) v = ReduceMean(p, axes) {ROOT} z = Div(d, r)"
    assert_rewrites(layer_norm, graph(body), given(AFTER, ones=np.ones(8, np.float32)), opset=18, **BOUND)


def test_several_axes():
    body = (
        "m = ReduceMean<axes=[3,2]>(x) d = Sub(x, m) p = Pow(d, two) v = ReduceMean<axes=[-2,-1]>(p)"
        + f" {ROOT} z = Div(d, r)"
    )
    head = "g (float[b,s,4,3] x) => (float[b,s,4,3] z)"
    assert_rewrites(
        layer_norm,
        graph(body, head),
        given(head + "{ z = LayerNormalization<axis=-2, epsilon=1e-5>(x, ones) }", ones=np.ones((4, 3), np.float32)),
        **BOUND,
    )


def test_float16():
    text = graph(f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[-1]>(p) {ROOT} z = Div(d, r)")
    text = text.replace("float[", "float16[").replace("float eps = {9.999999747378752e-06}", "float16 eps = {168}")
    after = AFTER.replace("float[", "float16[").replace("epsilon=1e-5", "epsilon=1.0013580322265625e-05")
    assert_rewrites(layer_norm, text, given(after, ones=np.ones(8, np.float16)), rtol=4e-3, atol=4e-3)


def test_an_epsilon_of_zero():
    body = f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[-1]>(p) a = Add(v, none) r = Sqrt(a) z = Div(d, r)"
    text = given("g (float[b,s,8] x) => (float[b,s,8] z) {" + body + "}", none=np.float32(0))
    assert_rewrites(
        layer_norm, text, given(AFTER.replace("epsilon=1e-5", "epsilon=0.0"), ones=np.ones(8, np.float32)), **BOUND
    )


SQUARE = "p = Mul(d, d) v = ReduceMean<axes=[-1]>(p)"


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("it is no division by a root", "z = Div(x, x)"),
        ("it is no division by a root", f"{MEAN} {SQUARE} a = Add(v, eps) r = Exp(a) z = Div(d, r)"),
        ("it is no division by a root", f"{MEAN} {SQUARE} {ROOT} i = Div(two, r) z = Mul(d, i)"),
        ("it is no division by a root", f"{MEAN} {SQUARE} {ROOT} q = Div(d, r) z = Add(q, r)"),
        ("the root is not of a mean square over the last axes plus a constant", "r = Sqrt(x) z = Div(x, r)"),
        (
            "the root is not of a mean square over the last axes plus a constant",
            f"{MEAN} {SQUARE} a = Add(v, v) r = Sqrt(a) z = Div(d, r)",
        ),
        (
            "the root is not of a mean square over the last axes plus a constant",
            f"{MEAN} {SQUARE} a = Add(v, below) r = Sqrt(a) z = Div(d, r)",
        ),
        (
            "the root is not of a mean square over the last axes plus a constant",
            f"{MEAN} p = Pow(d, three) v = ReduceMean<axes=[-1]>(p) {ROOT} z = Div(d, r)",
        ),
        (
            "the root is not of a mean square over the last axes plus a constant",
            f"{MEAN} p = Mul(d, x) v = ReduceMean<axes=[-1]>(p) {ROOT} z = Div(d, r)",
        ),
        (
            "the root is not of a mean square over the last axes plus a constant",
            f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[1]>(p) {ROOT} z = Div(d, r)",
        ),
        (
            "it is not the deviation from the mean of the same axes",
            f"p = Mul(x, x) v = ReduceMean<axes=[-1]>(p) {ROOT} z = Div(x, r)",
        ),
        (
            "it is not the deviation from the mean of the same axes",
            f"m = ReduceMean<axes=[-2,-1]>(x) d = Sub(x, m) {SQUARE} {ROOT} z = Div(d, r)",
        ),
        (
            "it is not the deviation from the mean of the same axes",
            f"m = ReduceMean<axes=[-1]>(x) d = Sub(m, x) {SQUARE} {ROOT} z = Div(d, r)",
        ),
        ("it is not the deviation from the mean of the same axes", f"{MEAN} {SQUARE} {ROOT} y = Neg(d) z = Div(y, r)"),
    ],
)
def test_skips(reason, body):
    assert_skips(layer_norm, graph(body), reason)


@pytest.mark.parametrize("place", ["a", "r", "v", "p"])
def test_skips_steps_with_other_readers(place):
    """The deviation is needed anyway: a step more would be added and none removed."""
    body = f"{MEAN} {SQUARE} {ROOT} q = Div(d, r) z = Add(q, {place})"
    reason = (
        "it is no division by a root"
        if place == "r"
        else "the root is not of a mean square over the last axes plus a constant"
    )
    assert_skips(layer_norm, graph(body), reason)


def test_skips_old_opsets():
    assert_skips(
        layer_norm,
        graph(f"{MEAN} {SQUARE} {ROOT} z = Div(d, r)"),
        "LayerNormalization exists from opset 17 on",
        opset=16,
    )


def test_skips_means_without_the_axis():
    body = f"m = ReduceMean<axes=[-1], keepdims=0>(x) d = Sub(x, m) {SQUARE} {ROOT} z = Div(d, r)"
    assert_skips(
        layer_norm,
        graph(body, "g (float[8,8,8] x) => (float[8,8,8] z)"),
        "it is not the deviation from the mean of the same axes",
    )


def test_skips_an_unknown_size():
    assert_skips(
        layer_norm,
        graph(f"{MEAN} {SQUARE} {ROOT} z = Div(d, r)", "g (float[b,s,k] x) => (float[b,s,k] z)"),
        "the size of the normalized axes is not known",
    )


def test_skips_an_unknown_rank():
    assert_skips(
        layer_norm,
        graph(f"{MEAN} {SQUARE} {ROOT} z = Div(d, r)", "g (float[] x) => (float[] z)"),
        "the root is not of a mean square over the last axes plus a constant",
    )


def test_skips_a_scale_of_millions():
    assert_skips(
        layer_norm,
        graph(f"{MEAN} {SQUARE} {ROOT} z = Div(d, r)", "g (float[1,2,2000000] x) => (float[1,2,2000000] z)"),
        "the scale would be too large",
    )


def test_skips_double():
    text = graph(f"{MEAN} {SQUARE} {ROOT} z = Div(d, r)").replace("float", "double")
    assert_skips(layer_norm, text, "LayerNormalization computes in float32")


def test_skips_an_epsilon_that_widens_the_result():
    body = f"{MEAN} {SQUARE} a = Add(v, wide) r = Sqrt(a) z = Div(d, r)"
    assert_skips(layer_norm, graph(body, "g (float[b,s,8] x) => (float[1,b,s,8] z)"), "a constant widens the result")


PARTS = """m = ReduceMean<axes=[-1]>(x) d = Sub(x, m) p = Mul(d, d) v = ReduceMean<axes=[-1]>(p) a = Add(v, eps)
    r = Sqrt(a) i = Reciprocal(r) """
MOMENTS = PARTS + "g = Mul(i, scale) k = Mul(x, g) c = Mul(m, g) h = Sub(bias, c) z = Add(k, h)"
SCALE, BIAS = drawn(8, seed=1), drawn(8, seed=2)


def moments(body: str = MOMENTS, head: str = "g (float[b,s,8] x) => (float[b,s,8] z)", **changes: np.ndarray) -> str:
    return given(f"{head} {{ {body} }}", **{"eps": np.float32(1e-5), "scale": SCALE, "bias": BIAS, **changes})


@pytest.mark.parametrize(
    "body",
    [
        MOMENTS,
        PARTS + "g = Mul(scale, i) k = Mul(g, x) c = Mul(g, m) h = Sub(bias, c) z = Add(h, k)",
        PARTS.replace("i = Reciprocal(r)", "")
        + "g = Div(scale, r) k = Mul(x, g) c = Mul(m, g) h = Sub(bias, c) z = Add(k, h)",
    ],
)
def test_moments_as_tensorflow_writes_them(body):
    after = given(AFTER.replace("(x, ones)", "(x, s, t)"), s=SCALE, t=BIAS)
    assert_rewrites(layer_norm_of_moments, moments(body), after, **BOUND)


def test_moments_without_scale():
    body = PARTS + "k = Mul(x, i) c = Mul(m, i) h = Sub(bias, c) z = Add(k, h)"
    after = given(AFTER.replace("(x, ones)", "(x, s, t)"), s=np.ones(8, np.float32), t=BIAS)
    assert_rewrites(layer_norm_of_moments, moments(body), after, **BOUND)


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("it is not x * g + (b - m * g)", "z = Add(x, bias)"),
        ("it is not x * g + (b - m * g)", MOMENTS.replace("Sub(bias, c)", "Sub(c, bias)")),
        ("it is not x * g + (b - m * g)", MOMENTS.replace("z = Add(k, h)", "y = Add(k, h) z = Add(y, g)")),
        ("it is not x * g + (b - m * g)", MOMENTS.replace("Mul(m, g)", "Mul(m, i)")),
        (
            "the gain is not over the root of a mean square over the last axes plus a constant",
            MOMENTS.replace("Reciprocal(r)", "Neg(r)"),
        ),
        (
            "the gain is not over the root of a mean square over the last axes plus a constant",
            MOMENTS.replace("z = Add(k, h)", "y = Add(k, h) z = Add(y, i)"),
        ),
        (
            "the gain is not over the root of a mean square over the last axes plus a constant",
            MOMENTS.replace("Mul(d, d)", "Mul(d, x)"),
        ),
        ("it is not the deviation from the mean of the same axes", MOMENTS.replace("Mul(m, g)", "Mul(x, g)")),
        ("it is not the deviation from the mean of the same axes", MOMENTS.replace("Mul(x, g)", "Mul(d, g)")),
        ("it is not the deviation from the mean of the same axes", MOMENTS.replace("Mul(d, d)", "Mul(x, x)")),
    ],
)
def test_skips_other_moments(reason, body):
    assert_skips(layer_norm_of_moments, moments(body), reason)


def test_skips_moments_of_other_shapes_types_and_opsets():
    assert_skips(
        layer_norm_of_moments,
        moments(bias=np.float32(0.5)),
        "scale and bias do not have the shape of the normalized axes",
    )
    assert_skips(layer_norm_of_moments, moments(), "LayerNormalization exists from opset 17 on", opset=16)
    double = {"eps": np.float64(1e-5), "scale": SCALE.astype(np.float64), "bias": BIAS.astype(np.float64)}
    assert_skips(
        layer_norm_of_moments,
        moments(head="g (double[b,s,8] x) => (double[b,s,8] z)", **double),
        "LayerNormalization computes in float32",
    )
    assert_skips(
        layer_norm_of_moments,
        moments(head="g (float[b,s,8] x) => (float[1,b,s,8] z)", eps=np.full((1, 1, 1, 1), 1e-5, np.float32)),
        "a constant widens the result",
    )
    plain = PARTS + "k = Mul(x, i) c = Mul(m, i) h = Sub(bias, c) z = Add(k, h)"
    assert_skips(
        layer_norm_of_moments,
        given(f"g (float[b,s,n] x, float[n] bias) => (float[b,s,n] z) {{ {plain} }}", eps=np.float32(1e-5)),
        "the size of the normalized axes is not known",
    )


def test_skips_a_mean_computed_outside_a_body():
    text = graph(
        f"{MEAN} z = If(c) <then_branch = t () => (float[2,3,8] k) {{ {SQUARE} {ROOT} k = Div(d, r) }},"
        " else_branch = f () => (float[2,3,8] q) { q = Neg(x) }>",
        "g (bool c, float[2,3,8] x) => (float[2,3,8] z)",
    )
    assert_skips(layer_norm, text, "it is not the deviation from the mean of the same axes")


def test_skips_a_scale_of_ones_that_is_larger_than_the_policy_allows():
    body = f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[-1]>(p) {ROOT} z = Div(d, r)"
    head = "g (float[b,9999] x) => (float[b,9999] z)"
    assert_skips(layer_norm, graph(body, head), "the scale would be too large")


def test_ones_that_a_scale_of_that_size_replaces_cost_nothing():
    body = f"{MEAN} p = Mul(d, d) v = ReduceMean<axes=[-1]>(p) {ROOT} q = Div(d, r) z = Mul(q, w)"
    before = graph(body, "g (float[b,9999] x) => (float[b,9999] z)")
    original = model(before, opset=17, initializers={"w": drawn(9999, low=0.5, high=2)})
    result, _ = apply([layer_norm, affine_last_axes], original)
    assert [node.op_type for node in result.graph.node] == ["LayerNormalization"]
    assert_same_model(original, result, **BOUND)
