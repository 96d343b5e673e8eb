"""What is not run while folding: integers over zero, loops without end, and what ends onnxruntime."""

import numpy as np
import pytest

from onnxsim_core.fold.hazards import dangerous
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_testkit import model


def danger(text, opset=21, **initializers):
    """What is said of the last node."""
    ir = read_model(model(text, opset=opset, initializers=initializers).SerializeToString())
    Inference(ir).walk(ir.graph)
    return dangerous(ir.graph.last)


def loop(limit, body="o = Identity(v)"):
    return f"""g (float[2] x, int64 m) => (float[] y) {{ n = Constant<value = int64 {{{limit}}}>()
        y = Loop<body = b (int64 i, bool p, float[] v) => (bool q, float[] o) {{ q = Identity(p) {body} }}>(n, , x) }}"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("g (int64[2] x) => (int64[] y) { y = Div(x, z) }", "it divides an integer by zero"),
        ("g (int64[2] x) => (int64[] y) { y = Mod(z, x) }", "it divides an integer by zero"),
        ("g (int64[2] x) => (int64[] y) { y = Div(x, o) }", None),
        ("g (float[2] x) => (float[] y) { y = Div(x, x) }", None),
    ],
)
def test_integers_over_zero(text, reason):
    assert danger(text, z=np.array([1, 0]), o=np.array([1, 2])) == reason


def test_a_division_in_a_body_by_what_is_not_known_yet():
    inner = "f = Cast<to = 7>(v) d = Div(f, f) o = Cast<to = 1>(d)"
    assert danger(loop(3, inner)) == "it divides an integer by zero"
    assert danger(loop(3, "o = Div(v, v)")) is None


@pytest.mark.parametrize(("limit", "safe"), [(3, True), (10_000, True), (10_001, False), (2**63 - 1, False), (0, True)])
def test_loops_are_run_up_to_a_limit(limit, safe):
    assert (danger(loop(limit)) is None) == safe


def test_loops_in_loops_are_counted_together():
    inner = """k = Constant<value = int64 {200}>() t = Identity(p)
        o = Loop<body = c (int64 j, bool r, float[] w) => (bool s, float[] u) { s = Identity(r) u = Neg(w) }>(k, t, v)"""
    assert danger(loop(50, inner)) is None
    assert "without a limit" in danger(loop(51, inner))


def test_a_limit_that_is_not_known():
    assert "without a limit" in danger(loop(3).replace("(n, , x)", "(m, , x)"))
    assert "without a limit" in danger(loop(3).replace("(n, , x)", "(, , x)"))


def test_what_ends_onnxruntime():
    unique = "g (float[%d] x) => (float[] y) { y = Unique(x) }"
    assert danger(unique % 0) == "its input has no elements"
    assert danger(unique % 2) is None
    gather = "g (float[2,2] x, int64[1,1] i) => (float[] y) { y = GatherND<batch_dims = %d>(x, i) }"
    assert danger(gather % -1) == "its number of batch axes is negative"
    assert danger(gather % 0) is None
