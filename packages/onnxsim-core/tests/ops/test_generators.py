"""ConstantOfShape, Range, EyeLike and Constant against the judge."""

import numpy as np
import pytest
from onnx import TensorProto, helper
from ops.judging import facts, judge
from ops.one_node import assert_folds, fold

from onnxsim_core import simplify
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.registry import KERNELS
from onnxsim_testkit import model, run


def ramp(*shape: int) -> np.ndarray:
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


# --- ConstantOfShape -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
@pytest.mark.parametrize(
    "value", [None, np.float32([2.5]), np.int64([-3]), np.array([True]), np.float16([1]), np.uint8([7])]
)
def test_constant_of_shape(shape: tuple[int, ...], value: np.ndarray | None) -> None:
    attributes = (
        {}
        if value is None
        else {"value": helper.make_tensor("v", helper.np_dtype_to_tensor_dtype(value.dtype), [1], value)}
    )
    assert_folds("ConstantOfShape", [ints(*shape)], **attributes)


def test_constant_of_a_shape_that_is_no_vector() -> None:
    """Its numbers count where onnxruntime does not see that it is none; a scalar is refused there."""
    text = "g (float[2,1,3,1] x) => (float[?,?,?,?] y) <int64[2,2] s = {2,1,3,1}> { c = ConstantOfShape(s) y = Add(x, c) }"
    (stored,) = simplify(model(text), tensor_size_threshold=10**9).model.graph.initializer
    assert list(stored.dims) == [2, 1, 3, 1]
    assert facts("g (float x) => (float[] y) { y = ConstantOfShape(s) }", s=ints(3).reshape(())).shape("y") == "?"


def test_constant_of_a_symbolic_shape() -> None:
    text = "g (float[N,3] x) => (int64[] y) { h = Shape(x) y = ConstantOfShape<value=int64[1]{4}>(h) }"
    found = judge(text, {"x": ramp(2, 3)})
    assert found.shape("y") == "[N, 3]" and found.data("y") == "?"
    assert judge(text.replace("[N,3]", "[2,3]"), {"x": ramp(2, 3)}).data("y") == "[4, 4, 4, 4, 4, 4]"


def test_constant_of_an_unknown_shape_has_its_length_as_rank() -> None:
    assert judge("g (int64[2] s) => (float[] y) { y = ConstantOfShape(s) }", {"s": ints(2, 3)}).shape("y") == "[_, _]"
    assert facts("g (int64[K] s) => (float[] y) { y = ConstantOfShape(s) }").shape("y") == "?"


def test_constant_of_a_negative_shape_is_nothing() -> None:
    assert facts("g (float x) => (float[] y) { y = ConstantOfShape(s) }", s=ints(2, -1)).shape("y") == "?"
    assert fold("ConstantOfShape", [ints(2, -1)]) is None


# --- Range -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("limits", [(0, 5, 1), (5, 0, -2), (3, 3, 1), (0, 5, -1), (-4, 5, 3), (7, -8, -5)])
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.int16, np.float32, np.float64])
def test_ranges(limits: tuple[int, int, int], dtype: type) -> None:
    assert_folds("Range", [np.array(limit, dtype) for limit in limits])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "limits", [(0.1, 1, 0.1), (0, 0.3, 0.1), (0.1, 30, 0.7), (5.3, -30, -0.37), (0, -0.3, 0.1), (1e8, 1e8 + 64, 3)]
)
def test_float_ranges_add_up_step_by_step(limits: tuple[float, float, float], dtype: type) -> None:
    assert_folds("Range", [np.array(limit, dtype) for limit in limits])
    kind = "float" if dtype is np.float32 else "double"
    text = f"g ({kind} u) => ({kind}[] y) {{ y = Range(a, b, c) }}"
    constants = {name: np.array(limit, dtype) for name, limit in zip("abc", limits, strict=True)}
    assert "_" not in judge(text, {"u": np.array(0, dtype)}, **constants).shape("y")


