"""What may fold, and what a fold may cost."""

import numpy as np
import pytest

from onnxsim_core import ops
from onnxsim_core.fold.policy import (
    FREE,
    MEBIBYTE,
    MIN_BUDGET,
    SizePolicy,
    credit,
    is_deterministic,
    is_trap,
    value_bytes,
    weight_bytes,
)
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Model, Node
from onnxsim_core.ir.read import read_model
from onnxsim_core.ir.tensors import ArrayTensor
from onnxsim_testkit import model

ops.load()


def read(text: str, opset: int = 21, **initializers: np.ndarray) -> Model:
    ir = read_model(model(text, opset=opset, initializers=initializers).SerializeToString())
    Inference(ir).walk(ir.graph)
    return ir


def node_of(text: str, opset: int = 21, **initializers: np.ndarray) -> Node:
    first = read(text, opset, **initializers).graph.first
    assert first is not None
    return first


# --- determinism -----------------------------------------------------------------------------------------------------
NORM = "float[2] s, float[2] b, float[2] m, float[2] v"


@pytest.mark.parametrize(
    ("nodes", "opset", "expected"),
    [
        ("y = Relu(x)", 21, True),
        ("y = RandomNormal<shape = [2]>()", 21, False),
        ("y = RandomUniformLike(x)", 21, False),
        ("y = Bernoulli(x)", 21, False),
        ("y = Multinomial(x)", 21, False),
        ("y = custom.domain.Relu(x)", 21, False),
        ("y = Dropout(x)", 21, True),
        ("y = Dropout(x, r)", 21, True),
        ("y = Dropout(x, r, no)", 21, True),
        ("y = Dropout(x, r, yes)", 21, False),
        ("y = Dropout(x, r, asked)", 21, False),
        ("y = Dropout(x, , none)", 21, True),
        ("y = Dropout<ratio = 0.5>(x)", 10, True),
        ("y = BatchNormalization(x, s, b, m, v)", 21, True),
        ("y = BatchNormalization<training_mode = 1>(x, s, b, m, v)", 21, False),
        ("y, n, w = BatchNormalization<training_mode = 1>(x, s, b, m, v)", 21, False),
    ],
)
def test_determinism(nodes, opset, expected):
    constants = {"r": np.float32(0.5), "yes": np.array(True), "no": np.array(False), "none": np.zeros(0, bool)}
    node = node_of(f"g (float[2,2] x, bool asked, {NORM}) => () {{ {nodes} }}", opset, **constants)
    assert is_deterministic(node) is expected


@pytest.mark.parametrize(("inner", "expected"), [("a = Relu(x)", True), ("a = RandomNormalLike(x)", False)])
def test_a_node_is_as_deterministic_as_its_bodies(inner, expected):
    other = "else_branch = e () => (float[] b) { b = Neg(x) }"
    nested = f"If<then_branch = t () => (float[] a) {{ {inner} }}, {other}>(c)"
    outer = f"If<then_branch = u () => (float[] p) {{ p = {nested} }}, {other}>(c)"
    assert is_deterministic(node_of(f"g (bool c, float[2] x) => () {{ y = {outer} }}")) is expected


# --- sizes -----------------------------------------------------------------------------------------------------------
def test_bytes_of_values():
    ir = read("g (float[2,3] x, float[n] u, string[2] s) => () { y = Relu(c) }", c=np.zeros(5, np.int64))
    x, unknown, text = ir.graph.inputs
    constant = next(iter(ir.graph.constants))
    assert [value_bytes(value) for value in (x, unknown, text, constant)] == [24, 0, 0, 40]
    assert [weight_bytes(value) for value in (x, constant)] == [0, 40]


def test_only_what_dies_with_a_node_is_credited():
    ir = read("g (float[4] x) => (float[4] z) { y = Add(a, b) w = Add(b, x) z = Add(y, w) v = Mul(a, a) }",
              a=np.zeros(4, np.float32), b=np.zeros(4, np.float32))  # fmt: skip
    add, _, _, mul = list(ir.graph)
    assert credit(add) == 0
    assert credit(mul) == 0
    only = node_of("g (float[1] x) => () { y = Add(a, a) }", a=np.zeros(4, np.float32))
    assert credit(only) == 16


