"""Shapes of pools against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge

SIZES = [(1, 8, 9), (2, 11, 7), (3, 1, 2)]


def pool(call: str, size: tuple[int, ...], expected: str, opset: int = 21) -> None:
    text = f"g (float[N,3,H,W] x) => (y) {{ y = {call}(x) }}"
    x = np.ones((size[0], 3, *size[1:]), np.float32)
    assert judge(text, {"x": x}, opset=opset, kernels=False).shape("y") == expected


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool", "LpPool"])
@pytest.mark.parametrize("size", SIZES)
def test_pools(op_type: str, size: tuple[int, ...]) -> None:
    pool(
        f"{op_type}<kernel_shape=[3,3],pads=[1,1,1,1],strides=[2,2]>",
        size,
        "[N, 3, floor((H + 1)/2), floor((W + 1)/2)]",
    )
    pool(f"{op_type}<kernel_shape=[2,2],strides=[2,2]>", size, "[N, 3, max(floor(H/2), 1), max(floor(W/2), 1)]")
    pool(f"{op_type}<kernel_shape=[2,2],strides=[2,2],ceil_mode=1>", size, "[N, 3, floor((H + 1)/2), floor((W + 1)/2)]")
    pool(
        f'{op_type}<kernel_shape=[3,3],strides=[2,2],auto_pad="SAME_UPPER">',
        size,
        "[N, 3, floor((H + 1)/2), floor((W + 1)/2)]",
    )
    pool(f"{op_type}<kernel_shape=[1,1]>", size, "[N, 3, H, W]")
    pool(
        f'{op_type}<kernel_shape=[3,3],dilations=[2,2],auto_pad="SAME_UPPER",strides=[3,3]>', (1, 8, 9), "[N, 3, _, _]"
    )


@pytest.mark.parametrize("ceil_mode", [0, 1])
def test_known_sizes_give_numbers(ceil_mode: int) -> None:
    call = f"MaxPool<kernel_shape=[3,2],strides=[2,2],ceil_mode={ceil_mode}>"
    text = f"g (float[1,3,8,9] x) => (y, i) {{ y, i = {call}(x) }}"
    found = judge(text, {"x": np.ones((1, 3, 8, 9), np.float32)}, kernels=False)
    assert found.shape("y") == found.shape("i") == ("[1, 3, 4, 5]" if ceil_mode else "[1, 3, 3, 4]")
    assert found.values["i"].dtype == 7


@pytest.mark.parametrize("op_type", ["GlobalAveragePool", "GlobalMaxPool", "GlobalLpPool"])
def test_global_pools(op_type: str) -> None:
    pool(op_type, (2, 5, 6), "[N, 3, 1, 1]")
    assert facts(f"g (float[] x) => (y) {{ y = {op_type}(x) }}").shape("y") == "?"
    assert facts(f"g (float[3] x) => (y) {{ y = {op_type}(x) }}").shape("y") == "?"


def test_max_unpool() -> None:
    text = """g (float[N,3,H,W] x) => (y) { p, i = MaxPool<kernel_shape=[2,2],strides=[2,2]>(x)
        y = MaxUnpool<kernel_shape=[2,2],strides=[2,2]>(p, i) }"""
    found = judge(text, {"x": np.ones((2, 3, 4, 6), np.float32)}, kernels=False)
    assert found.shape("y") == "[N, 3, 2*max(floor(H/2), 1), 2*max(floor(W/2), 1)]"


def test_max_unpool_to_a_given_shape() -> None:
    text = """g (float[N,3,H,W] x) => (y) { p, i = MaxPool<kernel_shape=[2,2],strides=[2,2]>(x) s = Shape(x)
        y = MaxUnpool<kernel_shape=[2,2],strides=[2,2]>(p, i, s) }"""
    for size in ((4, 6), (5, 7)):
        found = judge(text, {"x": np.ones((2, 3, *size), np.float32)}, kernels=False)
        assert found.shape("y") == "[N, 3, H, W]"
    text = "g (float[N,3,H,W] p, int64[N,3,H,W] i, int64[4] s) => (y) { y = MaxUnpool<kernel_shape=[2,2]>(p, i, s) }"
    assert facts(text).shape("y") == "[_, _, _, _]"


def test_region_pools() -> None:
    x = np.ones((2, 3, 8, 8), np.float32)
    rois = np.array([[0, 0, 0, 4, 4]] * 5, np.float32)
    text = "g (float[N,3,H,W] x, float[R,5] r) => (y) { y = MaxRoiPool<pooled_shape=[2,3]>(x, r) }"
    assert judge(text, {"x": x, "r": rois}, kernels=False).shape("y") == "[R, 3, 2, 3]"
    call = "RoiAlign<output_height=2,output_width=3>"
    text = f"g (float[N,3,H,W] x, float[R,4] r, int64[R] b) => (y) {{ y = {call}(x, r, b) }}"
    feeds = {"x": x, "r": rois[:, 1:].copy(), "b": np.zeros(5, np.int64)}
    assert judge(text, feeds, kernels=False).shape("y") == "[R, 3, 2, 3]"
    assert judge(text.replace(call, "RoiAlign"), feeds, kernels=False).shape("y") == "[R, 3, 1, 1]"


@pytest.mark.parametrize(
    "call",
    [
        "MaxPool",
        "MaxPool<kernel_shape=[2]>",
        "AveragePool<kernel_shape=[2,2],strides=[2]>",
        "LpPool<kernel_shape=[2,2],pads=[1,1]>",
    ],
)
def test_what_does_not_fit_gives_the_type_alone(call: str) -> None:
    found = facts(f"g (float[N,3,H,W] x) => (y) {{ y = {call}(x) }}")
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)


def test_unknown_ranks_and_invalid_nodes() -> None:
    text = "g (float[] x, float[2,2] r, int64[2] i) => (y) {{ y = {}(x, r, i) }}"
    for call in ("MaxPool<kernel_shape=[2,2]>", "MaxUnpool<kernel_shape=[2,2]>", "RoiAlign", "MaxRoiPool"):
        assert (
            facts(
                text.format(call)
                if call != "MaxUnpool<kernel_shape=[2,2]>"
                else "g (float[] x) => (y) { y = MaxUnpool<kernel_shape=[2,2]>(x, x) }"
            ).shape("y")
            == "?"
        )
    for op_type in ("MaxPool", "GlobalMaxPool", "MaxUnpool", "RoiAlign", "MaxRoiPool"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"
