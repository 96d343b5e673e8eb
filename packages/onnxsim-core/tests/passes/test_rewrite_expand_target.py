"""rewrite_expand_target: shapes given to Expand."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips

from onnxsim_core.passes.rewrite_expand_target import constant_expand, expand_without_leading_axes


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            constant_expand,
            "g (float[n,1] x) => (float[n,8] z) <int64[1] k={8}> { p = Shape<end=1>(x) s = Concat<axis=0>(p, "
            "k) z = Expand(x, s) }",
            "g (float[n,1] x) => (float[n,8] z) <int64[2] s={1,8}> { z = Expand(x, s) }",
            {},
        ),
        (
            constant_expand,
            "g (float[n] x) => (float[3,n] z) <int64[1] k={3}> { p = Shape(x) s = Concat<axis=0>(k, p) z = "
            "Expand(x, s) }",
            "g (float[n] x) => (float[3,n] z) <int64[2] s={3,1}> { z = Expand(x, s) }",
            {},
        ),
        (
            expand_without_leading_axes,
            "g (float[n] x, int64[3] s) => (float[k,l,m] z) <int64[2] a={0,1}> { u = Unsqueeze(x, a) z = "
            "Expand(u, s) }",
            "g (float[n] x, int64[3] s) => (float[k,l,m] z) { z = Expand(x, s) }",
            {"hazards": False, "feeds": {"x": np.array([1, 2], np.float32), "s": np.array([3, 1, 2])}},
        ),
    ],
)
def test_fires(rule, before, after, options):
    assert_rewrites(rule, before, after, **options)


@pytest.mark.parametrize(
    ("rule", "before", "reason", "options"),
    [
        (
            constant_expand,
            "g (float[1,4] x, float[n] y) => (float[n,4] z) <int64[1] k={4}> { p = Shape(y) s = "
            "Concat<axis=0>(p, k) z = Expand(x, s) }",
            "the shape takes a size that x does not have on that axis",
            {},
        ),
        (
            constant_expand,
            "g (float[n] x, int64[1] s) => (float[k] z) { z = Expand(x, s) }",
            "the elements of the shape, or the rank, are not known",
            {},
        ),
        (
            constant_expand,
            "g (float[n,1] x) => (float[n,8] z) <int64[2] s={1,8}> { z = Expand(x, s) }",
            "the shape is a constant already",
            {},
        ),
        (
            expand_without_leading_axes,
            "g (float[n] x) => (float[n,8] z) <int64[1] a={1}, int64[2] s={1,8}> { u = Unsqueeze(x, a) z = "
            "Expand(u, s) }",
            "the axes put in are not the leading ones",
            {},
        ),
        (
            expand_without_leading_axes,
            "g (float[1] x) => (float[1,8] z) <int64[1] a={0}, int64[1] s={8}> { u = Unsqueeze(x, a) z = "
            "Expand(u, s) }",
            "the shape given does not have all the axes",
            {},
        ),
        (
            expand_without_leading_axes,
            "g (float[n,1] x) => (float[n,8] z) <int64[2] s={1,8}> { z = Expand(x, s) }",
            "input is not made by an Unsqueeze of a value of known rank",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)
