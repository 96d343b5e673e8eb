"""fuse_layout_chain: chains of Reshape and Transpose."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rewriting import apply, assert_rewrites, assert_skips

from onnxsim_core.passes.fuse_layout_chain import shorten_chain
from onnxsim_testkit import assert_same_outputs, model


@pytest.mark.parametrize(
    ("rule", "before", "after", "options"),
    [
        (
            shorten_chain,
            "g (float[2,4,3,4] x) => (float[2,8,1,6] z) <int64[6] p={2,2,2,1,3,4}, int64[4] q={2,1,6,8}> { r = Reshape(x, p) "
            "t = Transpose<perm=[0,3,4,1,5,2]>(r) u = Reshape(t, q) z = Transpose<perm=[0,3,1,2]>(u) }",
            "g (float[2,4,3,4] x) => (float[2,8,1,6] z) <int64[4] p={2,2,6,4}, int64[4] q={2,8,1,6}> { r = Reshape(x, p) "
            "t = Transpose<perm=[0,3,2,1]>(r) z = Reshape(t, q) }",
            {},
        ),
        (
            shorten_chain,
            "g (float[b,6,5,64] x) => (float[b,6,64,5] z) <int64[3] p={-1,5,64}, int64[4] q={-1,6,64,5}> { r "
            "= Reshape(x, p) t = Transpose<perm=[0,2,1]>(r) z = Reshape(t, q) }",
            "g (float[b,6,5,64] x) => (float[b,6,64,5] z) { z = Transpose<perm=[0,1,3,2]>(x) }",
            {},
        ),
        (
            shorten_chain,
            "g (float[1,b,6,5,64] x) => (float[b,6,64,5] z) <int64[3] p={-1,5,64}, int64[4] q={-1,6,64,5}> { "
            "r = Reshape(x, p) t = Transpose<perm=[0,2,1]>(r) z = Reshape(t, q) }",
            "g (float[1,b,6,5,64] x) => (float[b,6,64,5] z) <int64[4] p={-1,6,5,64}> { r = Reshape(x, p) z = "
            "Transpose<perm=[0,1,3,2]>(r) }",
            {},
        ),
        (
            shorten_chain,
            "g (float[4,n,6] x) => (float[4,n,6] z) <int64[4] p={0,4,2,3}> { t = Transpose<perm=[1,0,2]>(x) r"
            " = Reshape(t, p) u = Transpose<perm=[1,0,2,3]>(r) f = Flatten<axis=2>(u) v = Reshape(f, q) z = "
            "Neg(v) }",
            "g (float[4,n,6] x) => (float[4,n,6] z) { z = Neg(x) }",
            {"initializers": {"q": np.array([4, -1, 6])}},
        ),
        (
            shorten_chain,
            "g (float[n,1,3] x) => (float[n,3] z) <int64[1] a={0}> { t = Transpose<perm=[1,0,2]>(x) z = "
            "Squeeze(t, a) }",
            "g (float[n,1,3] x) => (float[n,3] z) <int64[2] p={0,3}> { z = Reshape(x, p) }",
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
            shorten_chain,
            "g (float[n,6] x) => (float[2,n,3] z) <int64[3] p={0,2,3}> { r = Reshape(x, p) z = "
            "Transpose<perm=[1,0,2]>(r) }",
            "the chain is as short as it can be",
            {},
        ),
        (
            shorten_chain,
            "g (float[n,6] x) => (float[n,3,2] z) <int64[3] p={0,2,3}, int64[3] q={0,3,2}> { r = Reshape(x, "
            "p) z = Reshape(r, q) }",
            "nothing is transposed",
            {},
        ),
        (
            shorten_chain,
            "g (float[n,6] x) => (float[2,m] z) <int64[3] p={0,2,3}, int64[2] q={2,-1}> { r = Reshape(x, p) t"
            " = Transpose<perm=[1,0,2]>(r) z = Reshape(t, q) }",
            "the chain goes on",
            {},
        ),
        (
            shorten_chain,
            "g (float[n,6] x) => (float[6,n] z) { z = Transpose(x) }",
            "it is no chain",
            {},
        ),
        (
            shorten_chain,
            "g (float[n,6] x) => (float[2,n,3] z, float[n,2,3] r) <int64[3] p={0,2,3}> { r = Reshape(x, p) z "
            "= Transpose<perm=[1,0,2]>(r) }",
            "it is no chain",
            {},
        ),
        (
            shorten_chain,
            "g (float[0,6] x) => (float[6,0] z) <int64[2] p={3,-1}, int64[2] q={6,0}> { r = Transpose(x) z = "
            "Reshape<allowzero=1>(r, q) }",
            "a shape is unknown or may be empty by itself",
            {},
        ),
        (
            shorten_chain,
            "g (float[6,4] x) => (float[8,3] z) <int64[2] p={3,8}> { t = Transpose(x) r = Reshape(t, p) z = "
            "Transpose(r) }",
            "the sizes do not tell how elements move",
            {},
        ),
        (
            shorten_chain,
            "g (float[b,s,4,w] x) => (float[1,k,b,s] z) <int64[1] f={4}, int64[1] o={0}> { p = Shape<end=2>(x) q = "
            "Shape<start=3>(x) m = Mul(q, f) u = Concat<axis=0>(p, m) r = Reshape(x, u) t = "
            "Transpose<perm=[2,0,1]>(r) z = Unsqueeze(t, o) }",
            "a target cannot be written as a constant",
            {},
        ),
    ],
)
def test_declines(rule, before, reason, options):
    assert_skips(rule, before, reason, **options)


def shapes(draw, total):
    shape = []
    while total > 1:
        factor = draw(st.sampled_from([d for d in range(2, total + 1) if total % d == 0]))
        shape.append(factor)
        total //= factor
    for _ in range(draw(st.integers(0, 2))):
        shape.insert(draw(st.integers(0, len(shape))), 1)
    return shape


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_random_chains_move_the_same_elements(data):
    draw = data.draw
    total = draw(st.sampled_from([6, 12, 24, 36]))
    start = shape = shapes(draw, total)
    body, targets = "", {}
    value = "x"
    for step in range(draw(st.integers(2, 5))):
        if draw(st.booleans()) and shape:
            perm = draw(st.permutations(range(len(shape))))
            body += f"v{step} = Transpose<perm={list(perm)}>({value}) "
            shape = [shape[axis] for axis in perm]
        else:
            shape = shapes(draw, total)
            targets[f"t{step}"] = np.array(shape, np.int64)
            body += f"v{step} = Reshape({value}, t{step}) "
        value = f"v{step}"
    dims = ",".join(map(str, start))
    text = f"g (float[{dims}] x) => (float[{','.join(map(str, shape))}] z) {{ {body} z = Identity({value}) }}"
    if not start or not shape:
        return
    original = model(text, opset=17, initializers=targets)
    result, _ = apply(shorten_chain, original)
    assert len(result.graph.node) <= len(original.graph.node)
    assert_same_outputs(original, result, {"x": np.arange(total, dtype=np.float32).reshape(start)}, rtol=0, atol=0)
