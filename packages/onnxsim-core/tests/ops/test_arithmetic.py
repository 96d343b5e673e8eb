"""Broadcasting arithmetic against the judge."""

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ops.judging import facts, judge
from ops.one_node import SPECIAL, assert_folds, floats, fold, integers, pairs_of

from onnxsim_core import simplify
from onnxsim_testkit import model

INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float16, np.float32, np.float64]


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "Div"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_float_arithmetic_gives_the_judges_bits(op_type: str, dtype: type) -> None:
    assert_folds(op_type, pairs_of(floats(dtype)))


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul"])
@pytest.mark.parametrize("dtype", INTS)
def test_integers_wrap(op_type: str, dtype: type) -> None:
    assert_folds(op_type, pairs_of(integers(dtype)))


@pytest.mark.parametrize("dtype", INTS)
def test_integer_division_rounds_toward_zero_and_mod_follows_the_divisor(dtype: type) -> None:
    a, b = pairs_of(integers(dtype))
    assert a is not None and b is not None
    b = b[b != 0]
    assert_folds("Mod", [a, b])
    assert_folds("Mod", [a, b], fmod=1)
    # The least integer by -1 has no result, and onnxruntime dies of it.
    assert_folds("Div", [a[a != np.iinfo(dtype).min].reshape(-1, 1), b])


def test_the_least_integer_by_minus_one_wraps() -> None:
    for dtype in (np.int8, np.int16, np.int32, np.int64):
        least = np.iinfo(dtype).min
        assert fold("Div", [np.array([least], dtype), np.array([-1], dtype)]).tolist() == [least]


@pytest.mark.parametrize("op_type", ["Div", "Mod"])
def test_integer_division_by_zero_is_declined(op_type: str) -> None:
    assert fold(op_type, [np.array([4, 5]), np.array([2, 0])]) is None


@pytest.mark.parametrize("dtype", FLOATS)
def test_float_mod_needs_fmod(dtype: type) -> None:
    assert_folds("Mod", pairs_of(floats(dtype)), fmod=1)
    assert fold("Mod", pairs_of(floats(dtype))) is None


@pytest.mark.parametrize("op_type", ["Add", "Mul", "Div"])
def test_bfloat16_is_computed_wide_and_rounded_once(op_type: str) -> None:
    a, b = (np.array(v, ml_dtypes.bfloat16) for v in ([1.5, 3.3, 200.0], [0.1, 3e38, 7.0]))
    with np.errstate(all="ignore"):
        wide = {"Add": np.add, "Mul": np.multiply, "Div": np.divide}[op_type](
            a.astype(np.float32), b.astype(np.float32)
        )
        expected = wide.astype(ml_dtypes.bfloat16)
    found = fold(op_type, [a, b])
    assert found.dtype == a.dtype and found.tolist() == expected.tolist()


def test_what_does_not_fit_is_declined() -> None:
    two, three, half = np.ones(2, np.float32), np.ones(3, np.float32), np.ones(2, np.float16)
    for op_type in ("Add", "Pow", "Max", "Sum"):
        assert fold(op_type, [two, three]) is None
    for op_type in ("Add", "Max", "Sum"):
        assert fold(op_type, [two, half]) is None
        assert fold(op_type, [np.ones(2, ml_dtypes.float8_e5m2)] * 2) is None
        assert fold(op_type, [np.array([b"a"], object)] * 2) is None


def test_rank_zero_and_empty() -> None:
    scalar, empty = np.array(2.5, np.float32), np.ones((0, 3), np.float32)
    for op_type in ("Add", "Div", "Pow", "Max", "Sum", "Mean"):
        assert_folds(op_type, [scalar, scalar], ulps=op_type == "Pow")
        assert_folds(op_type, [empty, scalar])