def test_ranges_of_no_step_or_no_number_are_left_alone() -> None:
    assert fold("Range", [np.array(0), np.array(3), np.array(0)]) is None
    assert fold("Range", [np.array(0.0), np.array(np.inf), np.array(1.0)]) is None
    assert facts("g (int64 u) => (int64[] y) { y = Range(a, b, a) }", a=np.array(0), b=np.array(1)).shape("y") == "[_]"


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("zero, n, one", "[N]"),
        ("zero, n, two", "[floor((N + 1)/2)]"),
        ("n, m, one", "[-min(N - M, 0)]"),
        ("n, zero, minus", "[N]"),
        ("n, sum, one", "[M]"),
        ("zero, n, n", "[_]"),
        ("u, n, one", "[_]"),
        ("zero, minus, one", "[0]"),
    ],
)
def test_symbolic_ranges(call: str, expected: str) -> None:
    text = f"""g (float[N] x, float[M] z, int64 u) => (int64[] y) {{
        n = Size(x) m = Size(z) sum = Add(n, m) y = Range({call}) }}"""
    constants = {"zero": np.array(0), "one": np.array(1), "two": np.array(2), "minus": np.array(-1)}
    for n, m in ((1, 4), (3, 2), (5, 5)):
        found = judge(text, {"x": ramp(n), "z": ramp(m), "u": np.array(-2)}, kernels=False, **constants)
        assert found.shape("y") == expected


def test_a_range_of_known_length_from_a_symbolic_start_is_tracked() -> None:
    text = "g (float[N] x) => (int64[] y) { n = Size(x) e = Add(n, six) y = Range(n, e, two) }"
    found = judge(text, {"x": ramp(4)}, kernels=False, six=np.array(6), two=np.array(2))
    assert found.data("y") == "[N, N + 2, N + 4]"


def test_a_long_range_is_not_tracked() -> None:
    text = "g (int64 u) => (int64[] y) { y = Range(a, b, c) }"
    assert facts(text, a=np.array(0), b=np.array(256), c=np.array(1)).data("y") != "?"
    assert facts(text, a=np.array(0), b=np.array(257), c=np.array(1)).data("y") == "?"


# --- EyeLike ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("k", [-5, -1, 0, 1, 9])
@pytest.mark.parametrize("dtype", [None, TensorProto.INT64, TensorProto.DOUBLE])
def test_eye_like(k: int, dtype: int | None) -> None:
    assert_folds("EyeLike", [ramp(2, 3)], k=k, **({} if dtype is None else {"dtype": dtype}))


def test_eye_like_of_a_static_shape_is_tracked() -> None:
    text = "g (float[%s,2] x) => (int64[] y) { y = EyeLike<dtype=7,k=1>(x) }"
    assert judge(text % "2", {"x": ramp(2, 2)}).data("y") == "[0, 1, 0, 0]"
    found = judge(text % "N", {"x": ramp(2, 2)})
    assert found.data("y") == "?" and found.shape("y") == "[N, 2]"


def test_eye_like_declines_a_vector() -> None:
    assert fold("EyeLike", [ramp(2)]) is None


# --- Constant --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("indices", [[1, 5], [[0, 1], [1, 2]]])
def test_a_sparse_constant_is_written_out(indices: list[object]) -> None:
    values = helper.make_tensor("v", TensorProto.FLOAT, [2], [7.0, 8.0])
    places = np.array(indices, np.int64)
    sparse = helper.make_sparse_tensor(values, helper.make_tensor("i", TensorProto.INT64, places.shape, places), [2, 3])
    nodes = [helper.make_node("Constant", [], ["s"], sparse_value=sparse), helper.make_node("Neg", ["s"], ["y"])]
    out = helper.make_tensor_value_info("y", TensorProto.FLOAT, [2, 3])
    imports = [helper.make_opsetid("", 21)]
    proto = helper.make_model(helper.make_graph(nodes, "g", [], [out]), opset_imports=imports, ir_version=10)
    model = read_model(proto.SerializeToString())
    ctx = Inference(model)
    ctx.walk(model.graph)
    node = model.graph.first
    assert node is not None and node.outputs[0].shape == (2, 3)
    folded = KERNELS.table(model.opsets)["Constant"](node, [], ctx)
    np.testing.assert_array_equal(-folded, run(proto, {})["y"])
    assert folded.dtype == np.float32