def test_a_constant_dies_with_the_last_of_the_nodes_that_take_it_apart():
    """Reordering the gates of an LSTM: slices of one weight, joined again; each slice alone frees nothing."""
    ir = read("g () => (float[4] y) { p = Slice(w, s, m) q = Slice(w, m, e) y = Concat<axis=0>(q, p) }",
              w=np.zeros(4, np.float32), s=np.array([0]), m=np.array([2]), e=np.array([4]))  # fmt: skip
    first, second, joined = list(ir.graph)
    assert credit(first) == 8, "the start index alone dies with it"
    for made in (first, second):
        made.outputs[0].tensor = ArrayTensor(np.zeros(2, np.float32))
    assert credit(joined) == 16 + 3 * 8


def folding(op: str, size: int, **attributes: object) -> Node:
    """A node over one constant of `size` bytes that nobody else reads."""
    return node_of(f"g (float[1] x) => () {{ y = {op}(a) }}", a=np.zeros(size // 4, np.float32))


def test_a_small_result_is_always_stored():
    policy = SizePolicy(MEBIBYTE, FREE, 0)
    assert policy.may_store(folding("Relu", 4), FREE)
    assert not policy.may_store(folding("Relu", 4), FREE + 8)


def test_a_result_no_larger_than_what_it_replaces_is_always_stored():
    policy = SizePolicy(0, 0, 0)
    assert policy.may_store(folding("Relu", 4096), 4096)
    assert not policy.may_store(folding("Relu", 4096), 4100)


def test_growth_is_bounded_for_one_result_and_for_all():
    policy = SizePolicy(10_000, FREE, 15_000)
    node = folding("Relu", 4)
    assert policy.may_store(node, 10_004)
    assert not policy.may_store(node, 10_008)
    policy.spend(10_000)
    assert policy.may_store(node, 5_004)
    assert not policy.may_store(node, 5_008)


def test_what_a_generator_makes_is_stored_only_when_small():
    policy = SizePolicy(MEBIBYTE, FREE, None)
    generator = node_of("g (float[1] x) => () { y = ConstantOfShape(a) }", a=np.array([3, 1000]))
    assert policy.may_store(generator, FREE)
    assert not policy.may_store(generator, FREE + 1)


def test_a_threshold_of_the_user_is_the_only_bound():
    policy = SizePolicy.with_threshold(5000)
    policy.spend(1 << 30)
    node = folding("Relu", 4)
    assert policy.may_store(node, 5004)
    assert not policy.may_store(node, 5008)
    generator = node_of("g (float[1] x) => () { y = ConstantOfShape(a) }", a=np.array([3, 1000]))
    assert policy.may_store(generator, 5000)
    assert not policy.may_store(generator, 5001)


def test_the_default_budget_is_a_fifth_of_the_weights():
    assert SizePolicy.for_model(read("g (float[1] x) => () { y = Add(x, x) }")).budget == MIN_BUDGET
    heavy = read("g (float[1] x) => () { y = Add(x, a) }", a=np.zeros(100_000, np.float32))
    assert SizePolicy.for_model(heavy).budget == 80_000


def test_rules_spend_from_the_same_budget():
    ir = read("g (float[1] x) => () { y = Add(x, a) z = Add(x, b) w = Mul(x, b) }",
              a=np.zeros(1000, np.float32), b=np.zeros(1000, np.float32))  # fmt: skip
    a, b = ir.graph.constants
    policy = SizePolicy(10_000, FREE, 5_000)
    assert policy.allows_growth(4000, [a])
    assert policy.grown == 0
    assert policy.allows_growth(4000, [b])
    assert policy.grown == 4000
    assert not policy.allows_growth(4000, [b])


# --- traps -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("nodes", "array", "expected"),
    [
        ("y = Neg(x) z = Div(w, y)", np.array([1, 0]), True),
        ("y = Neg(x) z = Mod(w, y)", np.array([0, 1]), True),
        ("y = Neg(x) z = Div(w, y)", np.array([1, 2]), False),
        ("y = Neg(x) z = Div(y, w)", np.array([1, 0]), False),
        ("y = Neg(x) z = Mul(w, y)", np.array([1, 0]), False),
        ("y = Neg(x) z = Div(w, y)", np.array([1.0, 0.0]), False),
    ],
)
def test_an_integer_zero_that_somebody_divides_by_is_a_trap(nodes, array, expected):
    ir = read(f"g (int64[2] x, int64[2] w) => () {{ {nodes} }}")
    assert is_trap(ir.graph.first.outputs[0], array) is expected
