"""What may fold, and what a fold may cost."""

import numpy as np
import pytest

from onnxsim_core import ops
from onnxsim_core.fold.policy import (
    FREE,
    MOST_COPIED,
    SizePolicy,
    is_deterministic,
    is_trap,
    ledger,
    value_bytes,
    weight_bytes,
)
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Model, Node, Value
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
        ("y, n, w = BatchNormalization<training_mode = 1>(x, s, b, m, v)", 21, True),
        ("y, n, w = BatchNormalization<training_mode = 1>(x, s, b, m, v) z = Neg(w)", 21, True),
        ("y, , w = BatchNormalization<training_mode = 1>(x, s, b, m, v)", 21, False),
        ("y, n, w = BatchNormalization(x, s, b, m, v)", 21, False),
        ("y, n, w, k, l = BatchNormalization(x, s, b, m, v)", 13, True),
        ("y, n, w, k, l = BatchNormalization(x, s, b, m, v) z = Neg(n)", 13, True),
        ("y, n, w, k, l = BatchNormalization(x, s, b, m, v) z = Neg(l)", 13, False),
        ("y, , , , l = BatchNormalization(x, s, b, m, v)", 13, False),
        ("y, n, w = BatchNormalization(x, s, b, m, v)", 13, False),
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
    assert ledger(add, 16).credit == ledger(mul, 16).credit == 8, "both go, and a with them; b stays"
    only = node_of("g (float[1] x) => () { y = Add(a, a) }", a=np.zeros(4, np.float32))
    assert ledger(only, 16).credit == 16


def test_a_constant_dies_with_the_last_of_the_nodes_that_take_it_apart():
    """Reordering the gates of an LSTM: slices of one weight, joined again; each slice alone frees nothing."""
    ir = read("g () => (float[4] y) { p = Slice(w, s, m) q = Slice(w, m, e) y = Concat<axis=0>(q, p) }",
              w=np.zeros(4, np.float32), s=np.array([0]), m=np.array([2]), e=np.array([4]))  # fmt: skip
    first, second, joined = list(ir.graph)
    assert ledger(first, 8) == (8 + 4 + 8, False), "its start, a half of the other index, and a half of the weight"
    for made in (first, second):
        made.outputs[0].tensor = ArrayTensor(np.zeros(2, np.float32))
    assert ledger(joined, 16).credit == 16 + 3 * 8


