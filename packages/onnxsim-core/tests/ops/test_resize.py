"""Sizes after Resize, Upsample, GridSample and AffineGrid against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge

from onnxsim_core.ir import dims
from onnxsim_core.ops.resize import SMALL_NUMERATOR, scaled


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def floats(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


@pytest.mark.parametrize("scale", [0.1, 0.3, 1 / 3, 0.7, 1.1, 1.5, 2.6, 3.3, 5 / 3, 0.25, 2.0])
def test_a_size_times_a_scale_is_rounded_in_float32_first(scale: float) -> None:
    text = 'g (float[K,1] x) => (float[A,B] y) { y = Resize<mode="nearest">(x, , s) }'
    for size in (10, 15, 20, 27, 30, 33, 35):
        judge(text.replace("K", str(size)), {"x": ramp(size, 1)}, kernels=False, s=floats(scale, 1))


@pytest.mark.parametrize("scale", [0.5, 2.0, 1.5, 0.75, 0.0625, 3.0, 1.0, 7.0])
def test_short_scales_of_symbolic_sizes_are_exact(scale: float) -> None:
    n = dims.SymbolTable().named("N")
    found = scaled(n, float(np.float32(scale)))
    assert found is not None
    for size in (1, 2, 3, 17, 640, 65535):
        assert dims.evaluate(found, {"N": size}) == int(np.float32(size) * np.float32(scale))


@pytest.mark.parametrize("scale", [float(np.float32(0.1)), float(SMALL_NUMERATOR), -1.0, float("nan"), float("inf")])
def test_other_scales_of_symbolic_sizes_are_not_stated(scale: float) -> None:
    assert scaled(dims.SymbolTable().named("N"), scale) is None


@pytest.mark.parametrize(
    ("opset", "call", "expected"),
    [
        (10, "x, s", "[N, 3, 2*H, 8]"),
        (11, "x, none, s", "[N, 3, 2*H, 8]"),
        (11, "x, none, none, z", "[1, 3, 5, 9]"),
        (13, "x, , s", "[N, 3, 2*H, 8]"),
        (13, "x, , , z", "[1, 3, 5, 9]"),
        (18, "x, , s", "[N, 3, 2*H, 8]"),
        (19, "x, , , z", "[1, 3, 5, 9]"),
    ],
)
def test_scales_and_sizes_of_every_version(opset: int, call: str, expected: str) -> None:
    text = f'g (float[N,3,H,4] x) => (float[] y) {{ y = Resize<mode="nearest">({call}) }}'
    constants = {"s": floats(1, 1, 2, 2), "z": ints(1, 3, 5, 9), "none": floats()}
    found = judge(text, {"x": ramp(1, 3, 6, 4)}, opset=opset, kernels=False, **constants)
    assert found.shape("y") == expected


def test_axes() -> None:
    text = 'g (float[N,3,H,W] x) => (float[] y) { y = Resize<mode="nearest",axes=[3,-2]>(x, , s) }'
    found = judge(text, {"x": ramp(1, 3, 6, 4)}, kernels=False, s=floats(0.5, 2))
    assert found.shape("y") == "[N, 3, 2*H, floor(W/2)]"
    assert facts(text.replace("-2", "4"), s=floats(0.5, 2)).shape("y") == "?"


def test_sizes_of_another_tensor() -> None:
    text = """g (float[N,3,H,W] x, float[1,1,A,B] r) => (float[] y) {
        n = Shape<end=2>(x) h = Shape<start=2>(r) z = Concat<axis=0>(n, h) y = Resize<mode="linear">(x, , , z) }"""
    feeds = {"x": ramp(1, 3, 6, 4), "r": ramp(1, 1, 5, 7)}
    assert judge(text, feeds, kernels=False).shape("y") == "[N, 3, A, B]"


@pytest.mark.parametrize("policy", ["not_larger", "not_smaller", "stretch"])
@pytest.mark.parametrize("size", [(4, 6), (5, 7), (10, 3), (7, 5), (9, 6)])
def test_keeping_the_aspect_ratio(policy: str, size: tuple[int, int]) -> None:
    for wanted in ((8, 8), (8, 9), (7, 7), (3, 4), (4, 3)):
        text = f"""g (float[{size[0]},{size[1]}] x) => (float[] y) {{
            y = Resize<mode="nearest",keep_aspect_ratio_policy="{policy}">(x, , , z) }}"""
        assert "_" not in judge(text, {"x": ramp(*size)}, kernels=False, z=ints(*wanted)).shape("y")


def test_the_aspect_ratio_of_symbolic_sizes_is_not_stated() -> None:
    text = 'g (float[H,6] x) => (float[] y) { y = Resize<mode="nearest",keep_aspect_ratio_policy="%s">(x, , , z) }'
    assert facts(text % "not_larger", z=ints(3, 3)).shape("y") == "[_, _]"
    assert facts(text % "stretch", z=ints(3, 3)).shape("y") == "[3, 3]"


def test_cropping_does_not_change_the_size() -> None:
    text = """g (float[1,1,6,8] x) => (float[] y) {
        y = Resize<mode="linear",coordinate_transformation_mode="tf_crop_and_resize">(x, roi, s) }"""
    roi = floats(0, 0, 0, 0, 1, 1, 0.5, 0.5)
    found = judge(text, {"x": ramp(1, 1, 6, 8)}, opset=13, kernels=False, roi=roi, s=floats(1, 1, 2, 2))
    assert found.shape("y") == "[1, 1, 12, 16]"


def test_unknown_scales_leave_the_rank() -> None:
    text = 'g (float[1,1,6,8] x, float[4] s) => (float[] y) { y = Resize<mode="nearest">(x, , s) }'
    assert facts(text).shape("y") == "[_, _, _, _]"
    assert facts(text.replace("[1,1,6,8]", "[]")).shape("y") == "?"


@pytest.mark.parametrize("opset", [7, 9])
def test_upsample(opset: int) -> None:
    call = 'Upsample<mode="nearest",scales=[1.0,1.0,2.0,1.3]>(x)' if opset < 9 else 'Upsample<mode="nearest">(x, s)'
    text = f"g (float[N,1,H,8] x) => (float[] y) {{ y = {call} }}"
    constants = {} if opset < 9 else {"s": floats(1, 1, 2, 1.3)}
    found = judge(text, {"x": ramp(1, 1, 6, 8)}, opset=opset, kernels=False, **constants)
    assert found.shape("y") == "[N, 1, 2*H, 10]"
    assert facts("g (float[1,2] x, float[2] s) => (float[] y) { y = Upsample(x, s) }", opset=9).shape("y") == "[_, _]"


def test_grid_sample() -> None:
    text = "g (float[N,C,6,8] x, float[N,H,W,2] q) => (float[] y) { y = GridSample(x, q) }"
    found = judge(text, {"x": ramp(2, 3, 6, 8), "q": ramp(2, 4, 5, 2) / 100}, kernels=False, opset=16)
    assert found.shape("y") == "[N, C, H, W]"
    assert facts("g (float[1,C,6] x, float[N,H,W,2] q) => (float[] y) { y = GridSample(x, q) }").shape("y") == "?"


@pytest.mark.parametrize(
    ("theta", "size", "expected"),
    [((2, 3), (2, 3, 4, 5), "[2, 4, 5, 2]"), ((3, 4), (2, 3, 4, 5, 6), "[2, 4, 5, 6, 3]")],
)
def test_affine_grid(theta: tuple[int, int], size: tuple[int, ...], expected: str) -> None:
    text = f"g (float[N,{theta[0]},{theta[1]}] t) => (float[] y) {{ y = AffineGrid(t, s) }}"
    assert judge(text, {"t": ramp(2, *theta)}, kernels=False, s=ints(*size)).shape("y") == expected
    assert facts("g (float[N,2,3] t, int64[4] s) => (float[] y) { y = AffineGrid(t, s) }").shape("y") == "?"
