"""Element-wise operators against the judge."""

import ml_dtypes
import numpy as np
import pytest
from ops.judging import facts, judge
from ops.one_node import assert_folds, floats, fold, integers

SIGNED = [np.int8, np.int16, np.int32, np.int64]
UNSIGNED = [np.uint8, np.uint16, np.uint32, np.uint64]
CLOSE = ["Exp", "Sin", "Cos", "Tan", "Cosh", "Asinh", "Acosh", "Atanh"]
COARSE = ["Log", "Asin", "Acos", "Atan", "Sinh", "Tanh"]


@pytest.mark.parametrize("op_type", ["Sqrt", "Ceil", "Floor", "Round", "Neg", "Abs", "Reciprocal", "IsNaN", "IsInf"])
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_exact_operators_give_the_judges_bits(op_type: str, dtype: type) -> None:
    assert_folds(op_type, [floats(dtype)])


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_sign_is_exact_and_gives_zero_for_negative_zero(dtype: type) -> None:
    x = floats(dtype)
    assert_folds("Sign", [x[~np.isnan(x)]])
    assert fold("Sign", [x]) is None


@pytest.mark.parametrize("op_type", CLOSE)
@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_transcendental_functions_are_within_one_ulp(op_type: str, dtype: type) -> None:
    assert_folds(op_type, [floats(dtype)], ulps=1)


@pytest.mark.parametrize("op_type", COARSE)
def test_functions_that_onnxruntime_approximates_fold_in_float16_only(op_type: str) -> None:
    assert_folds(op_type, [floats(np.float16)], ulps=1)
    assert fold(op_type, [floats(np.float32)]) is None


@pytest.mark.parametrize("op_type", ["Exp", "Log"])
def test_exp_and_log_of_doubles_are_within_one_ulp(op_type: str) -> None:
    assert_folds(op_type, [floats(np.float64)], ulps=1)
    assert fold("Sin", [floats(np.float64)]) is None


@pytest.mark.parametrize(
    ("op_type", "dtypes"), [("Neg", SIGNED), ("Abs", SIGNED + UNSIGNED), ("Sign", SIGNED + UNSIGNED)]
)
def test_integers_wrap(op_type: str, dtypes: list[type]) -> None:
    for dtype in dtypes:
        assert_folds(op_type, [integers(dtype)])


@pytest.mark.parametrize("dtype", SIGNED + UNSIGNED)
def test_bitwise_not(dtype: type) -> None:
    assert_folds("BitwiseNot", [integers(dtype)])


def test_not_needs_bool() -> None:
    assert_folds("Not", [np.array([[True, False]])])
    assert fold("Not", [np.array([1, 0])]) is None
    assert fold("BitwiseNot", [np.array([True])]) is None


@pytest.mark.parametrize(("positive", "negative"), [(1, 1), (0, 1), (1, 0), (0, 0)])
def test_isinf_looks_for_the_signs_asked_for(positive: int, negative: int) -> None:
    assert_folds("IsInf", [floats(np.float32)], detect_positive=positive, detect_negative=negative)


def test_bfloat16_is_computed_wide_and_rounded_once() -> None:
    x = np.array([2.0, 3.0, 0.1, np.inf], ml_dtypes.bfloat16)
    found = fold("Sqrt", [x])
    assert found.dtype == x.dtype
    assert found.tolist() == np.sqrt(x.astype(np.float32)).astype(ml_dtypes.bfloat16).tolist()


@pytest.mark.parametrize("op_type", ["Sqrt", "Exp", "IsNaN", "Neg", "Reciprocal"])
def test_other_types_are_left_to_the_runtime(op_type: str) -> None:
    assert fold(op_type, [np.zeros(2, ml_dtypes.float8_e4m3fn)]) is None
    if op_type != "Neg":
        assert fold(op_type, [np.ones(2, np.int32)]) is None


