"""fuse_group_norm: groups of channels, their scales spread over the channels, and reshapes that only look like it."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_affine_into_norm import affine_channels
from onnxsim_core.passes.fuse_group_norm import group_norm

BOUND = {"rtol": 1e-5, "atol": 2e-6}
ONES, ZEROS = np.ones(2, np.float32), np.zeros(2, np.float32)
HEAD = "g (float[2,4,5,3] x) => (float[2,4,5,3] z)"
BODY = "{ a = Reshape(x, p) b = InstanceNormalization<epsilon=0.01>(a, s, t) z = Reshape(b, q) }"


def ints(*numbers: int) -> np.ndarray:
    return np.array(numbers, np.int64)


def graph(head: str = HEAD, body: str = BODY, **changes: np.ndarray) -> str:
    return given(head + body, **{"p": ints(0, 2, -1), "q": ints(2, 4, 5, 3), "s": ONES, "t": ZEROS, **changes})


def test_groups_with_a_scale_each():
    s, t = drawn(2, seed=1), drawn(2, seed=2)
    assert_rewrites(
        group_norm,
        graph(s=s, t=t),
        given(HEAD + "{ z = GroupNormalization<epsilon=0.01, num_groups=2>(x, s, t) }", s=s.repeat(2), t=t.repeat(2)),
        opset=21,
        **BOUND,
    )


def test_the_affine_part_as_exporters_write_it():
    c, h = drawn(4, 1, 1, seed=3), drawn(1, 4, 1, 1, seed=4)
    body = BODY.replace("z = Reshape(b, q)", "y = Reshape(b, q) m = Mul(y, c) z = Add(m, h)")
    assert_rewrites(
        [group_norm, affine_channels],
        graph(body=body, c=c, h=h),
        given(HEAD + "{ z = GroupNormalization<epsilon=0.01, num_groups=2>(x, c, h) }", c=c.ravel(), h=h.ravel()),
        opset=21,
        **BOUND,
    )


def test_symbolic_samples():
    head = "g (float[n,4,5,3] x) => (float[n,4,5,3] z)"
    assert_rewrites(
        group_norm,
        graph(head, q=ints(-1, 4, 5, 3)),
        given(
            head + "{ z = GroupNormalization<epsilon=0.01, num_groups=2>(x, s, t) }",
            s=ONES.repeat(2),
            t=ZEROS.repeat(2),
        ),
        opset=21,
        **BOUND,
    )


@pytest.mark.parametrize(
    ("reason", "head", "changes"),
    [
        ("the result does not have the shape of x", "g (float[2,4,5,3] x) => (float[] z)", {"q": ints(2, 4, 15)}),
        ("the samples are not kept apart", HEAD, {"p": ints(1, 2, -1)}),
        (
            "the channels are not divided into groups",
            "g (float[2,4,6] x) => (float[2,4,6] z)",
            {"p": ints(2, 3, -1), "q": ints(2, 4, 6), "s": drawn(3), "t": drawn(3)},
        ),
    ],
)
def test_skips_other_shapes(reason, head, changes):
    assert_skips(group_norm, graph(head, **changes), reason, opset=21)


def test_skips_other_nodes():
    assert_skips(
        group_norm,
        given("g (float[2,8] x) => (float[16] z) { z = Reshape(x, q) }", q=ints(16)),
        "it is not Reshape, InstanceNormalization, Reshape",
        opset=21,
    )


def test_skips_old_opsets():
    assert_skips(group_norm, graph(), "GroupNormalization scales channels from opset 21 on", opset=20)


def test_skips_other_readers():
    assert_skips(
        group_norm,
        graph("g (float[2,4,5,3] x) => (float[2,4,5,3] z, float[2,2,30] b)"),
        "a step has other readers",
        opset=21,
    )


def test_skips_double():
    text = graph(s=ONES.astype(np.float64), t=ZEROS.astype(np.float64)).replace("float[2,4", "double[2,4")
    assert_skips(group_norm, text, "GroupNormalization computes in float32", opset=21)


def test_skips_a_scale_that_is_an_input():
    text = given(
        "g (float[2,4,5,3] x, float[2] s) => (float[2,4,5,3] z)" + BODY, p=ints(0, 2, -1), q=ints(2, 4, 5, 3), t=ZEROS
    )
    assert_skips(group_norm, text, "the scale or bias of the normalization is not a constant", opset=21)
