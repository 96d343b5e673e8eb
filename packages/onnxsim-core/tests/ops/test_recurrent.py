"""RNN, GRU and LSTM against onnxruntime."""

import pytest
from ops.judging import facts, judge

from onnxsim_core import ops
from onnxsim_testkit import model, random_feeds

ops.load()
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
@pytest.mark.parametrize(("direction", "count"), [("forward", 1), ("reverse", 1), ("bidirectional", 2)])
@pytest.mark.parametrize("hidden", ["hidden_size = 3, ", ""])
def test_a_recurrent_layer(op, direction, count, hidden):
    rows = GATES[op] * 3
    activations = ", ".join(['"Tanh"'] * count) if op == "RNN" else ""
    attributes = f'{hidden}direction = "{direction}"' + (f", activations = [{activations}]" if activations else "")
    outputs = "y, h, c" if op == "LSTM" else "y, h"
    text = (
        f"g (float[s,b,4] x, float[{count},{rows},4] w, float[{count},{rows},3] r) => () "
        f"{{ {outputs} = {op}<{attributes}>(x, w, r) }}"
    )
    if not hidden:
        assert facts(text).shape("y") == f"[s, {count}, b, 3]"
        return
    found = judge(text, random_feeds(model(text), dims={"s": 5, "b": 2}), kernels=False)
    assert [found.shape("y"), found.shape("h")] == [f"[s, {count}, b, 3]", f"[{count}, b, 3]"]


@pytest.mark.parametrize("op", ["RNN", "GRU", "LSTM"])
def test_the_batch_may_come_first(op):
    """onnxruntime's CPU kernels do not take layout=1, so this is the schema's word."""
    text = (
        f"g (float[b,s,4] x, float[1,{GATES[op] * 3},4] w, float[1,{GATES[op] * 3},3] r) => () "
        f"{{ y, h = {op}<layout = 1, hidden_size = 3>(x, w, r) }}"
    )
    assert [facts(text).shape("y"), facts(text).shape("h")] == ["[b, s, 1, 3]", "[b, 1, 3]"]


def test_without_attribute_and_recurrence_the_weights_tell_the_hidden_size():
    text = "g (float[s,b,4] x, float[1,12,4] w, float[] r) => () { y = LSTM(x, w, r) }"
    assert facts(text).shape("y") == "[s, 1, b, 3]"
    assert facts(text.replace("1,12,4", "")).shape("y") == "[s, 1, b, _]"


def test_an_omitted_first_output_is_no_obstacle():
    text = "g (float[s,b,4] x, float[1,12,4] w, float[1,12,3] r) => () { , h = LSTM<hidden_size = 3>(x, w, r) }"
    found = judge(text, random_feeds(model(text), dims={"s": 5, "b": 2}), kernels=False)
    assert found.shape("h") == "[1, b, 3]"


def test_an_input_of_another_rank_leaves_the_shape_open():
    found = facts("g (float[s,4] x, float[1,12,4] w, float[1,12,3] r) => () { y = LSTM<hidden_size = 3>(x, w, r) }")
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)
