"""fuse_consecutive_squeeze_unsqueeze: axes put in and taken out."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_consecutive_squeeze_unsqueeze import put_in_what_was_squeezed, squeeze_what_was_put_in
from onnxsim_testkit import assert_same_outputs, model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            squeeze_what_was_put_in,
            "g (float[n,3] x) => (float[n,3] z) <int64[2] a={0,2}> { y = Unsqueeze(x, a) w = Squeeze(y, a) z "
            "= Neg(w) }",
            "g (float[n,3] x) => (float[n,3] z) { z = Neg(x) }",
            {},
        ),
        (
            squeeze_what_was_put_in,
            "g (float[n,3] x) => (float[n,1,3] z) <int64[2] a={0,2}, int64[1] b={0}> { y = Unsqueeze(x, a) z "
            "= Squeeze(y, b) }",
            "g (float[n,3] x) => (float[n,1,3] z) <int64[1] a={1}> { z = Unsqueeze(x, a) }",
            {},
        ),
        (
            squeeze_what_was_put_in,
            "g (float[n,1,3] x) => (float[n,3] z) <int64[1] a={0}, int64[2] b={0,2}> { y = Unsqueeze(x, a) z "
            "= Squeeze(y, b) }",
            "g (float[n,1,3] x) => (float[n,3] z) <int64[1] a={1}> { z = Squeeze(x, a) }",
            {},
        ),
        (
            put_in_what_was_squeezed,
            "g (float[n,1,3] x) => (float[n,1,3] z) <int64[1] a={1}> { y = Squeeze(x, a) w = Unsqueeze(y, a) "
            "z = Neg(w) }",
            "g (float[n,1,3] x) => (float[n,1,3] z) { z = Neg(x) }",
            {},
        ),
        (
            put_in_what_was_squeezed,
            "g (float[n,1,3] x) => (float[1,n,1,3,1] z) <int64[1] a={1}, int64[3] b={0,2,4}> { y = Squeeze(x,"
            " a) z = Unsqueeze(y, b) }",
            "g (float[n,1,3] x) => (float[1,n,1,3,1] z) <int64[2] a={0,4}> { z = Unsqueeze(x, a) }",
            {},
        ),
        (
            put_in_what_was_squeezed,
            "g (float[1,n,1,3] x) => (float[n,1,3] z) <int64[2] a={0,2}, int64[1] b={1}> { y = Squeeze(x, a) "
            "z = Unsqueeze(y, b) }",
            "g (float[1,n,1,3] x) => (float[n,1,3] z) <int64[1] a={0}> { z = Squeeze(x, a) }",
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
            squeeze_what_was_put_in,
            "g (float[n,1] x) => (float[1,n] z) <int64[1] a={0}, int64[1] b={2}> { y = Unsqueeze(x, a) z = "
            "Squeeze(y, b) }",
            "axes are left on both sides",
            {},
        ),
        (
            put_in_what_was_squeezed,
            "g (float[n,1] x) => (float[1,n] z) <int64[1] a={1}, int64[1] b={0}> { y = Squeeze(x, a) z = "
            "Unsqueeze(y, b) }",
            "axes are left on both sides",
            {},
        ),
        (
            squeeze_what_was_put_in,
            "g (float[n,1] x) => (float[n] z) <int64[1] b={1}> { y = Neg(x) z = Squeeze(y, b) }",
            "input is not made by an Unsqueeze with known axes",
            {},
        ),
        (
            put_in_what_was_squeezed,
            "g (float[n] x) => (float[n,1] z) <int64[1] b={1}> { y = Squeeze(x) z = Unsqueeze(y, b) }",
            "input is not made by a Squeeze with known axes",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_pair_gives_the_same_shape(data):
    """The sizes other than 1 are all different, so that a wrong axis is seen."""
    shape = [7, 5, 3][: data.draw(st.integers(1, 3))]
    for _ in range(data.draw(st.integers(0, 3))):
        shape.insert(data.draw(st.integers(0, len(shape))), 1)
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    first = data.draw(st.booleans())
    if first:
        removed = sorted(data.draw(st.sets(st.sampled_from(ones), min_size=1))) if ones else None
        if removed is None:
            return
        rank = len(shape) - len(removed)
        extra = data.draw(st.integers(1, 3))
        added = sorted(data.draw(st.sets(st.integers(0, rank + extra - 1), min_size=extra, max_size=extra)))
        body = "y = Squeeze(x, a) z = Unsqueeze(y, b)"
        axes = {"a": np.array(removed), "b": np.array(added)}
    else:
        extra = data.draw(st.integers(1, 3))
        added = sorted(data.draw(st.sets(st.integers(0, len(shape) + extra - 1), min_size=extra, max_size=extra)))
        middle = np.expand_dims(np.zeros(shape), tuple(added)).shape
        places = [axis for axis, size in enumerate(middle) if size == 1]
        removed = sorted(data.draw(st.sets(st.sampled_from(places), min_size=1)))
        body = "y = Unsqueeze(x, a) z = Squeeze(y, b)"
        axes = {"a": np.array(added), "b": np.array(removed)}
    sizes = ",".join(map(str, shape))
    original = model(f"g (float[{sizes}] x) => (float[] z) {{ {body} }}", opset=17, initializers=axes)
    del original.graph.output[0].type.tensor_type.shape.dim[:]
    original.graph.output[0].type.tensor_type.ClearField("shape")
    result, _ = apply([squeeze_what_was_put_in, put_in_what_was_squeezed], original)
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    assert_same_outputs(original, result, {"x": x}, rtol=0, atol=0)