@pytest.mark.parametrize("dtype", FLOATS)
def test_pow_is_within_one_ulp(dtype: type) -> None:
    base = np.concatenate([floats(dtype)[:60], abs(floats(dtype))[24:300]])
    exponents = np.array([*SPECIAL[:13], 2, 3, 4, -2, 1.7, -0.3, 30.0], dtype)
    assert_folds("Pow", [base.reshape(-1, 1), exponents], ulps=1)
    for exponent in (2.0, 0.5, -1.0, 3.0):
        assert_folds("Pow", [base, np.array(exponent, dtype)], ulps=1)
        assert_folds("Pow", [np.array([-np.inf], dtype), np.array([exponent], dtype)])


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_pow_of_integers_is_exact_or_declined(dtype: type) -> None:
    assert_folds("Pow", [np.arange(-9, 10, dtype=dtype).reshape(-1, 1), np.arange(0, 9, dtype=dtype)])
    assert_folds("Pow", [np.array([2, 3, -1], dtype), np.array([-1, -2, -1], dtype)])
    assert fold("Pow", [np.array([2], dtype), np.array([8 * np.dtype(dtype).itemsize - 1], dtype)]) is None
    assert fold("Pow", [np.array([0], dtype), np.array([-1], dtype)]) is None


def test_pow_of_integers_has_every_digit() -> None:
    for base in range(2, 40):
        powers = [base**exponent for exponent in range(60) if base**exponent < 2**53]
        found = fold("Pow", [np.array([base], np.int64), np.arange(len(powers))])
        assert found.tolist() == powers
        assert fold("Pow", [np.array([-base], np.int64), np.arange(len(powers))]).tolist() == [
            (-1) ** exponent * power for exponent, power in enumerate(powers)
        ]


def test_pow_of_mixed_types_has_the_type_of_the_base() -> None:
    assert_folds("Pow", [np.array([1.5, -2.5, 3.1], np.float32), np.array([2, 3, -1])], ulps=1)
    assert fold("Pow", [np.array([2, 3]), np.array([0.5, 2.0], np.float32)]) is None


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.float32, np.float64])
def test_an_exponent_that_a_double_does_not_hold_is_left_to_the_runtime(dtype):
    base = np.array([-1, 1], dtype)
    assert_folds("Pow", [base, np.array([2**53 - 1, 2**53])])
    assert_folds("Pow", [base, np.array([1 - 2**53, -(2**53)])])
    for exponent in (2**53 + 1, 2**63 - 1, -(2**53) - 1):
        assert fold("Pow", [base, np.array([exponent])]) is None


@pytest.mark.parametrize("op_type", ["Max", "Min"])
@pytest.mark.parametrize("dtype", [*FLOATS, np.int32, np.int64, np.uint8, np.int8])
def test_max_and_min(op_type: str, dtype: type) -> None:
    values = integers(dtype) if np.dtype(dtype).kind in "iu" else floats(dtype)
    values = values[values != 0]
    assert_folds(op_type, [*pairs_of(values), values[:1]])
    assert_folds(op_type, [values])


def test_max_of_zeros_of_different_sign_is_declined() -> None:
    a, b = np.array([0.0, 1.0], np.float32), np.array([-0.0, 1.0], np.float32)
    assert fold("Max", [a, b]) is None
    assert fold("Min", [b, a]) is None
    assert_folds("Max", [a, a])


@pytest.mark.parametrize("count", [1, 2, 3, 7])
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_sum_and_mean_add_from_first_to_last(count: int, dtype: type) -> None:
    arrays = [floats(dtype, seed=seed) for seed in range(count)]
    assert_folds("Sum", arrays)
    assert_folds("Mean", arrays)


def test_before_opset_7_the_second_operand_lies_along_an_axis() -> None:
    a, b = np.arange(24, dtype=np.float32).reshape(2, 3, 4), np.array([10, 20, 30], np.float32)
    assert (fold("Add", [a, b], opset=6, broadcast=1, axis=1) == a + b.reshape(3, 1)).all()
    assert (fold("Mul", [a, a[0, 0]], opset=6, broadcast=1) == a * a[0, 0]).all()
    assert fold("Add", [a, b], opset=6, broadcast=1) is None
    assert fold("Add", [a, a[0, 0]], opset=6) is None
    text = "g (float[N,3,4] a, float[3] b) => (y) { y = Add<broadcast=1,axis=1>(a, b) }"
    assert facts(text, opset=6).shape("y") == "[N, 3, 4]"


