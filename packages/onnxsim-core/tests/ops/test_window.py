"""The arithmetic of sliding windows against what onnxruntime's operators give."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.one_node import compute

from onnxsim_core.ir import dims
from onnxsim_core.ir.graph import Node
from onnxsim_core.ops.window import convolved, pooled, pooled_up, transposed, window

STEP = st.integers(1, 4)
PADS = st.tuples(st.integers(0, 3), st.integers(0, 3))


def node_of(op_type: str, **attributes: Any) -> Node:
    return Node(op_type, [], [], attributes=attributes)


def judged(op_type: str, arrays: list[np.ndarray | None], **attributes: Any) -> int | None:
    """Last size of the judge's result, or None when it refuses."""
    from onnxruntime.capi.onnxruntime_pybind11_state import Fail, InvalidArgument, RuntimeException

    try:
        return int(compute(op_type, arrays, **attributes)[0].shape[-1])
    except (Fail, InvalidArgument, RuntimeException):
        return None


def assert_size(rule: Any, node: Node, size: int, kernel: int, expected: int | None) -> None:
    """The rule gives the judge's size for the number, and for a symbol that stands for it."""
    if expected is None:
        return
    win = window(node, 1, (kernel,))
    assert win is not None
    found = rule(size, win, 0)
    assert found is None or found == expected
    table = dims.SymbolTable()
    formula = rule(table.named("n"), win, 0)
    assert (formula is None) == (found is None)
    if formula is not None:
        assert dims.evaluate(formula, {"n": size}) == expected


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 9), STEP, STEP, st.integers(1, 2), PADS, st.sampled_from(["NOTSET", "VALID", "SAME_UPPER"]))
def test_convolutions(size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int], auto_pad: str) -> None:
    attributes: dict[str, Any] = {"strides": (stride,), "dilations": (dilation,), "auto_pad": auto_pad}
    if auto_pad == "NOTSET":
        attributes["pads"] = pads
    x, w = np.ones((1, 1, size), np.float32), np.ones((1, 1, kernel), np.float32)
    expected = judged("Conv", [x, w], **attributes)
    attributes["auto_pad"] = auto_pad.encode()
    assert_size(convolved, node_of("Conv", **attributes), size, kernel, expected)


@pytest.mark.parametrize("op_type", ["MaxPool", "AveragePool", "LpPool"])
@settings(max_examples=120, deadline=None)
@given(
    st.integers(0, 9),
    STEP,
    STEP,
    st.integers(1, 2),
    PADS,
    st.sampled_from(["NOTSET", "VALID", "SAME_LOWER"]),
    st.booleans(),
)
def test_pools(
    op_type: str, size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int], auto_pad: str, up: bool
) -> None:
    attributes: dict[str, Any] = {
        "strides": (stride,),
        "dilations": (dilation,),
        "auto_pad": auto_pad,
        "ceil_mode": int(up),
        "kernel_shape": (kernel,),
    }
    if auto_pad == "NOTSET":
        attributes["pads"] = pads
    expected = judged(op_type, [np.ones((1, 1, size), np.float32)], **attributes)
    attributes["auto_pad"] = auto_pad.encode()
    assert_size(pooled_up if up else pooled, node_of(op_type, **attributes), size, kernel, expected)


@settings(max_examples=120, deadline=None)
@given(
    st.integers(0, 6),
    STEP,
    STEP,
    st.integers(1, 2),
    PADS,
    st.integers(0, 2),
    st.sampled_from(["NOTSET", "VALID", "SAME_UPPER"]),
)
def test_transposed_convolutions(
    size: int, kernel: int, stride: int, dilation: int, pads: tuple[int, int], extra: int, auto_pad: str
) -> None:
    attributes: dict[str, Any] = {
        "strides": (stride,),
        "dilations": (dilation,),
        "auto_pad": auto_pad,
        "output_padding": (extra,),
    }
    if auto_pad == "NOTSET":
        attributes["pads"] = pads
    x, w = np.ones((1, 1, size), np.float32), np.ones((1, 1, kernel), np.float32)
    expected = judged("ConvTranspose", [x, w], **attributes)
    attributes["auto_pad"] = auto_pad.encode()
    win_rule = lambda size, win, axis: transposed(size, win, axis, extra)  # noqa: E731
    assert_size(win_rule, node_of("ConvTranspose", **attributes), size, kernel, expected)


def test_formulas_read_well() -> None:
    n = dims.SymbolTable().named("n")

    def size(rule: Any, kernel: Any, **attributes: Any) -> str:
        win = window(node_of("Op", **attributes), 1, (kernel,))
        assert win is not None
        return str(rule(n, win, 0))

    assert size(convolved, 3, pads=(1, 1)) == "n"
    assert size(convolved, 3, pads=(1, 1), strides=(2,)) == "floor((n + 1)/2)"
    assert size(convolved, 7, pads=(3, 3), strides=(2,)) == "floor((n + 1)/2)"
    assert size(convolved, 4, strides=(4,)) == "floor(n/4)"
    assert size(convolved, 3, dilations=(2,)) == "n - 4"
    assert size(pooled, 3, pads=(1, 1), strides=(2,)) == "floor((n + 1)/2)"
    assert size(pooled, 2, strides=(2,)) == "max(floor(n/2), 1)"
    assert size(pooled, 3, strides=(2,)) == "trunc((n - 3)/2) + 1"
    assert size(pooled_up, 2, strides=(2,)) == "floor((n + 1)/2)"
    assert size(pooled_up, 3, pads=(1, 1), strides=(2,)) == "floor(n/2) + 1"
    assert size(transposed, 2, strides=(2,)) == "2*n"
    assert size(transposed, 4, strides=(2,), pads=(1, 1)) == "2*n"
    assert size(transposed, 1, strides=(2,), auto_pad=b"SAME_UPPER") == "2*n - 1"


def test_a_symbolic_kernel_is_a_size_like_any_other() -> None:
    table = dims.SymbolTable()
    win = window(node_of("Conv", dilations=(2,)), 1, (table.named("k"),))
    assert win is not None
    assert str(convolved(table.named("n"), win, 0)) == "-2*k + n + 2"


def test_attributes_that_do_not_fit_give_no_window() -> None:
    assert window(node_of("Conv", strides=(1, 1)), 1, (3,)) is None
    assert window(node_of("Conv", dilations=(1, 1)), 1, (3,)) is None
    assert window(node_of("Conv", pads=(1,)), 1, (3,)) is None
    assert window(node_of("Conv"), 2, (3,)) is None
    assert window(node_of("Conv", strides=(0,)), 1, (3,)) is None
    assert window(node_of("Conv", dilations=(0,)), 1, (3,)) is None
