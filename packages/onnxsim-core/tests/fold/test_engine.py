"""What becomes a constant, what is only known, and what stays a node."""

import numpy as np
import pytest

from onnxsim_core import ops
from onnxsim_core.fold import engine
from onnxsim_core.fold.engine import Folder
from onnxsim_core.fold.policy import SizePolicy
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Node
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.save import model_proto
from onnxsim_core.ir.tensors import DeferredTensor
from onnxsim_core.passes.tidy import remove_dead_code
from onnxsim_core.rewrite.driver import Driver
from onnxsim_testkit import assert_same_outputs, model

ops.load()
K = np.float32([[1, -2, 3], [4, 0.5, -0.0]])
INTS = np.array([7, -7, 9])


class Folded:
    """A model after folding, with nothing else done to it."""

    def __init__(self, text: str, sizes: SizePolicy | None = None, opset: int = 17, **initializers: np.ndarray) -> None:
        self.original = model(text, opset=opset, domains={"acme": 1}, initializers=initializers)
        self.ir = read_model(self.original.SerializeToString())
        ctx = Inference(self.ir)
        self.folder = Folder(ctx, sizes)
        driver = Driver(self.ir, {}, ctx=ctx, fold=self.folder.fold)
        driver.run()
        remove_dead_code(self.ir, driver)

    @property
    def left(self) -> list[str]:
        return [node.op_type for node in self.ir.graph]

    def node(self, op_type: str) -> Node:
        return next(node for node in self.ir.graph if node.op_type == op_type)

    def output(self, index: int = 0) -> np.ndarray:
        value = self.ir.graph.outputs[index]
        assert value.is_constant and value.node is None
        return value.tensor.numpy()


# --- what folds ------------------------------------------------------------------------------------------------------
def test_constants_fold_through_a_chain_and_values_are_those_of_the_runtime():
    found = Folded("""g (float[2,3] x) => (float[3,2] a, float[2,3] y) {
        t = Transpose(k) a = Mul(t, t) e = Exp(k) y = Add(x, e) }""", k=K)
    assert found.left == ["Add"]
    assert found.output().tolist() == (K.T * K.T).tolist()
    x = np.float32([[1, 2, 3], [4, 5, 6]])
    assert_same_outputs(found.original, model_proto(found.ir), {"x": x}, rtol=2e-7, atol=0)


def test_every_output_of_a_node_becomes_a_constant():
    found = Folded("g () => (float[2,2] a, float[2,1] b) { a, b = Split<axis = 1>(k, s) }", k=K, s=np.array([2, 1]))
    assert found.left == [] and found.output(0).tolist() == [[1, -2], [4, 0.5]] and found.output(1).tolist() == [[3], [0]]


def test_elements_that_are_known_fold_whatever_made_them():
    found = Folded("g (float[2,5] x, float[n,5] u) => (int64[2] a, int64[2] b) { a = Shape(x) b = Shape(u) }")
    assert found.left == ["Shape"] and found.output().tolist() == [2, 5]


def test_a_doubtful_value_does_not_fold_by_its_elements():
    ir = read_model(model("g (float[2,5] x) => (int64[2] a) { a = Shape(x) }", opset=17))
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    node = ir.graph.first
    node.outputs[0].doubtful = True
    assert Folder(ctx).fold(node) is None
    node.outputs[0].doubtful = False
    assert Folder(ctx).fold(node)[0].tensor.numpy().tolist() == [2, 5]


# --- what never folds ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("node", [
    "y = DequantizeLinear(q, s, z)", "y = QuantizeLinear(k, s, z)", "y, a, b = DynamicQuantizeLinear(k)",
    "y = RandomNormal<shape = [2]>()", "y = RandomUniformLike(k)", "y = Bernoulli(k)", "y = acme.Relu(k)",
    "y = Dropout(k, s, yes)",
])
def test_quantization_randomness_and_foreign_operators_stay(node):
    found = Folded(f"g () => (float[] w) {{ {node} w = Identity(y) }}", k=K, s=np.float32(0.5), q=np.uint8([1, 2]),
                   z=np.uint8(3), yes=np.array(True))
    assert len(found.left) == 2 and not found.folder.pending


def test_an_initializer_that_callers_may_set_is_no_constant():
    assert Folded("g (float[2,3] k) => (float[2,3] y) { y = Neg(k) }", k=K).left == ["Neg"]
    assert Folded("g () => (float[2,3] y) { y = Neg(k) }", k=K).left == []


def test_inputs_of_types_that_the_operator_does_not_take_stay():
    found = Folded("g () => (bool[2,3] y) { y = Not(k) }", k=K)
    assert found.left == ["Not"] and "types" in found.folder.refused[found.node("Not")]


# --- division by zero ------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("defer_from", [0, 1 << 20])
@pytest.mark.parametrize(("divisor", "left"), [([2, 2, -4], []), ([2, 0, 1], ["Div"])])
def test_an_integer_divided_by_zero_stays(divisor, left, defer_from, monkeypatch):
    monkeypatch.setattr(engine, "DEFER_FROM", defer_from)
    found = Folded("g () => (int64[3] y) { y = Div(a, b) }", a=INTS, b=np.array(divisor))
    assert found.left == left
    if not left:
        assert found.output().tolist() == [3, -3, -2]  # towards zero