W = np.zeros(1000, np.float32)


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ("y = Neg(w)", (4000, False)),
        ("y = Neg(w) z = Add(x, w)", (0, True)),
        ("y = Neg(w) z = Abs(w)", (2000, False)),
        ("y = Neg(w) z = Abs(w) u = Add(x, w)", (0, True)),
        ("y = Neg(w) z = RandomNormalLike(w)", (0, True)),
        ("y = Neg(w) z = DequantizeLinear(w, w)", (0, True)),
        ("y = Neg(w) z = Tile(w, t)", (0, True)),
        ("y = Neg(w) z = Sub(w, x)", (0, True)),
        ("y = ReduceSum(w) z = Add(x, w)", (0, False)),
        ("y = Slice(w, one, half) z = Add(x, w)", (16, False)),
        ("y = Slice(w, one, most) z = Add(x, w)", (16, True)),
        ("y = MatMul(w, w) z = Add(x, w)", (0, False)),
        ("y = Cast<to=11>(w)", (4000, True)),
        ("y = Neg(few) z = Add(x, few)", (0, False)),
    ],
)
def test_a_copy_of_a_weight_is_told(nodes, expected):
    """Weights that only foldable nodes read will go; each of those is credited with its share."""
    ir = read(f"g (float[1] x) => () {{ {nodes} }}", w=W, few=np.zeros(FREE // 4, np.float32), t=np.array([2]),
              one=np.array([1]), half=np.array([501]), most=np.array([502]))  # fmt: skip
    first = ir.graph.first
    assert ledger(first, value_bytes(first.outputs[0])) == expected


@pytest.mark.parametrize("readers", [127, 128])
def test_a_weight_with_many_readers_is_taken_to_stay(readers):
    ir = read(f"g (float[1] x) => () {{ y = Neg(w) {' '.join(f'z{i} = Abs(w)' for i in range(readers))} }}", w=W)
    assert ledger(ir.graph.first, 4000) == ((4000 // 128, False) if readers == 127 else (0, True))


def test_results_of_folds_are_no_weights():
    ir = read("g (float[1] x) => () { y = Neg(w) z = Add(x, w) v = Cast<to=11>(w) }", w=W)
    (weight,) = ir.graph.constants
    first, _, cast = list(ir.graph)
    assert ledger(first, 4000, {weight}) == ledger(cast, 8000, {weight}) == (0, False)


def folding(op: str, size: int, **attributes: object) -> Node:
    """A node over one constant of `size` bytes that nobody else reads."""
    return node_of(f"g (float[1] x) => () {{ y = {op}(a) }}", a=np.zeros(size // 4, np.float32))


def test_a_small_result_is_always_stored():
    policy = SizePolicy(limit=FREE)
    assert policy.may_store(folding("Relu", 4), FREE)
    assert not policy.may_store(folding("Relu", 4), FREE + 8)


def test_a_result_no_larger_than_what_it_replaces_is_always_stored():
    policy = SizePolicy(limit=0)
    assert policy.may_store(folding("Relu", 4096), 4096)
    assert not policy.may_store(folding("Relu", 4096), 4100)


def test_each_result_is_judged_by_itself():
    policy = SizePolicy(limit=10_000)
    node = folding("Relu", 4)
    for _ in range(2):
        assert policy.may_store(node, 10_004)
        assert not policy.may_store(node, 10_008)
        policy.store(node, stored(10_004))
    assert policy.grown == 20_000 and list(policy.refused) == [node]


def test_a_copy_of_a_weight_is_stored_only_when_it_is_small():
    ir = read("g (float[1] x) => () { y = Neg(w) z = Add(x, w) }", w=W)
    policy = SizePolicy(limit=10_000, copy_limit=3000)
    assert policy.may_store(ir.graph.first, 3000)
    assert not policy.may_store(ir.graph.first, 3004)
    policy.made.update(ir.graph.constants)
    assert policy.may_store(ir.graph.first, 10_000)


def test_no_file_grows_beyond_all_measure():
    policy = SizePolicy(limit=10_000, most=15_000)
    node = folding("Relu", 4)
    policy.store(node, stored(10_004))
    assert policy.may_store(node, 5_004)
    assert not policy.may_store(node, 5_008)


def stored(size: int) -> Value:
    """A constant of that many bytes."""
    (value,) = read("g (float[1] x) => () { y = Add(x, w) }", w=np.zeros(size // 4, np.float32)).graph.constants
    return value


def test_what_a_generator_makes_is_stored_only_when_small():
    policy = SizePolicy()
    generator = node_of("g (float[1] x) => () { y = ConstantOfShape(a) }", a=np.array([3, 1000]))
    assert policy.may_store(generator, FREE)
    assert not policy.may_store(generator, FREE + 1)
    assert not policy.refused


def test_a_threshold_of_the_user_is_the_only_bound():
    policy = SizePolicy.with_threshold(5000)
    policy.grown = policy.spent = 1 << 30
    node = folding("Relu", 4)
    assert policy.may_store(node, 5004)
    assert not policy.may_store(node, 5008)
    copy = read("g (float[1] x) => () { y = Neg(w) z = Add(x, w) }", w=W).graph.first
    assert policy.may_store(copy, 5000)
    assert not policy.may_store(copy, 5001)
    generator = node_of("g (float[1] x) => () { y = ConstantOfShape(a) }", a=np.array([3, 1000]))
    assert policy.may_store(generator, 5000)
    assert not policy.may_store(generator, 5001)


def test_rules_may_spend_a_fifth_of_the_weights():
    assert SizePolicy.for_model(read("g (float[1] x) => () { y = Add(x, x) }")).budget == MOST_COPIED
    heavy = read("g (float[1] x) => () { y = Add(x, a) }", a=np.zeros(100_000, np.float32))
    assert SizePolicy.for_model(heavy).budget == 80_000


def test_rules_spend_from_one_budget():
    ir = read("g (float[1] x) => () { y = Add(x, a) z = Add(x, b) w = Mul(x, b) }",
              a=np.zeros(1000, np.float32), b=np.zeros(1000, np.float32))  # fmt: skip
    a, b = ir.graph.constants
    policy = SizePolicy(limit=10_000, budget=5_000)
    assert policy.allows_growth(4000, [a])
    assert policy.spent == 0
    assert policy.allows_growth(4000, [b])
    assert policy.spent == 4000
    assert not policy.allows_growth(4000, [b])
    assert not SizePolicy(limit=3000, budget=5_000).allows_growth(4000, [b])


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
