"""Changes of element type against the judge."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold, inferred, integers, model_of

BF16 = ml_dtypes.bfloat16
INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS: list[Any] = [np.float16, np.float32, np.float64, BF16]
VALUES = [
    0.0,
    -0.0,
    1.5,
    -1.5,
    2.5,
    127.0,
    128.0,
    300.0,
    65504.0,
    65519.0,
    65520.0,
    1e5,
    np.nan,
    np.inf,
    -np.inf,
    1e-8,
    5.9e-8,
    1e-40,
    3.4e38,
    1e39,
    1.00048828125,
    1.000488281250001,
    0.1,
]


def cast(array: np.ndarray, dtype: Any) -> np.ndarray | None:
    return fold("Cast", [array], to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


def assert_casts(array: np.ndarray, dtype: Any) -> None:
    assert_folds("Cast", [array], to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", [*FLOATS, np.bool_])
def test_between_floats(source: Any, target: Any) -> None:
    with np.errstate(all="ignore"):
        assert_casts(np.array(VALUES).astype(source), target)


@pytest.mark.parametrize("source", [*INTS, np.bool_])
@pytest.mark.parametrize("target", [*FLOATS, *INTS, np.bool_])
def test_from_integers(source: Any, target: Any) -> None:
    x = np.array([False, True]) if source is np.bool_ else integers(source)
    if np.dtype(source).itemsize == 8:
        x = np.concatenate([x, np.array([16777217, 33554433, 2**53 + 1, 2049, 65519, 65520], source)])
    assert_casts(x, target)


@pytest.mark.parametrize("source", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("target", INTS)
def test_floats_truncate_to_integers(source: type, target: type) -> None:
    info = np.iinfo(target)
    x = np.array([0.0, -0.0, 0.9, 1.5, 2.5, 99.99, *([-0.9, -1.5, -99.99] if info.min else [])], source)
    assert_casts(x, target)
    if float(np.finfo(source).max) > info.max:
        assert cast(np.array([info.max + 1], source), target) is None
    for value in (np.nan, np.inf, -1.0 if not info.min else -np.inf):
        assert cast(np.array([1.0, value], source), target) is None


def test_the_limits_of_an_integer_type_are_exact() -> None:
    assert_casts(np.array([-128.0, 127.0, 127.9], np.float32), np.int8)
    assert_casts(np.array([-(2.0**63), 2.0**63 - 1024]), np.int64)
    assert cast(np.array([2.0**63]), np.int64) is None
    assert_casts(np.array([2.0**64 - 2048, 0.0]), np.uint64)


def test_types_without_arithmetic_are_left_to_the_runtime() -> None:
    x = np.array([1.0, 2.0], np.float32)
    for dtype in (ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4, ml_dtypes.uint4):
        assert cast(x, dtype) is None
        assert cast(x.astype(dtype), np.float32) is None
    assert fold("Cast", [x], to=TensorProto.STRING) is None
    assert fold("Cast", [np.array([b"1"], object)], to=TensorProto.INT64) is None


def test_a_cast_to_the_same_type_is_the_same_array() -> None:
    x = np.array(2.5, np.float32)
    assert cast(x, np.float32) is x
    assert_casts(x, np.int32)


def test_cast_like_takes_the_type_of_the_second_input() -> None:
    assert_folds("CastLike", [np.array([1.5, 2.5], np.float32), np.zeros((), np.int64)])


def test_cast_1_spells_the_type_out() -> None:
    node, _ = inferred(model_of("Cast", [np.ones(2, np.float32)], opset=1, to="INT32"))
    assert (node.outputs[0].dtype, node.outputs[0].shape) == (TensorProto.INT32, (2,))
    node, _ = inferred(model_of("Cast", [np.ones(2, np.float32)], opset=1, to="NONSENSE"))
    assert node.outputs[0].dtype == 0


def test_an_unknown_type_number_says_nothing_of_the_type() -> None:
    assert fold("Cast", [np.ones(2, np.float32)], to=99) is None
    assert facts("g (float[N] x) => (y) { y = Cast<to=99>(x) }").values["y"].dtype == 0


def test_shape_and_type() -> None:
    text = "g (float[N,3] x, double[] t) => (y, z) { y = Cast<to=7>(x) z = CastLike(x, t) }"
    found = facts(text)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 3]", 7)
    assert (found.shape("z"), found.values["z"].dtype) == ("[N, 3]", 11)
    for op_type in ("Cast", "CastLike", "BitCast"):
        assert facts(f"g (float[2] x) => (y) {{ y = {op_type}() }}", opset=26).shape("y") == "?"


def test_bit_cast_keeps_the_shape() -> None:
    found = facts("g (float[N,3] x) => (y) { y = BitCast<to=6>(x) }", opset=26)
    assert (found.shape("y"), found.values["y"].dtype) == ("[N, 3]", 6)


def test_bit_cast_takes_the_same_bytes() -> None:
    for x in (np.array([1.5, -2.0, np.nan], np.float32), np.array(1.5, np.float32)):
        assert_folds("BitCast", [x], opset=26, to=TensorProto.INT32)
    assert fold("BitCast", [np.array([1.5], BF16)], opset=26, to=TensorProto.UINT16).tolist() == [0x3FC0]


def test_bit_cast_declines_other_widths_and_layouts() -> None:
    x = np.ones(2, np.float32)
    for to in (TensorProto.INT64, TensorProto.STRING, TensorProto.BOOL, 99):
        assert fold("BitCast", [x], opset=26, to=to) is None
    assert fold("BitCast", [np.ones(2, ml_dtypes.int4)], opset=26, to=TensorProto.INT8) is None
    assert fold("BitCast", [np.ones(2, np.bool_)], opset=26, to=TensorProto.INT8) is None


def test_elements_are_followed() -> None:
    text = """g (float[N,M] x) => (a, b, c, d, e) { s = Shape(x) a = Cast<to=6>(s) b = Cast<to=7>(a) p = Add(s, one)
        c = Cast<to=9>(p) d = Cast<to=7>(c) e = Cast<to=9>(s) f = CastLike(s, a) }"""
    for n, m in ((0, 4), (3, 1)):
        found = judge(text, {"x": np.ones((n, m), np.float32)}, one=np.array(1))
        assert found.data("a") == found.data("b") == found.data("f") == "[N, M]"
        assert found.data("c") == found.data("d") == "[1, 1]"
        assert found.data("e") == "?"


def test_known_numbers_wrap() -> None:
    text = "g (float[1] x) => (a, b) { a = Cast<to=6>(k) b = Cast<to=9>(k) }"
    found = judge(text, {"x": np.ones(1, np.float32)}, k=np.array([2**31, -(2**33) + 5, 0]))
    assert found.data("a") == f"[{-(2**31)}, 5, 0]"
    assert found.data("b") == "[1, 1, 0]"


def test_floats_are_not_followed() -> None:
    assert facts("g (float[N] x) => (y) { s = Shape(x) f = Cast<to=1>(s) y = Cast<to=7>(f) }").data("y") == "?"