def test_a_float_divided_by_zero_folds():
    found = Folded("g () => (float[3] y) { y = Div(a, b) }", a=np.float32([1, -1, 0]), b=np.zeros(3, np.float32))
    np.testing.assert_array_equal(found.output(), np.float32([np.inf, -np.inf, np.nan]))


def test_no_zero_becomes_a_constant_divisor():
    """onnxruntime does not load a model with one, even where the division never runs."""
    found = Folded("g (int64[300] x) => (int64[300] y) { z = Sub(a, a) y = Div(x, z) }", a=np.arange(300))
    assert found.left == ["Sub", "Div"] and "zero" in found.folder.refused[found.node("Sub")]


# --- sizes -----------------------------------------------------------------------------------------------------------
EXPANDED = "e = Expand(one, to)"
BIG = {"one": np.float32([3]), "to": np.array([500, 500])}


def test_a_large_generated_result_is_known_but_not_stored():
    found = Folded(f"g (float[500,500] x) => (float[500,500] y) {{ {EXPANDED} y = Mul(x, e) }}", **BIG)
    assert found.left == ["Expand", "Mul"]
    value = found.node("Expand").outputs[0]
    assert value not in found.ir.graph.constants and value.tensor.nbytes == 1_000_000
    assert (value.tensor.numpy() == 3).all()


def test_what_is_known_folds_on():
    found = Folded(f"g () => (float[1,1] y) {{ {EXPANDED} y = ReduceMax(e) }}", **BIG)
    assert found.left == [] and found.output().tolist() == [[3]]


def test_a_generated_result_beyond_all_measure_is_not_even_known():
    found = Folded(f"g () => (float[1,1] y) {{ {EXPANDED} y = ReduceMax(e) }}", one=BIG["one"],
                   to=np.array([5000, 5000]))
    assert found.left == ["Expand", "ReduceMax"] and found.node("Expand").outputs[0].tensor is None


@pytest.mark.parametrize(("limit", "left"), [(1_000_000, []), (999_999, ["Expand"])])
def test_the_user_s_limit_is_the_largest_result_that_is_stored(limit, left):
    found = Folded("g () => (float[500,500] y) { y = Expand(one, to) }", SizePolicy.with_threshold(limit), **BIG)
    assert found.left == left


def test_a_result_whose_size_shows_only_when_computed_is_weighed_then():
    text, flags = "g () => (int64[1,n] y) { y = NonZero(k) }", np.ones(1000, bool)
    found = Folded(text, SizePolicy(0, 0, None), k=flags)
    assert found.left == ["NonZero"] and "size policy" in found.folder.refused[found.node("NonZero")]
    assert Folded(text, SizePolicy(8000, 0, None), k=flags).output().tolist() == [list(range(1000))]


# --- later -----------------------------------------------------------------------------------------------------------
LATER = {
    "Transpose(k)": K.T, "Concat<axis = 0>(k, k)": np.concatenate([K, K]), "Slice(k, i, j)": K[1:2],
    "Cast<to = 11>(k)": K.astype(np.float64), "Mul(k, k)": K * K, "Add(k, k)": K + K, "Sub(k, k)": K - K,
    "Div(k, h)": K / np.float32(3), "Neg(k)": -K,
}


@pytest.mark.parametrize(("call", "expected"), LATER.items(), ids=LATER)
def test_a_large_result_is_computed_when_it_is_asked_for(call, expected, monkeypatch):
    constants = {"k": K, "h": np.float32(3), "i": np.array([1]), "j": np.array([2])}
    eager = Folded(f"g () => (float[] y) {{ y = {call} }}", **constants).output()
    monkeypatch.setattr(engine, "DEFER_FROM", 0)
    found = Folded(f"g () => (float[] y) {{ y = {call} }}", **constants)
    assert isinstance(found.ir.graph.outputs[0].tensor, DeferredTensor)
    assert found.output().tobytes() == eager.tobytes() == expected.tobytes()
    assert found.output().dtype == expected.dtype and found.output().shape == expected.shape


@pytest.mark.parametrize("call", ["Cast<to = 7>(k)", "Exp(k)", "Add(i, j)"])
def test_a_kernel_that_may_decline_is_asked_at_once(call, monkeypatch):
    monkeypatch.setattr(engine, "DEFER_FROM", 0)
    found = Folded(f"g () => (float[] y) {{ y = {call} }}", k=K, i=np.array([1]), j=np.array([2]))
    assert found.left == [] and not isinstance(found.ir.graph.outputs[0].tensor, DeferredTensor)


def test_what_has_no_kernel_waits_for_a_runtime():
    found = Folded("g () => (float[2,3] y) { y = Hardmax(k) }", k=K)
    node = found.node("Hardmax")
    assert found.folder.table[node.op_type] is None and list(found.folder.pending) == [node]
    assert [v.tensor.numpy().sum() for v in found.folder.accept(node, [K])] == [K.sum()]
