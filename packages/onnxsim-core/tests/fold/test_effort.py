"""Folding a small file takes little work, whatever it asks for."""

import numpy as np
import pytest

from onnxsim_core import simplify
from onnxsim_core.fold import effort
from onnxsim_core.fold.effort import FLOOR, Effort
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import DeferredTensor
from onnxsim_testkit import assert_same_outputs, model


def work(text, **initializers):
    """What is counted for the last node, per element of 4 bytes."""
    ir = read_model(model(text, initializers=initializers).SerializeToString())
    Inference(ir).walk(ir.graph)
    return effort.effort(ir.graph.last, 0) / 4


A, B = np.ones((64, 100), np.float32), np.ones((100, 50), np.float32)
SIGNATURE = "g () => (float[] y) { y = "


def test_what_is_read_counts():
    assert work(SIGNATURE + "Neg(a) }", a=A) == 6400
    assert work(SIGNATURE + "Add(a, b) }", a=A, b=A) == 12800


def test_sorting_counts_more():
    assert work("g () => (float[] y, int64[] i) { y, i = TopK(a, k) }", a=A, k=np.array([1])) > 16 * 6400


@pytest.mark.parametrize(
    ("call", "products"),
    [
        ("MatMul(a, b)", 64 * 100 * 50),
        ("Gemm(a, b)", 64 * 100 * 100),
        ('Einsum<equation="ij,jk->ik">(a, b)', 6400 * 5000),
        ("Conv(x, w)", 8 * 22 * 22 * 4 * 9),
        ("ConvTranspose(x, v)", 4 * 24 * 24 * 8 * 9),
    ],
)
def test_products_count_by_their_number(call, products):
    arrays = {"a": A, "b": B, "x": np.ones((1, 4, 24, 24), np.float32)}
    arrays |= {"w": np.ones((8, 4, 3, 3), np.float32), "v": np.ones((4, 8, 3, 3), np.float32)}
    used = {name: array for name, array in arrays.items() if name in call.partition("(")[2]}
    read = sum(array.size for array in used.values())
    assert work(SIGNATURE + f"{call} }}", **used) == read + products // 8 / 4


def test_a_generated_array_counts_what_it_is_generated_from():
    first = DeferredTensor(1, (100,), lambda: np.ones(100, np.float32))
    second = DeferredTensor(1, (100,), lambda: -first.numpy(), (first,))
    assert (first.effort, second.effort, second.steps) == (400, 800, 2)
    assert second.reshaped((10, 10)).effort == 1200


def test_the_budget_grows_with_the_weights():
    small = read_model(model("g () => (float[] y) { y = Neg(a) }", initializers={"a": A}).SerializeToString())
    assert Effort(small).left == FLOOR + 16 * A.nbytes


def test_what_is_too_much_stays(monkeypatch):
    monkeypatch.setattr(effort, "FLOOR", 3 * A.nbytes + 100)
    monkeypatch.setattr(effort, "PER_BYTE", 0)
    text = "g (float[n] x) => (float[] y) { a1 = ReduceMax<keepdims=0>(a) a2 = ReduceMin<keepdims=0>(a) " \
        "a3 = ReduceSum<keepdims=0>(a) a4 = ReduceProd<keepdims=0>(a) y = Sum(x, a1, a2, a3, a4) }"  # fmt: skip
    proto = model(text, initializers={"a": A})

    simplified = simplify(proto).model

    assert [node.op_type for node in simplified.graph.node] == ["ReduceProd", "Sum"]
    assert_same_outputs(proto, simplified, {"x": np.zeros(2, np.float32)}, rtol=1e-6, atol=1e-6)


def test_results_that_wait_for_many_others_are_computed_at_once():
    """A chain of large results, each of which would have to be computed inside the next."""
    steps = "".join(f" w{i + 1} = Add(w{i}, c)" for i in range(400))
    proto = model(f"g (float[300,1000] x) => (float[] y) {{{steps} y = Add(x, w400) }}",
                  initializers={"w0": np.zeros((300, 1000), np.float32), "c": np.float32(1)})  # fmt: skip

    simplified = simplify(proto, skipped_optimizers=["fuse_consecutive_add"]).model

    assert len(simplified.graph.node) == 1
    x = np.ones((300, 1000), np.float32)
    assert_same_outputs(proto, simplified, {"x": x}, rtol=0, atol=0)
