"""fuse_consecutive_clips: Clip and Relu in a row."""

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips

from onnxsim_core.passes.fuse_consecutive_clips import compose_clips
from onnxsim_testkit import model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Clip(x, low, six) z = Clip(a, zero, one) }",
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { z = Clip(x, zero, one) }",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Relu(x) z = Clip(a, low, six) }",
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { z = Clip(x, zero, six) }",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Clip(x, low, one) z = Relu(a) }",
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { z = Clip(x, zero, one) }",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Clip(x, , one) z = Clip(a, low) }",
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { z = Clip(x, low, one) }",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Clip(x, low) z = Clip(a, zero) }",
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { z = Clip(x, zero) }",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) { a = Clip<min=-1.0,max=6.0>(x) z = Clip<min=0.0>(a) }",
            "g (float[n,4] x) => (float[n,4] z) { z = Clip<min=0.0,max=6.0>(x) }",
            {"opset": 10},
        ),
        (
            compose_clips,
            "g (int32[n] x) => (int32[n] z) <int32 a={1}, int32 b={3}> { c = Clip(x, a) z = Clip(c, , b) }",
            "g (int32[n] x) => (int32[n] z) <int32 a={1}, int32 b={3}> { z = Clip(x, a, b) }",
            {},
        ),
        (
            compose_clips,
            "g (double[n] x) => (double[n] z) <double a={-1}, double b={1}> { c = Relu(x) z = Clip(c, a, b) }",
            "g (double[n] x) => (double[n] z) <double a={0}, double b={1}> { z = Clip(x, a, b) }",
            {},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Tanh(x) z = Clip(a, low, six) }",
            "input is not made by Clip or Relu",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) { a = Relu(x) z = Relu(a) }",
            "both are Relu, or the first is read elsewhere",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z, float[n,4] a) <float zero={0}, float one={1}, float low={-1},"
            " float six={6}> { a = Relu(x) z = Clip(a, low, six) }",
            "both are Relu, or the first is read elsewhere",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, float "
            "six={6}> { a = Clip(x, one, six) z = Clip(a, low, zero) }",
            "the bounds leave nothing between them",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x, float b) => (float[n,4] z) <float zero={0}, float one={1}, float low={-1}, "
            "float six={6}> { a = Clip(x, b) z = Clip(a, low) }",
            "a bound is not known",
            {},
        ),
        (
            compose_clips,
            "g (float[n,4] x) => (float[n,4] z) <float b={nan}, float c={1}> { a = Clip(x, b) z = Clip(a, , c) }",
            "a bound is not known",
            {},
        ),
        (
            compose_clips,
            "g (double[n] x) => (double[n] z) <double a={-1}, double b={1}> { c = Relu(x) z = Relu(d) d = "
            "Clip(c, a, b) }",
            "the type has no Clip in this opset",
            {"opset": 11},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


@pytest.mark.parametrize("body", ["a = Relu(x) z = Clip(a, low, six)", "a = Clip(x, low, six) z = Relu(a)",
                                  "a = Clip(x, low, six) z = Clip(a, one, )", "a = Clip(x, low) z = Clip(a, , six)"])
def test_not_finite_values(body):
    text = f"g (float[19] x) => (float[19] z) <float low = {{-1}}, float one = {{1}}, float six = {{6}}> {{ {body} }}"
    original = model(text, opset=17)
    result, driver = apply(compose_clips, original)
    assert driver.changes == 1
    x = np.array([np.nan, np.inf, -np.inf, 3e38, -3e38, 0, 1e-45, -1, 6, 7, -2, 0.5] + [np.nan] * 7, np.float32)
    assert_same_model(original, result, rtol=0, atol=0, feeds={"x": x})


def test_an_unknown_type_has_no_bounds():
    assert_skips(compose_clips, "g (float[n] x) => (float[n] z) <float one={1}> { a = my.Op(x) b = Relu(a) "
                 "c = Clip(b, , one) z = my.Op(c) }", "the type is not known", domains={"my": 1})
