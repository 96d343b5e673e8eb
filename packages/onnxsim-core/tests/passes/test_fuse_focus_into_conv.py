"""fuse_focus_into_conv: interleaved taps against the runtime, for every order of the parts."""

import itertools

import numpy as np
import pytest
from rewriting import apply, assert_rewrites, assert_same_model, assert_skips
from weights import drawn, given

from onnxsim_core.passes.fuse_focus_into_conv import strided_convolution
from onnxsim_testkit import model

BOUND = {"rtol": 1e-5, "atol": 2e-6}
W, B = drawn(2, 12, 3, 3), drawn(2)
PARTS = {"p": (0, 0), "q": (1, 0), "r": (0, 1), "s": (1, 1)}
PARAMETERS = {
    "o00": (0, 0),
    "o10": (1, 0),
    "o01": (0, 1),
    "o11": (1, 1),
    "end": (2**31 - 1, 2**63 - 1),
    "hw": (2, 3),
    "two": (2, 2),
}


def slices(**changes: str) -> str:
    calls = []
    for name, (row, column) in PARTS.items():
        calls.append(f"{name} = " + changes.get(name, f"Slice(x, o{row}{column}, end, hw, two)"))
    return " ".join(calls)


def graph(body: str, head: str = "g (float[n,3,h,w] x) => (float[n,2,k,l] z)", **arrays: np.ndarray) -> str:
    words = set(body.replace("(", " ").replace(")", " ").replace(",", " ").split())
    held = {name: np.array(v, np.int64) for name, v in PARAMETERS.items() if name in words}
    held |= {name: array for name, array in {"weight": W, "b": B, **arrays}.items() if name in words}
    return given(f"{head} {{ {body} }}", **held)


def woven(order: str) -> np.ndarray:
    result = np.zeros((2, 3, 6, 6), np.float32)
    for place, name in enumerate(order):
        row, column = PARTS[name]
        result[:, :, row::2, column::2] = W[:, 3 * place : 3 * place + 3]
    return result


def test_focus_layer_of_a_detector():
    body = slices() + " c = Concat<axis=1>(p, q, r, s) z = Conv<pads=[1,1,1,1], dilations=[1,1]>(c, weight, b)"
    head = "g (float[n,3,8,10] x) => (float[n,2,4,5] z)"
    after = head + "{ z = Conv<kernel_shape=[6,6], pads=[2,2,2,2], strides=[2,2]>(x, v, b) }"
    assert_rewrites(strided_convolution, graph(body, head), given(after, v=woven("pqrs"), b=B), **BOUND)


def test_symbolic_height_and_width():
    original = model(graph(slices() + " c = Concat<axis=1>(p, q, r, s) z = Conv(c, weight)"), opset=13)
    result, driver = apply(strided_convolution, original)
    assert driver.changes == 1
    x = np.random.default_rng(0).standard_normal((2, 3, 8, 10)).astype(np.float32)
    assert_same_model(original, result, **BOUND, feeds={"x": x})


@pytest.mark.parametrize("order", list(itertools.permutations("pqrs"))[::5])
@pytest.mark.parametrize("window", ["pads=[1,0,2,1]", "strides=[2,3]", 'auto_pad="VALID"'])
def test_every_order_and_window(order, window):
    body = slices() + f" c = Concat<axis=-3>({', '.join(order)}) z = Conv<{window}>(c, weight)"
    original = model(graph(body, "g (float[2,3,8,10] x) => (float[2,2,k,l] z)"), opset=17)
    result, driver = apply(strided_convolution, original)
    assert driver.changes == 1
    assert [node.op_type for node in result.graph.node] == ["Conv"]
    assert_same_model(original, result, **BOUND)


def test_axes_the_other_way_round_and_ends_that_are_sizes():
    piece = "Slice(x, o10, far, wh, two)"
    body = slices(r=piece) + " c = Concat<axis=1>(p, q, r, s) z = Conv(c, weight)"
    text = graph(
        body,
        "g (float[2,3,8,10] x) => (float[2,2,k,l] z)",
        far=np.array([10, 8], np.int64),
        wh=np.array([3, 2], np.int64),
    )
    original = model(text, opset=13)
    result, driver = apply(strided_convolution, original)
    assert driver.changes == 1
    assert_same_model(original, result, **BOUND)


CONCAT = " c = Concat<axis=1>(p, q, r, s) "
OTHER = "the parts are not every second row and column of one image"


@pytest.mark.parametrize(
    ("reason", "body"),
    [
        ("the input is no concatenation of four", "z = Conv(x, weight)"),
        ("the input is no concatenation of four", slices() + " c = Concat<axis=1>(p, q, r) z = Conv(c, weight)"),
        (
            "the parts are not joined along the channels, for this Conv alone",
            slices() + " c = Concat<axis=2>(p, q, r, s) z = Conv(c, weight)",
        ),
        (
            "the parts are not joined along the channels, for this Conv alone",
            slices() + CONCAT + "d = Conv(c, weight) e = Abs(c) f = ReduceSum(e) z = Add(d, f)",
        ),
        (OTHER, slices(q="Slice(x, o00, end, hw, two)") + CONCAT + "z = Conv(c, weight)"),
        (OTHER, slices(q="Slice(x, o10, end, hw, steps)") + CONCAT + "z = Conv(c, weight)"),
        (OTHER, slices(q="Slice(x, o10, short, hw, two)") + CONCAT + "z = Conv(c, weight)"),
        (OTHER, slices(q="Slice(y, o10, end, hw, two)") + CONCAT + "z = Conv(c, weight)"),
        (OTHER, slices(q="Slice(x, o10, end, ch, two)") + CONCAT + "z = Conv(c, weight)"),
        ("the weight does not take all channels at once", slices() + CONCAT + "z = Conv<group=2>(c, half)"),
        ("the Conv is dilated", slices() + CONCAT + "z = Conv<dilations=[2,2]>(c, weight)"),
        (
            "auto_pad computes the pads from the padded size",
            slices() + CONCAT + 'z = Conv<auto_pad="SAME_UPPER">(c, weight)',
        ),
        ("the weight is no constant of floats", slices() + CONCAT + "z = Conv(c, u)"),
    ],
)
def test_skips(reason, body):
    head = "g (float[2,3,8,8] x, float[2,3,8,8] y, float[2,12,3,3] u) => (float[] z)"
    arrays = {
        "steps": np.array([1, 2], np.int64),
        "short": np.array([7, 8], np.int64),
        "ch": np.array([1, 3], np.int64),
        "half": drawn(2, 6, 3, 3),
    }
    assert_skips(strided_convolution, graph(body, head, **arrays), reason)


def test_skips_a_large_weight_that_lives_on():
    body = slices() + CONCAT + "v = ReduceSum<keepdims=0>(weight) d = Conv(c, weight) z = Add(d, v)"
    parameters = {name: np.array(value, np.int64) for name, value in PARAMETERS.items()}
    text = given(f"g (float[2,256,8,8] x) => (float[] z) {{ {body} }}", **parameters)
    assert_skips(
        strided_convolution,
        text,
        "the new weight would make the model grow",
        initializers={"weight": drawn(64, 1024, 3, 3)},
    )
