"""fuse_pad_into_conv: every form of Pad, and every one that is not the Conv's own padding."""

import numpy as np
import pytest
from rewriting import assert_rewrites, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_pad_into_conv import padded_convolution

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W = drawn(4, 3, 3, 3)
BEFORE = "g (float[2,3,h,w] x) => (float[2,4,p,q] z) { y = Pad(x, a) z = Conv(y, k) }"
X = "g (float[2,3,5,5] x) => (float[2,4,p,q] z)"


def pads(*amounts: int) -> np.ndarray:
    return np.array(amounts, np.int64)


def test_zeros_become_pads_and_sizes_stay_symbolic():
    assert_rewrites(
        padded_convolution,
        given(BEFORE, k=W, a=pads(0, 0, 1, 2, 0, 0, 3, 0)),
        given("g (float[2,3,h,w] x) => (float[2,4,p,q] z) { z = Conv<pads=[1,2,3,0]>(x, k) }", k=W),
        **BOUND,
    )


def test_pads_add_up():
    assert_rewrites(
        padded_convolution,
        given(
            X
            + '{ y = Pad<mode="constant">(x, a, v) z = Conv<pads=[1,1,0,2], strides=[2,1]>(y, k, b) }',
            k=W,
            a=pads(0, 0, 1, 2, 0, 0, 3, 0),
            v=np.float32(-0.0),
            b=drawn(4),
        ),
        given(X + "{ z = Conv<pads=[2,3,3,2], strides=[2,1]>(x, k, b) }", k=W, b=drawn(4)),
        **BOUND,
    )


def test_valid_has_no_pads_of_its_own():
    assert_rewrites(
        padded_convolution,
        given(X + '{ y = Pad(x, a) z = Conv<auto_pad="VALID">(y, k) }', k=W, a=pads(0, 0, 1, 1, 0, 0, 1, 1)),
        given(X + "{ z = Conv<pads=[1,1,1,1]>(x, k) }", k=W),
        **BOUND,
    )


def test_axes_as_input():
    assert_rewrites(
        padded_convolution,
        given(X + "{ y = Pad(x, a, , axes) z = Conv(y, k) }", k=W, a=pads(1, 2, 3, 4), axes=pads(-1, 2)),
        given(X + "{ z = Conv<pads=[2,1,4,3]>(x, k) }", k=W),
        opset=18,
        **BOUND,
    )


def test_pads_as_attribute():
    assert_rewrites(
        padded_convolution,
        given("""g (float[2,3,5,5] x, float[4,3,3,3] k) => (float[2,4,5,5] z) {
            y = Pad<pads=[0,0,1,1,0,0,1,1], value=0.0>(x) z = Conv(y, k) }"""),
        "g (float[2,3,5,5] x, float[4,3,3,3] k) => (float[2,4,5,5] z) { z = Conv<pads=[1,1,1,1]>(x, k) }",
        opset=9,
        **BOUND,
    )


def test_one_pad_of_two_convs():
    assert_rewrites(
        padded_convolution,
        given(
            """g (float[2,3,5,5] x) => (float[2,4,5,5] z, float[2,4,5,5] u) {
            y = Pad(x, a) z = Conv(y, k) u = Conv(y, k, b) }""",
            k=W,
            b=drawn(4),
            a=pads(0, 0, 1, 1, 0, 0, 1, 1),
        ),
        given(
            """g (float[2,3,5,5] x) => (float[2,4,5,5] z, float[2,4,5,5] u) {
            z = Conv<pads=[1,1,1,1]>(x, k) u = Conv<pads=[1,1,1,1]>(x, k, b) }""",
            k=W,
            b=drawn(4),
        ),
        **BOUND,
    )


def skips(reason: str, body: str, graph: str = X, opset: int = 17, **arrays) -> None:
    held = {"k": W, "a": pads(0, 0, 1, 1, 0, 0, 1, 1), **arrays}
    assert_skips(padded_convolution, given(f"{graph} {{ {body} }}", **held), reason, opset=opset)


def test_skips_other_producers():
    skips("the input is not made by a Pad", "y = Abs(x) z = Conv(y, k)")


@pytest.mark.parametrize("mode", ["reflect", "edge"])
def test_skips_copied_edges(mode):
    skips("the Pad does not add a constant", f'y = Pad<mode="{mode}">(x, a) z = Conv(y, k)')


def test_skips_other_numbers():
    skips("the Pad does not add zeros", "y = Pad(x, a, v) z = Conv(y, k)", v=np.float32(1.5))


def test_skips_cropping():
    skips("the Pad crops", "y = Pad(x, a) z = Conv(y, k)", a=pads(0, 0, 1, -1, 0, 0, 1, 1))


@pytest.mark.parametrize("amounts", [(1, 0, 1, 1, 0, 0, 1, 1), (0, 0, 1, 1, 0, 1, 1, 1)])
def test_skips_padded_samples_and_channels(amounts):
    skips(
        "the Pad adds samples or channels",
        "y = Pad(x, a) z = Conv(y, k)",
        "g (float[2,2,5,5] x) => (float[] z)",
        a=pads(*amounts),
    )


@pytest.mark.parametrize("inputs", ["float[2,3,5,5] x, int64[8] d", "float[2,3,5,5] x, float d"])
def test_skips_amounts_and_numbers_that_are_inputs(inputs):
    call = "Pad(x, d)" if "int64" in inputs else "Pad(x, a, d)"
    skips("what the Pad adds is not known", f"y = {call} z = Conv(y, k)", f"g ({inputs}) => (float[] z)")


def test_skips_an_unknown_rank():
    skips("the rank of what is padded is not known", "y = Pad(x, a) z = Conv(y, k)", "g (float[] x) => (float[] z)")


@pytest.mark.parametrize("auto_pad", ["SAME_UPPER", "SAME_LOWER"])
def test_skips_pads_computed_from_the_size(auto_pad):
    skips(
        "auto_pad computes the pads from the padded size",
        f'y = Pad(x, a) z = Conv<auto_pad="{auto_pad}", strides=[2,2]>(y, k)',
    )


def test_skips_malformed_pads():
    skips("the pads do not fit the rank", "y = Pad(x, a) z = Conv<pads=[1,1]>(y, k)")
