"""fuse_depth_to_space: both modes, the way back, and reshapes that only look like it."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import given

from onnxsim_core.passes.fuse_depth_to_space import depth_or_space

HEAD = "g (float[n,18,4,5] x) => (float[n,2,12,15] z)"


def graph(head: str, split: list[int], perm: str, joined: list[int]) -> str:
    body = f"{{ a = Reshape(x, s) b = Transpose<perm={perm}>(a) z = Reshape(b, t) }}"
    return given(head + body, s=np.array(split, np.int64), t=np.array(joined, np.int64))


def test_channels_last_in_a_block():
    assert_rewrites(
        depth_or_space,
        graph(HEAD, [0, 3, 3, 2, 4, 5], "[0,3,4,1,5,2]", [-1, 2, 12, 15]),
        HEAD + "{ z = DepthToSpace<blocksize=3>(x) }",
    )


def test_channels_first_in_a_block():
    assert_rewrites(
        depth_or_space,
        graph(HEAD, [0, 2, 3, 3, 4, 5], "[0,1,4,2,5,3]", [-1, 2, 12, 15]),
        HEAD + '{ z = DepthToSpace<blocksize=3, mode="CRD">(x) }',
    )


def test_space_to_depth():
    head = "g (float[n,2,12,15] x) => (float[n,18,4,5] z)"
    assert_rewrites(
        depth_or_space,
        graph(head, [0, 2, 4, 3, 5, 3], "[0,3,5,1,2,4]", [-1, 18, 4, 5]),
        head + "{ z = SpaceToDepth<blocksize=3>(x) }",
    )


def test_opset_1_has_one_mode():
    head = "g (float[2,18,4,5] x) => (float[2,2,12,15] z)"
    assert_rewrites(
        depth_or_space,
        graph(head, [2, 3, 3, 2, 4, 5], "[0,3,4,1,5,2]", [2, 2, 12, 15]),
        head + "{ z = DepthToSpace<blocksize=3>(x) }",
        opset=9,
    )
    assert_skips(
        depth_or_space,
        graph(head, [2, 2, 3, 3, 4, 5], "[0,1,4,2,5,3]", [2, 2, 12, 15]),
        "the Transpose deals channels out another way",
        opset=9,
    )


S18 = "g (float[2,18,4,5] x) => (float[] z)"


@pytest.mark.parametrize(
    ("reason", "head", "split", "perm", "joined"),
    [
        ("four axes do not become six", S18, [2, 18, 20], "[0,2,1]", [2, 20, 18]),
        ("six axes do not become four", S18, [2, 3, 3, 2, 4, 5], "[0,3,4,1,5,2]", [2, 2, 180]),
        ("the Transpose deals channels out another way", S18, [2, 3, 3, 2, 4, 5], "[0,3,4,2,5,1]", [2, 2, 12, 15]),
        ("the blocks are not square", S18, [2, 9, 1, 2, 4, 5], "[0,3,4,1,5,2]", [2, 2, 36, 5]),
        ("the sizes are others", S18, [2, 3, 3, 2, 5, 4], "[0,3,4,1,5,2]", [2, 2, 15, 12]),
        ("the sizes are others", S18, [2, 3, 3, 2, 4, 5], "[0,3,4,1,5,2]", [2, 2, 15, 12]),
        ("the sizes are others", S18, [2, 3, 3, 2, 4, 5], "[0,3,4,1,5,2]", [2, 4, 6, 15]),
        (
            "the sizes are others",
            "g (float[2,2,12,15] x) => (float[] z)",
            [2, 2, 4, 3, 5, 3],
            "[0,3,5,1,2,4]",
            [2, 18, 5, 4],
        ),
        (
            "the blocks are not square",
            "g (float[2,2,12,10] x) => (float[] z)",
            [2, 2, 4, 3, 5, 2],
            "[0,3,5,1,2,4]",
            [2, 12, 4, 5],
        ),
    ],
)
def test_skips(reason, head, split, perm, joined):
    assert_skips(depth_or_space, graph(head, split, perm, joined), reason)


def test_skips_integers():
    assert_skips(
        depth_or_space,
        graph(S18, [2, 3, 3, 2, 4, 5], "[0,3,4,1,5,2]", [2, 2, 12, 15]).replace("float", "int32"),
        "the runtime's DepthToSpace does not take this type",
    )


def test_skips_other_nodes():
    assert_skips(
        depth_or_space,
        given("g (float[2,8] x) => (float[16] z) { z = Reshape(x, t) }", t=np.array([16], np.int64)),
        "it is not Reshape, Transpose, Reshape",
    )


def test_skips_steps_with_other_readers():
    text = """g (float[2,18,4,5] x) => (float[2,2,12,15] z, float[2,2,4,3,5,3] b) {
        a = Reshape(x, s) b = Transpose<perm=[0,3,4,1,5,2]>(a) z = Reshape(b, t) }"""
    assert_skips(
        depth_or_space,
        given(text, s=np.array([2, 3, 3, 2, 4, 5], np.int64), t=np.array([2, 2, 12, 15], np.int64)),
        "a step has other readers",
    )
