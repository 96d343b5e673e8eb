"""One operator call: what our kernel makes of it, and what the judge computes."""

import warnings
from typing import Any

import ml_dtypes
import numpy as np
import onnx
from malformed import show_malformed
from onnx import TensorProto, helper

from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.graph import Node
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.registry import KERNELS
from onnxsim_testkit import assert_same_value, run
from onnxsim_testkit.models import oldest_ir_version

Arrays = list[np.ndarray | None]


def model_of(op_type: str, arrays: Arrays, *, opset: int = 21, outputs: int = 1, **attributes: Any) -> onnx.ModelProto:
    """A model of one node whose inputs have the types and shapes of the arrays (None is left out)."""
    names = ["" if array is None else f"x{index}" for index, array in enumerate(arrays)]
    inputs = [
        helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(array.dtype), array.shape)
        for name, array in zip(names, arrays, strict=True)
        if array is not None
    ]
    node = helper.make_node(op_type, names, [f"y{index}" for index in range(outputs)], **attributes)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name=name) for name in node.output])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=oldest_ir_version(opset))


def inferred(model: onnx.ModelProto) -> tuple[Node, Inference]:
    """The node, after inference stated what it knows of its outputs."""
    ir = show_malformed(read_model(model.SerializeToString()))
    ctx = Inference(ir)
    ctx.walk(ir.graph)
    assert ir.graph.first is not None
    return ir.graph.first, ctx


def fold(op_type: str, arrays: Arrays, *, opset: int = 21, outputs: int = 1, **attributes: Any) -> Any:
    """What the kernel gives: an array, a list of them, or None when it declines. It must not warn."""
    node, ctx = inferred(model_of(op_type, arrays, opset=opset, outputs=outputs, **attributes))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return KERNELS.table({"": opset})[op_type](node, arrays, ctx)


def compute(op_type: str, arrays: Arrays, *, opset: int = 21, outputs: int = 1, **attributes: Any) -> list[np.ndarray]:
    """What the judge gives. bfloat16 results come by way of float32, which holds them exactly."""
    model = model_of(op_type, arrays, opset=opset, outputs=outputs, **attributes)
    narrow = [index for index, value in enumerate(inferred(model)[0].outputs) if value.dtype == TensorProto.BFLOAT16]
    for index in narrow:
        model.graph.node.append(helper.make_node("Cast", [f"y{index}"], [f"wide{index}"], to=TensorProto.FLOAT))
        model.graph.output[index].name = f"wide{index}"
    found = list(run(model, {f"x{index}": array for index, array in enumerate(arrays) if array is not None}).values())
    return [array.astype(ml_dtypes.bfloat16) if index in narrow else array for index, array in enumerate(found)]


def assert_folds(
    op_type: str, arrays: Arrays, *, opset: int = 21, outputs: int = 1, ulps: int = 0, **attributes: Any
) -> None:
    """The kernel gives what the judge does: the same bits, or floats at most `ulps` units in the last place off."""
    folded = fold(op_type, arrays, opset=opset, outputs=outputs, **attributes)
    assert folded is not None, "the kernel declined"
    expected = compute(op_type, arrays, opset=opset, outputs=outputs, **attributes)
    for index, (left, right) in enumerate(zip(folded if isinstance(folded, list) else [folded], expected, strict=True)):
        assert isinstance(left, np.ndarray)
        where = f"{op_type} output {index}"
        if not ulps:
            assert_same_value(left, right, rtol=0, atol=0, where=where)
            continue
        assert left.dtype == right.dtype and left.shape == right.shape, where
        off = distance(left, right)
        worst = np.unravel_index(int(off.argmax()), off.shape)
        assert off.max(initial=0) <= ulps, f"{where}{list(worst)}: {left[worst]!r}, expected {right[worst]!r}"


def distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """How many representable numbers apart two float arrays are; NaN is 0 from NaN and far from all else."""
    integer = {2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]
    least = -(2 ** (8 * a.dtype.itemsize - 1))
    left, right = (array.reshape(-1).view(integer).astype(object) for array in (a, b))
    off = abs(np.where(left < 0, least - left, left) - np.where(right < 0, least - right, right)).reshape(a.shape)
    left_nan, right_nan = np.isnan(a.astype(np.float64)), np.isnan(b.astype(np.float64))
    return np.asarray(np.where(left_nan & right_nan, 0, np.where(left_nan != right_nan, 2**62, off)))


SPECIAL = [
    0.0,
    -0.0,
    np.inf,
    -np.inf,
    np.nan,
    1.0,
    -1.0,
    0.5,
    -0.5,
    1.5,
    2.5,
    -1.5,
    -2.5,
    1e-45,
    -1e-45,
    1e-40,
    6e-8,
    65504.0,
    65520.0,
    3.4e38,
    -3.4e38,
    88.8,
    -104.0,
    1e-8,
]


def floats(dtype: Any, count: int = 1000, seed: int = 0) -> np.ndarray:
    """Special values, then numbers of every magnitude."""
    rng = np.random.default_rng(seed)
    small, wide = rng.standard_normal(count), rng.standard_normal(count) * np.exp(rng.standard_normal(count) * 8)
    with np.errstate(all="ignore"):
        return np.concatenate([SPECIAL, small, rng.uniform(-1, 1, count), small * 10, wide]).astype(dtype)


def integers(dtype: Any, count: int = 200, seed: int = 0) -> np.ndarray:
    """The limits and their neighbours, small numbers, then any."""
    info = np.iinfo(dtype)
    edges = [info.min, info.min + 1, info.max - 1, info.max, 0, 1, 2, 3, 5, 7]
    if info.min:
        edges += [-1, -2, -3, -7]
    rng = np.random.default_rng(seed)
    return np.concatenate([np.array(edges, dtype), rng.integers(info.min, info.max, count, dtype, endpoint=True)])


def pairs_of(values: np.ndarray, limit: int = 40) -> Arrays:
    """Each of the first values with each, as a column and a row to be broadcast."""
    return [values[:limit].reshape(-1, 1), values[:limit]]
