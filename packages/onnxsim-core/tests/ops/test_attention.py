"""Shapes of attention against the judge."""

import numpy as np
import pytest
from ops.judging import facts, judge

SIZES = [{"B": 2, "Q": 4, "T": 5, "P": 7}, {"B": 1, "Q": 1, "T": 1, "P": 3}]


def attend(inputs: dict[str, str], call: str, opset: int) -> list[tuple[str, ...]]:
    """Shapes we state of the four outputs, judged at several sizes."""
    stated = ", ".join(f"float[{names}] {name}" for name, names in inputs.items())
    text = f"g ({stated}) => (y) {{ y, pk, pv, s = {call} }}"
    found = []
    for sizes in SIZES:
        feeds = {}
        for name, names in inputs.items():
            feeds[name] = np.full([sizes.get(n) or int(n) for n in names.split(",")], 0.1, np.float32)
        judged = judge(text, feeds, opset=opset, kernels=False)
        found.append(tuple(judged.shape(name) for name in ("y", "pk", "pv", "s")))
    assert len(set(found)) == 1
    return found


@pytest.mark.parametrize("opset", [23, 24])
def test_operands_of_rank_4(opset: int) -> None:
    inputs = {"q": "B,6,Q,8", "k": "B,3,T,8", "v": "B,3,T,2"}
    expected = ("[B, 6, Q, 2]", "[B, 3, T, 8]", "[B, 3, T, 2]", "[B, 6, Q, T]")
    assert attend(inputs, "Attention(q, k, v)", opset)[0] == expected


@pytest.mark.parametrize("opset", [23, 24])
def test_operands_of_rank_3_and_a_cache(opset: int) -> None:
    inputs = {"q": "B,Q,48", "k": "B,T,24", "v": "B,T,18", "a": "B,3,P,8", "b": "B,3,P,6"}
    expected = ("[B, Q, 36]", "[B, 3, T + P, 8]", "[B, 3, T + P, 6]", "[B, 6, Q, T + P]")
    call = 'Attention<q_num_heads=6,kv_num_heads=3>(q, k, v, "", a, b)'
    assert attend(inputs, call, opset)[0] == expected


def test_a_cache_of_unknown_rank_leaves_the_result() -> None:
    text = """g (float[B,6,Q,8] q, float[B,3,T,8] k, float[B,3,T,2] v, float[] a, float[] b) => (y)
        { y, pk, pv, s = Attention(q, k, v, "", a, b) }"""
    found = facts(text, opset=23)
    assert (found.shape("y"), found.shape("pk"), found.shape("s")) == ("[B, 6, Q, 2]", "?", "?")


@pytest.mark.parametrize(
    "call",
    ["Attention(q, k, k)", "Attention<q_num_heads=6>(q, k, k)", "Attention<q_num_heads=7,kv_num_heads=3>(q, k, k)"],
)
def test_heads_that_do_not_fit_give_the_types_alone(call: str) -> None:
    text = f"g (float16[B,Q,48] q, float16[B,T,24] k) => (y) {{ y, pk, pv, s = {call} }}"
    found = facts(text, opset=23)
    assert {(found.shape(name), found.values[name].dtype) for name in ("y", "pk", "pv", "s")} == {("?", 10)}


def test_unknown_ranks_and_invalid_nodes() -> None:
    assert facts("g (float[] q, float[2] k) => (y) { y = Attention(q, q, q) }", opset=23).shape("y") == "?"
    assert facts("g (float[2,3] q) => (y) { y = Attention(q, q, q) }", opset=23).shape("y") == "?"
    for op_type in ("Attention", "RotaryEmbedding"):
        assert facts(f"g (float[2] q) => (y) {{ y = {op_type}() }}", opset=23).shape("y") == "?"


def test_rotary_embedding_keeps_the_shape() -> None:
    text = "g (float[B,3,Q,8] x, float[B,Q,4] c) => (y) { y = RotaryEmbedding(x, c, c) }"
    feeds = {"x": np.ones((2, 3, 5, 8), np.float32), "c": np.ones((2, 5, 4), np.float32)}
    assert judge(text, feeds, opset=23, kernels=False).shape("y") == "[B, 3, Q, 8]"
