"""DepthToSpace, SpaceToDepth and Col2Im against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, compute, fold


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
@pytest.mark.parametrize("block", [1, 2])
def test_depth_to_space(mode: str, block: int) -> None:
    assert_folds("DepthToSpace", [ramp(2, 8, 2, 3)], blocksize=block, mode=mode)
    text = f'g (float[N,8,H,3] x) => (float[] y) {{ y = DepthToSpace<blocksize={block},mode="{mode}">(x) }}'
    expected = "[N, 8, H, 3]" if block == 1 else "[N, 2, 2*H, 6]"
    for h in (0, 2):
        assert judge(text, {"x": ramp(1, 8, h, 3)}).shape("y") == expected


def test_depth_to_space_of_version_1_is_block_major() -> None:
    assert_folds("DepthToSpace", [ramp(1, 8, 2, 3)], opset=10, blocksize=2)


@pytest.mark.parametrize("block", [1, 2])
def test_space_to_depth(block: int) -> None:
    assert_folds("SpaceToDepth", [ramp(2, 3, 4, 2)], blocksize=block)
    text = f"g (float[N,C,4,2] x) => (float[] y) {{ y = SpaceToDepth<blocksize={block}>(x) }}"
    expected = "[N, C, 4, 2]" if block == 1 else "[N, 4*C, 2, 1]"
    assert judge(text, {"x": ramp(1, 3, 4, 2)}).shape("y") == expected


@pytest.mark.parametrize("mode", ["DCR", "CRD"])
def test_space_to_depth_undoes_depth_to_space_of_the_same_mode(mode: str) -> None:
    x = ramp(2, 8, 2, 3)
    (deep,) = compute("DepthToSpace", [x], blocksize=2, mode=mode)
    undone = fold("SpaceToDepth", [deep], opset=28, blocksize=2, mode=mode)
    np.testing.assert_array_equal(undone, x)
    assert fold("SpaceToDepth", [deep], opset=28, blocksize=2, mode="RCD") is None


def test_a_symbolic_size_is_taken_to_divide() -> None:
    text = "g (float[N,C,H,2] x) => (float[] y) { y = SpaceToDepth<blocksize=2>(x) }"
    assert judge(text, {"x": ramp(1, 3, 4, 2)}).shape("y") == "[N, 4*C, floor(H/2), 1]"
    text = "g (float[N,C,1,2] x) => (float[] y) { y = DepthToSpace<blocksize=2>(x) }"
    assert judge(text, {"x": ramp(1, 8, 1, 2)}).shape("y") == "[N, floor(C/4), 2, 4]"


@pytest.mark.parametrize("op_type", ["DepthToSpace", "SpaceToDepth"])
def test_blocks_that_do_not_fit(op_type: str) -> None:
    assert facts(f"g (float[1,3,3,3] x) => (float[] y) {{ y = {op_type}<blocksize=2>(x) }}").shape("y") == "?"
    assert facts(f"g (float[1,3,3] x) => (float[] y) {{ y = {op_type}<blocksize=1>(x) }}").shape("y") == "?"
    assert facts(f"g (float[1,4,4,4] x) => (float[] y) {{ y = {op_type}<blocksize=0>(x) }}").shape("y") == "?"
    assert facts(f"g (float[] x) => (float[] y) {{ y = {op_type}<blocksize=2>(x) }}").shape("y") == "[_, _, _, _]"
    assert fold(op_type, [ramp(1, 3, 3, 3)], blocksize=2) is None


def test_col2im() -> None:
    text = "g (float[N,C,L] x) => (float[] y) { y = Col2Im(x, image, block) }"
    constants = {"image": np.array([5, 4]), "block": np.array([2, 3])}
    found = judge(text, {"x": ramp(2, 18, 8)}, kernels=False, **constants)
    assert found.shape("y") == "[N, floor(C/6), 5, 4]"
    assert facts(text.replace("[N,C,L]", "[N,18,L]"), **constants).shape("y") == "[N, 3, 5, 4]"
    unknown = "g (float[N,18,L] x, int64[2] b) => (float[] y) { y = Col2Im(x, image, b) }"
    assert facts(unknown, image=np.array([5, 4])).shape("y") == "[N, _, 5, 4]"
