"""Matrix products against the judge."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.judging import facts, judge
from ops.one_node import assert_folds, floats, fold

RNG = np.random.default_rng(0)
PAIRS = [
    ("N,M,3", "3,4", "[N, M, 4]"),
    ("3", "3", "[]"),
    ("N,3", "3", "[N]"),
    ("3", "3,M", "[M]"),
    ("N,2,3", "3", "[N, 2]"),
    ("3", "N,3,2", "[N, 2]"),
    ("N,1,2,3", "M,3,4", "[N, M, 2, 4]"),
    ("N,2,k", "N,k,4", "[N, 2, 4]"),
]
NAMED = {"N": 2, "M": 5, "k": 3}


@pytest.mark.parametrize(("a", "b", "expected"), PAIRS)
def test_matmul_shapes(a: str, b: str, expected: str) -> None:
    text = f"g (float[{a}] a, float[{b}] b) => (y) {{ y = MatMul(a, b) }}"
    for named in (NAMED, {"N": 1, "M": 1, "k": 1}, {"N": 0, "M": 4, "k": 2}):
        shapes = [
            [named.get(s, 0) or int(s) if s not in named else named[s] for s in names.split(",")] for names in (a, b)
        ]
        feeds = {name: np.ones(shape, np.float32) for name, shape in zip("ab", shapes, strict=True)}
        assert judge(text, feeds).shape("y") == expected


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from([1, 2, 3]), max_size=3), st.integers(0, 3), st.integers(0, 3), st.booleans(), st.booleans()
)
def test_leading_axes_broadcast(lead: list[int], keep_a: int, keep_b: int, ones_a: bool, ones_b: bool) -> None:
    lead_a = [1 if ones_a else s for s in lead[-keep_a:] if keep_a]
    lead_b = [1 if ones_b else s for s in lead[-keep_b:] if keep_b]
    shapes = {"a": [*lead_a, 2, 3], "b": [*lead_b, 3, 4]}
    inputs = ", ".join(f"float[{','.join(f'{n}{i}' for i in range(len(s)))}] {n}" for n, s in shapes.items())
    found = judge(f"g ({inputs}) => (y) {{ y = MatMul(a, b) }}", {n: np.ones(s, np.float32) for n, s in shapes.items()})
    assert found.values["y"].shape is not None


def test_what_does_not_multiply_gives_the_type_alone() -> None:
    for a, b in (("[2,3]", "[4,5]"), ("", "[3]"), ("[]", "[3]"), ("[2,2,3]", "[3,3,4]")):
        found = facts(f"g (float{a} a, float{b} b) => (y) {{ y = MatMul(a, b) }}")
        assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)
    for op_type in ("MatMul", "MatMulInteger", "QLinearMatMul", "Gemm", "Einsum"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"


@pytest.mark.parametrize(
    ("attributes", "a", "b"),
    [
        ("", "N,3", "3,M"),
        ("<transA=1>", "3,N", "3,M"),
        ("<transB=1>", "N,3", "M,3"),
        ("<transA=1,transB=1,alpha=0.5>", "3,N", "M,3"),
    ],
)
def test_gemm_shapes(attributes: str, a: str, b: str) -> None:
    text = f"g (float[{a}] a, float[{b}] b, float[M] c) => (y) {{ y = Gemm{attributes}(a, b, c) }}"
    for n, m in ((2, 5), (1, 1), (4, 3)):
        shapes = [[{"N": n, "M": m, "3": 3}[s] for s in names.split(",")] for names in (a, b)]
        feeds = {"a": np.ones(shapes[0], np.float32), "b": np.ones(shapes[1], np.float32), "c": np.ones(m, np.float32)}
        assert judge(text, feeds, kernels=False).shape("y") == "[N, M]"


def test_gemm_needs_matrices() -> None:
    found = facts("g (float[2,3,4] a, float[4,5] b) => (y) { y = Gemm(a, b) }")
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)


def test_integer_products_have_their_own_types() -> None:
    text = "g (uint8[N,2,3] a, int8[3,M] b) => (y) { y = MatMulInteger(a, b) }"
    found = judge(text, {"a": np.ones((4, 2, 3), np.uint8), "b": np.ones((3, 5), np.int8)}, kernels=False)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 2, M]", 6)
    text = "g (uint8[N,2,3] a) => (y) { y = QLinearMatMul(a, s, za, b, s, zb, s, za) }"
    constants = {
        "s": np.array(0.5, np.float32),
        "za": np.array(1, np.uint8),
        "b": np.ones((3, 5), np.int8),
        "zb": np.array(0, np.int8),
    }
    found = judge(text, {"a": np.ones((4, 2, 3), np.uint8)}, kernels=False, **constants)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 2, 5]", 2)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64])
def test_integer_products_wrap(dtype: type) -> None:
    info = np.iinfo(dtype)
    a, b = (RNG.integers(info.min, info.max, shape, dtype) for shape in ((2, 3, 4), (4, 5)))
    assert_folds("MatMul", [a, b])
    assert_folds("MatMul", [a[0, 0], b])
    assert_folds("MatMul", [a[0, 0], a[0, 1]])
    if info.min:
        assert_folds("MatMul", [a[:, :, :0], b[:0]])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_outer_products_give_the_judges_bits(dtype: type) -> None:
    values = floats(dtype)
    values = values[(abs(values) > 1e-3) | (values == 0)]
    column, row = values[:60].reshape(-1, 1), values[-70:].reshape(1, -1)
    assert_folds("MatMul", [column, row])
    assert_folds("MatMul", [np.stack([column, -column]), row])
    assert_folds("MatMul", [column, row[0, :1]])
    assert_folds("MatMul", [column[:, :0], row[:0]])


def test_the_sign_of_an_underflow_is_left_to_the_runtime() -> None:
    assert fold("MatMul", [np.array([[-1e-30]], np.float32), np.array([[1e-30]], np.float32)]) is None
    assert_folds("MatMul", [np.array([[-0.0]], np.float32), np.array([[1e-30]], np.float32)])


def test_float_products_that_add_up_are_declined() -> None:
    assert fold("MatMul", [np.ones((2, 3), np.float32), np.ones((3, 2), np.float32)]) is None
    assert fold("MatMul", [np.ones((2, 1), np.float32), np.ones((2, 1), np.float32)]) is None
    assert fold("MatMul", [np.ones((2, 1), np.float32), np.ones((1, 2))]) is None
    assert fold("MatMul", [np.ones((2, 1), ml_dtypes.float8_e5m2), np.ones((1, 2), ml_dtypes.float8_e5m2)]) is None


def test_determinants_drop_the_matrix() -> None:
    text = "g (float[N,M,M] x) => (y) { y = Det(x) }"
    assert judge(text, {"x": np.stack([np.eye(3, dtype=np.float32)] * 2)}, kernels=False).shape("y") == "[N]"
    assert facts("g (float[3] x) => (y) { y = Det(x) z = Det() }").shape("y") == "?"
