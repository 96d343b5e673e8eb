"""Costs against closed forms counted by hand."""

import numpy as np
import pytest

from onnxsim_core.ir.dims import symbol
from onnxsim_core.ir.read import read_model
from onnxsim_core.profile.cost import model_cost, node_macs, value_bytes, weighted
from onnxsim_core.report.facts import infer
from onnxsim_testkit import model


def ir(text, **options):
    made = read_model(model(text, **options).SerializeToString())
    infer(made)
    return made


def macs(text, **options):
    made = ir(text, **options)
    return [node_macs(node) for node in made.graph]


@pytest.mark.parametrize(("text", "expected"), [
    # 2x8 output channels of 5x5, each over 3 channels of a 3x3 kernel.
    ("g (float[2,3,7,7] x, float[8,3,3,3] w) => (float[2,8,5,5] y) { y = Conv(x, w) }", 2 * 8 * 25 * 3 * 9),
    # Grouped: each output sees 4/2 input channels.
    ("g (float[1,4,5] x, float[6,2,3] w) => (float[1,6,3] y) { y = Conv<group=2>(x, w) }", 6 * 3 * 2 * 3),
    # Each of 3x4x4 inputs feeds 5 output channels of a 2x2 kernel.
    ("g (float[1,3,4,4] x, float[3,5,2,2] w) => (float[1,5,5,5] y) { y = ConvTranspose(x, w) }", 3 * 16 * 5 * 4),
    ("g (uint8[1,1,4,4] x, uint8[1,1,3,3] w) => (int32[1,1,2,2] y) { y = ConvInteger(x, w) }", 4 * 9),
    ("g (float[7,3,4] x, float[4,5] w) => (float[7,3,5] y) { y = MatMul(x, w) }", 7 * 3 * 5 * 4),
    ("g (float[4] x, float[4,5] w) => (float[5] y) { y = MatMul(x, w) }", 4 * 5),
    ("g (float[3,4] x, float[4] w) => (float[3] y) { y = MatMul(x, w) }", 3 * 4),
    ("g (int8[3,4] x, int8[4,5] w) => (int32[3,5] y) { y = MatMulInteger(x, w) }", 3 * 4 * 5),
    ("g (float[4,3] x, float[5,4] w) => (float[3,5] y) { y = Gemm<transA=1, transB=1>(x, w) }", 3 * 4 * 5),
    ("g (float[3,4] x, float[4,5] w) => (float[3,5] y) { y = Einsum<equation=\"ij, jk -> ik\">(x, w) }", 3 * 4 * 5),
    ("g (float[7,2,3] x, float[1,16,3] w, float[1,16,4] r) => (float[7,1,2,4] y) { y = LSTM<hidden_size=4>(x, w, r) }",
     7 * 2 * 16 * (3 + 4)),
    ("g (float[2,3] x) => (float[2,3] y) { y = Relu(x) }", 0),
])
def test_macs_of_one_node(text, expected):
    assert macs(text) == [expected]


def test_attention_counts_scores_and_their_product_with_values():
    text = """g (float[2,3,5,8] q, float[2,3,7,8] k, float[2,3,7,6] v) => (float[2,3,5,6] y)
        { y = Attention(q, k, v) }"""

    assert macs(text, opset=23) == [2 * 3 * 5 * 7 * 8 + 2 * 3 * 5 * 7 * 6]


def test_attention_of_three_axes_and_grouped_heads():
    """4 query heads of size 8 share 2 key heads: scores 2*5*32*7, values 2*5*7*32."""
    text = """g (float[2,5,32] q, float[2,7,16] k, float[2,7,16] v) => (float[2,5,32] y)
        { y = Attention<q_num_heads=4, kv_num_heads=2>(q, k, v) }"""

    assert macs(text, opset=23) == [2 * (2 * 5 * 32 * 7)]


def test_attention_reads_the_past_too():
    text = """g (float[1,2,1,4] q, float[1,2,1,4] k, float[1,2,1,4] v, float[1,2,9,4] pk, float[1,2,9,4] pv)
        => (float[1,2,1,4] y) { y, a, b = Attention(q, k, v, , pk, pv) }"""

    assert macs(text, opset=23) == [2 * (2 * 10 * 4)]


def test_symbolic_sizes_give_formulas():
    cost = model_cost(ir("g (float[n,3] x, float[3,4] w) => (float[n,4] y) { y = MatMul(x, w) }"))

    assert (str(cost.macs.size), str(cost.flops.size), cost.macs.complete) == ("12*n", "24*n", True)
    assert str(cost.memory_access.size) == "28*n + 48"  # 4 bytes of n*3 and n*4 elements, and the weights


def test_what_is_unknown_makes_the_sum_incomplete():
    cost = model_cost(ir("g (float[2,3] x) => (float[2,5] y) { w = odd.Op(x) y = MatMul(x, w) v = Conv(x, w) }",
                         domains={"odd": 1}))

    assert not cost.memory_access.complete and not cost.macs.complete
    assert cost.macs.size == 2 * 5 * 3


def test_a_value_read_twice_by_a_node_is_moved_once():
    cost = model_cost(ir("g (float[2,3] x) => (float[2,3] y) { y = Mul(x, x) }"))

    assert cost.memory_access.size == 2 * 24


def test_bodies_count_once():
    text = """g (bool c, float[2,3] x, float[3,4] w) => (float[2,4] y) {
        y = If (c) <then_branch = t () => (float[2,4] a) { a = MatMul(x, w) },
                    else_branch = e () => (float[2,4] b) { b = MatMul(x, w) }> }"""

    assert model_cost(ir(text)).macs.size == 2 * 24


@pytest.mark.parametrize(("type_", "nbytes"), [("float[2,3]", 24), ("float16[5]", 10), ("bool[3]", 3), ("int4[3]", 2)])
def test_bytes_of_a_value(type_, nbytes):
    made = read_model(model(f"g ({type_} x) => ({type_} y) {{ y = Identity(x) }}", opset=21).SerializeToString())

    assert value_bytes(made.graph.inputs[0]) == nbytes


def test_bytes_of_constants_and_of_unknown_values():
    made = read_model(model("g (float[] x) => (float[] y) { y = Add(x, w) }",
                            initializers={"w": np.ones(3, np.float32)}).SerializeToString())
    made.graph.inputs[0].shape = None

    assert value_bytes(next(iter(made.graph.constants))) == 12
    assert value_bytes(made.graph.inputs[0]) is None


def test_sums_of_numbers_and_formulas():
    n = symbol("n")

    assert str(weighted({n: 2, 3: 4})) == "2*n + 12"
    assert weighted({}) == 0