def test_rank_zero_stays_an_array() -> None:
    for op_type in ("Sqrt", "Exp", "Neg", "Abs", "Sign", "IsNaN", "IsInf"):
        assert_folds(op_type, [np.array(2.25, np.float32)], ulps=1 if op_type == "Exp" else 0)


SAME_SHAPE = ["Relu", "Tanh", "Erf", "Softplus", "Softmax", "LogSoftmax", "Hardmax", "Gelu", "Mish", "HardSwish"]


@pytest.mark.parametrize("op_type", SAME_SHAPE)
def test_shape_and_type_are_kept(op_type: str) -> None:
    text = f"g (float[N,3] x) => (float[N,3] y) {{ y = {op_type}(x) }}"
    for n in (0, 1, 4):
        assert judge(text, {"x": np.ones((n, 3), np.float32)}, kernels=False).shape("y") == "[N, 3]"


def test_predicates_are_bool() -> None:
    text = "g (float[N,3] x) => (y, z) { y = IsNaN(x) z = IsInf(x) }"
    found = judge(text, {"x": np.ones((2, 3), np.float32)})
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 3]", 9)
    assert (found.shape("z"), found.values["z"].dtype) == ("[N, 3]", 9)


def test_an_unknown_rank_still_gives_the_type() -> None:
    found = facts("g (float[] x) => (y) { y = Exp(x) }")
    assert (found.shape("y"), found.values["y"].dtype) == ("?", 1)


def test_elements_are_followed() -> None:
    text = """g (float[N,M] x) => (int64[2] a, int64[2] b, int64[2] c, int64[2] d, int64[2] e)
        { s = Shape(x) a = Neg(s) b = Abs(a) c = Sign(k) d = BitwiseNot(k) e = Clip(s, two, five) }"""
    k, two, five = np.array([-7, 0]), np.array(2), np.array(5)
    for n, m in ((1, 9), (3, 2)):
        found = judge(text, {"x": np.ones((n, m), np.float32)}, k=k, two=two, five=five)
        assert found.data("a") == "[-N, -M]"
        assert found.data("b") == "[N, M]"
        assert found.data("c") == "[-1, 0]"
        assert found.data("d") == "[6, -1]"
        assert found.data("e") == "[min(max(N, 2), 5), min(max(M, 2), 5)]"


def test_the_least_integer_is_its_own_negative() -> None:
    text = "g (float[1] x) => (a, b, c) { a = Neg(k) b = Abs(k) c = Neg(j) }"
    k, j = np.array([-(2**63)]), np.array([-(2**31)], np.int32)
    found = judge(text, {"x": np.ones(1, np.float32)}, k=k, j=j)
    assert found.data("a") == found.data("b") == f"[{-(2**63)}]"
    assert found.data("c") == f"[{-(2**31)}]"


def test_abs_of_an_unknown_sign_and_sign_of_a_size_are_not_followed() -> None:
    found = facts("g (float[N,M] x) => (a, b) { s = Shape(x) t = Sub(s, k) a = Abs(t) b = Sign(s) }", k=np.array(3))
    assert found.data("a") == found.data("b") == "?"


def test_not_of_known_truth() -> None:
    text = "g (float[N] x) => (b) { s = Shape(x) a = Less(s, zero) b = Not(a) }"
    assert judge(text, {"x": np.ones(3, np.float32)}, zero=np.array([0])).data("b") == "[1]"


def test_clip_with_low_above_high_gives_high() -> None:
    text = "g (float[1] x) => (y) { y = Clip(k, five, two) }"
    found = judge(text, {"x": np.ones(1, np.float32)}, k=np.array([1, 3, 9]), two=np.array(2), five=np.array(5))
    assert found.data("y") == "[2, 2, 2]"


def test_clip_by_an_unknown_bound_is_not_followed() -> None:
    assert facts("g (int64 low) => (y) { y = Clip(k, low) }", k=np.array([1, 3])).data("y") == "?"


def test_an_invalid_node_says_nothing() -> None:
    for op_type in ("Exp", "IsNaN", "Neg", "Clip"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}").shape("y") == "?"
