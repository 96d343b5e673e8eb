"""Shapes of convolutions against the judge."""

from typing import Any

import numpy as np
import pytest
from ops.judging import Judged, facts, judge

SIZES = [(1, 8, 9), (2, 11, 7), (3, 16, 6)]


def conv(call: str, weight: tuple[int, ...], size: tuple[int, ...], expected: str, **more: Any) -> None:
    text = f"g (float[N,4,H,W] x) => (y) {{ y = {call}(x, w) }}"
    x, w = np.ones((size[0], 4, *size[1:]), np.float32), np.ones(weight, np.float32)
    found = judge(text, {"x": x}, kernels=False, w=w, **more)
    assert found.shape("y") == expected


@pytest.mark.parametrize("size", SIZES)
def test_conv(size: tuple[int, ...]) -> None:
    conv("Conv", (5, 4, 3, 2), size, "[N, 5, H - 2, W - 1]")
    conv("Conv<pads=[1,1,1,1],strides=[2,2]>", (6, 4, 3, 3), size, "[N, 6, floor((H + 1)/2), floor((W + 1)/2)]")
    conv("Conv<group=2,dilations=[2,1],kernel_shape=[3,3]>", (6, 2, 3, 3), size, "[N, 6, H - 4, W - 2]")
    conv('Conv<auto_pad="SAME_UPPER",strides=[2,3]>', (6, 4, 3, 3), size, "[N, 6, floor((H + 1)/2), floor((W + 2)/3)]")
    conv('Conv<auto_pad="VALID",strides=[2,2]>', (6, 4, 2, 2), size, "[N, 6, floor(H/2), floor(W/2)]")


@pytest.mark.parametrize("size", SIZES)
def test_conv_transpose(size: tuple[int, ...]) -> None:
    conv("ConvTranspose", (4, 5, 3, 2), size, "[N, 5, H + 2, W + 1]")
    conv("ConvTranspose<strides=[2,2],group=2>", (4, 5, 2, 2), size, "[N, 10, 2*H, 2*W]")
    conv("ConvTranspose<strides=[2,2],pads=[1,1,1,1],output_padding=[1,0]>", (4, 5, 3, 3), size, "[N, 5, 2*H, 2*W - 1]")
    conv('ConvTranspose<strides=[2,2],auto_pad="SAME_LOWER">', (4, 5, 3, 3), size, "[N, 5, 2*H, 2*W]")
    conv("ConvTranspose<dilations=[2,2]>", (4, 5, 3, 3), size, "[N, 5, H + 4, W + 4]")


def test_conv_transpose_with_a_stated_output_shape() -> None:
    conv("ConvTranspose<strides=[2,2],output_shape=[16,18]>", (4, 5, 3, 3), (1, 8, 9), "[N, 5, 16, 18]")
    text = "g (float[N,4,H,W] x, float[4,5,3,3] w) => (y) { y = ConvTranspose<output_shape=[1,5,16,18]>(x, w) }"
    assert facts(text).shape("y") == "[N, 5, 16, 18]"


@pytest.mark.parametrize("rank", [1, 3])
def test_other_ranks(rank: int) -> None:
    names = ",".join("DHW"[:rank])
    x, w = np.ones((2, 3, *(5, 6, 7)[:rank]), np.float32), np.ones((4, 3, *(2,) * rank), np.float32)
    found = judge(f"g (float[N,3,{names}] x) => (y) {{ y = Conv(x, w) }}", {"x": x}, kernels=False, w=w)
    assert found.shape("y") == f"[N, 4, {', '.join(f'{name} - 1' for name in 'DHW'[:rank])}]"


def test_weights_given_at_run_time() -> None:
    text = "g (float[N,3,H,W] x, float[M,3,k,2] w) => (y) { y = Conv<strides=[1,2]>(x, w) }"
    x, w = np.ones((2, 3, 6, 7), np.float32), np.ones((4, 3, 3, 2), np.float32)
    assert judge(text, {"x": x, "w": w}, kernels=False).shape("y") == "[N, M, H - k + 1, floor(W/2)]"


def test_kernel_shape_serves_when_the_weights_are_unknown() -> None:
    found = facts("g (float[N,3,H,W] x, float[] w) => (y) { y = Conv<kernel_shape=[3,3]>(x, w) }")
    assert found.shape("y") == "[N, _, H - 2, W - 2]"
    assert facts("g (float[N,3,H,W] x, float[] w) => (y) { y = Conv(x, w) }").shape("y") == "?"
    found = facts("g (float[N,3,H,W] x, float[] w) => (y) { y = ConvTranspose<kernel_shape=[3,3]>(x, w) }")
    assert found.shape("y") == "[N, _, H + 2, W + 2]"


def test_conv_integer() -> None:
    text = "g (uint8[N,3,H,W] x, uint8[4,3,3,3] w) => (y) { y = ConvInteger<pads=[1,1,1,1]>(x, w) }"
    found = judge(text, {"x": np.ones((2, 3, 5, 6), np.uint8), "w": np.ones((4, 3, 3, 3), np.uint8)}, kernels=False)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 4, H, W]", 6)


def test_qlinear_conv_has_the_type_of_the_zero_point() -> None:
    text = "g (uint8[N,3,H,W] x) => (y) { y = QLinearConv(x, s, z, w, s, wz, s, z) }"
    found = judge(
        text,
        {"x": np.ones((2, 3, 5, 6), np.uint8)},
        kernels=False,
        s=np.array(0.5, np.float32),
        z=np.array(3, np.uint8),
        w=np.ones((4, 3, 3, 3), np.int8),
        wz=np.array(0, np.int8),
    )
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 4, H - 2, W - 2]", 2)


def test_deform_conv() -> None:
    text = "g (float[N,3,H,W] x, float[N,8,h,w] offset) => (y) { y = DeformConv<pads=[0,0,1,1]>(x, w0, offset) }"
    feeds = {"x": np.ones((2, 3, 5, 6), np.float32), "offset": np.zeros((2, 8, 5, 6), np.float32)}
    found = judge(text, feeds, opset=22, kernels=False, w0=np.ones((4, 3, 2, 2), np.float32))
    assert found.shape("y") == "[N, 4, H, W]"


def unknown(call: str, shape: str = "[N,3,H,W]", weight: str = "[4,3,3,3]") -> Judged:
    return facts(f"g (float{shape} x, float{weight} w) => (y) {{ y = {call}(x, w) }}")


@pytest.mark.parametrize("op_type", ["Conv", "ConvTranspose"])
def test_what_does_not_fit_gives_the_type_alone(op_type: str) -> None:
    for found in (
        unknown(op_type, shape="[]"),
        unknown(op_type, shape="[N,3]"),
        unknown(op_type, weight="[4,3,3]"),
        unknown(f"{op_type}<strides=[2]>"),
        unknown(f"{op_type}<pads=[1,1]>"),
        unknown(f"{op_type}<strides=[0,1]>"),
    ):
        assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)
    assert unknown("ConvTranspose<output_padding=[1]>").shape("y") == "?"
    assert unknown("ConvTranspose<output_shape=[5,5,5]>").shape("y") == "?"


def test_invalid_nodes_say_nothing() -> None:
    for op_type in ("Conv", "ConvTranspose", "ConvInteger", "QLinearConv", "DeformConv"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}", opset=22).shape("y") == "?"