@pytest.mark.parametrize("op_type", ["Add", "Sub", "Mul", "Div", "Pow", "Max", "Min", "Sum", "Mean"])
def test_shapes_broadcast(op_type: str) -> None:
    text = f"g (float[N,1,3] a, float[M,1] b) => (y) {{ y = {op_type}(a, b) }}"
    for n, m in ((2, 4), (1, 1), (0, 2), (3, 0)):
        feeds = {"a": np.ones((n, 1, 3), np.float32), "b": np.ones((m, 1), np.float32)}
        assert judge(text, feeds, kernels=False).shape("y") == "[N, M, 3]"


def test_a_slope_stretches_what_it_multiplies() -> None:
    """onnxruntime runs PRelu with a slope of more axes than the values have."""
    text = "g (int32[1] a, int32[1,1] b) => (y) { y = PRelu(a, b) }"
    feeds = {"a": np.ones(1, np.int32), "b": np.ones((1, 1), np.int32)}
    assert judge(text, feeds, opset=18, kernels=False).shape("y") == "?"
    declared = text.replace("(y) {", "(y) <int32[1] y> {")
    assert judge(declared, feeds, opset=18, kernels=False).shape("y") == "?"
    assert facts(text.replace("[1] a", "[N,3] a").replace("[1,1] b", "[3] b")).shape("y") == "[N, 3]"
    assert facts("g (float[N,3,4] a, float[3] b) => (y) { y = PRelu(a, b) }", opset=6).shape("y") == "[N, 3, 4]"


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_two_shapes_that_broadcast(data: st.DataObject) -> None:
    size = st.sampled_from([1, 1, 2, 3, 0])
    full = data.draw(st.lists(size, max_size=4))
    shapes, names = [], []
    for letter in "ab":
        kept = full[data.draw(st.integers(0, len(full))) :]
        shape = [1 if data.draw(st.booleans()) else s for s in kept]
        shapes.append(shape)
        # A size of 1 that is only known by name may still broadcast.
        names.append(",".join(f"{letter}{i}" if data.draw(st.booleans()) else str(s) for i, s in enumerate(shape)))
    inputs = ", ".join(
        f"float[{n}] {letter}" if n else f"float {letter}" for letter, n in zip("ab", names, strict=True)
    )
    feeds = {letter: np.ones(shape, np.float32) for letter, shape in zip("ab", shapes, strict=True)}
    found = judge(f"g ({inputs}) => (y) {{ y = Add(a, b) }}", feeds)
    assert found.values["y"].shape is not None


def test_unknown_ranks_and_clashes_give_the_type_alone() -> None:
    found = facts("g (float[2] a, float[3] b, float[] c) => (y, z) { y = Add(a, b) z = Max(c, a) }")
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)
    assert (found.shape("z"), found.values["z"].dtype) == ("?", 1)


def test_invalid_nodes_say_nothing() -> None:
    for op_type in ("Add", "Max"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"


TRACKED = "g (float[N,M] x) => (int64[2] y) {{ s = Shape(x) y = {op}(s, k) z = {op}(k, s) }}"


@pytest.mark.parametrize(
    ("op", "forward", "backward"),
    [
        ("Add", "[N + 3, M + 2]", "[N + 3, M + 2]"),
        ("Sub", "[N - 3, M - 2]", "[-N + 3, -M + 2]"),
        ("Mul", "[3*N, 2*M]", "[3*N, 2*M]"),
        ("Div", "[floor(N/3), floor(M/2)]", "[floor(3/N), floor(2/M)]"),
        ("Mod", "[N - 3*floor(N/3), M - 2*floor(M/2)]", "[-N*floor(3/N) + 3, -M*floor(2/M) + 2]"),
        ("Max", "[max(N, 3), max(M, 2)]", "[max(N, 3), max(M, 2)]"),
        ("Min", "[min(N, 3), min(M, 2)]", "[min(N, 3), min(M, 2)]"),
    ],
)
def test_elements_are_followed(op: str, forward: str, backward: str) -> None:
    for n, m in ((1, 9), (7, 2), (4, 5)):
        found = judge(TRACKED.format(op=op), {"x": np.ones((n, m), np.float32)}, k=np.array([3, 2]))
        assert (found.data("y"), found.data("z")) == (forward, backward)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(["Add", "Sub", "Mul", "Div", "Mod", "Max", "Min"]),
    st.integers(-9, 9),
    st.integers(-9, 9),
    st.integers(1, 6),
    st.integers(0, 1),
)
def test_tracked_elements_are_what_the_judge_computes(op: str, shift: int, k: int, n: int, fmod: int) -> None:
    if op in ("Div", "Mod") and 0 in (k, n + shift):
        return
    call = op + (f"<fmod={fmod}>" if op == "Mod" else "")
    text = f"g (float[N] x) => (y) {{ s = Shape(x) t = Add(s, shift) y = {call}(t, k) z = {call}(k, t) w = Sub(y, z) }}"
    judge(text, {"x": np.ones(n, np.float32)}, shift=np.array(shift), k=np.array([k]))


def test_tracked_elements_broadcast_at_any_rank() -> None:
    text = "g (float[N,M] x) => (y, z) { s = Shape(x) y = Add(s, k) z = Mul(y, one) }"
    k, one = np.array([[3], [2]]), np.array([[[1]]])
    found = judge(text, {"x": np.ones((4, 5), np.float32)}, k=k, one=one)
    assert found.data("y") == found.data("z") == "[N + 3, M + 3, N + 2, M + 2]"
    assert found.values["z"].shape == (1, 2, 2)


def test_known_numbers_wrap_as_the_type_does() -> None:
    text = "g (float[1] x) => (a, b, c) { a = Add(k, k) b = Mul(j, j) c = Sub(j, k2) }"
    k, j = np.array([2**62, -(2**63)]), np.array([65536, -3], np.int32)
    found = judge(text, {"x": np.ones(1, np.float32)}, k=k, j=j, k2=np.array(2**31 - 1, np.int32))
    assert found.data("a") == f"[{-(2**63)}, 0]"
    assert found.data("b") == "[0, 9]"


def test_division_by_a_known_zero_is_not_followed() -> None:
    for op in ("Div", "Mod"):
        assert facts(TRACKED.format(op=op), k=np.array([3, 0])).data("y") == "?"


def test_what_is_not_an_integer_is_not_followed() -> None:
    text = "g (float[N,M] x) => (y) { s = Shape(x) f = Cast<to=1>(s) y = Add(f, f) p = Pow(s, s) m = Mean(f, f) }"
    found = facts(text)
    assert found.data("y") == found.data("p") == found.data("m") == "?"


def test_variadic_elements_are_followed() -> None:
    text = "g (float[N,M] x) => (y) { s = Shape(x) y = Max(s, k, n) }"
    for n, m in ((1, 9), (7, 2)):
        found = judge(text, {"x": np.ones((n, m), np.float32)}, k=np.array([3, 1]), n=np.array([2]))
        assert found.data("y") == "[max(N, 3), max(M, 2)]"
    assert facts("g (float[N,M] x, int64[2] w) => (y) { s = Shape(x) y = Max(s, w) }").data("y") == "?"


def test_a_large_division_by_zero_stays_where_it_is() -> None:
    text = "g (int64[N] x) => (y) { q = Div(k, z) y = Add(q, x) }"
    large = {"k": np.ones(1 << 18, np.int64), "z": np.zeros(1 << 18, np.int64)}
    result = simplify(model(text, initializers=large)).model
    assert [node.op_type for node in result.graph.node] == ["Div", "Add"]
