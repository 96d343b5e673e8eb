"""No kernel falls over arrays of types its operator takes, whatever their shapes and numbers."""

import random
import warnings
from typing import Any

import numpy as np
import onnx
import pytest
from installed import OPSET, has
from onnx import defs, helper, numpy_helper

from onnxsim_core import ops, simplify
from onnxsim_core.errors import ModelError
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.formal import form
from onnxsim_core.ir.read import read_model
from onnxsim_core.ops.registry import KERNELS

ops.load()

OPSETS = (7, 9, 10, 11, 12, 13, 16, 18, 20, 21, 23, 25, 26)
OPERATORS = sorted({op_type for domain, op_type, _ in KERNELS.registered() if not domain and has(op_type)} - {"Constant"})
DTYPES = (np.float32, np.int64, np.float32, np.int64, np.bool_, np.int32, np.float64, np.uint8, np.float16)
DIMS = ((), (1,), (2,), (3,), (4,), (0,), (2, 3), (1, 2), (2, 0), (2, 2, 2), (1, 1, 4, 4))
WORDS = (
    "constant", "reflect", "edge", "linear", "nearest", "cubic", "DCR", "CRD", "SAME_UPPER", "VALID", "max", "add",
    "none", "LEFT", "RIGHT", "ij,jk->ik", "asymmetric", "floor",
)  # fmt: skip


def array(rng: random.Random, dtype: Any = None) -> np.ndarray:
    dims = rng.choice(DIMS)
    pool = (0, 1, 1, 2, 3, 5) if dtype not in (None, np.int64) else (0, 1, 2, -1, 3, 1, 1, 2, -7, 100)
    numbers = [rng.choice(pool) for _ in range(int(np.prod(dims)))]
    return np.array(numbers).astype(dtype or rng.choice(DTYPES)).reshape(dims)


def attribute(rng: random.Random, kind: str) -> Any:
    if kind == "INT":
        return rng.choice((0, 1, 1, -1, 2, 3, 7))
    if kind == "INTS":
        return [rng.choice((0, 1, 2, -1, 3)) for _ in range(rng.randrange(1, 4))]
    if kind == "FLOAT":
        return rng.choice((0.0, 1.0, 0.5, -1.0))
    if kind == "STRING":
        return rng.choice(WORDS)
    return {"FLOATS": [1.0, 2.0], "STRINGS": ["a"], "TENSOR": numpy_helper.from_array(array(rng))}[kind]


def call(rng: random.Random, op_type: str, opset: int) -> tuple[onnx.ModelProto, list[np.ndarray]]:
    """A model of one node on constants, and those."""
    schema = defs.get_schema(op_type, opset, "")
    count = rng.randrange(schema.min_input, min(schema.max_input, schema.min_input + 4) + 1)
    first = array(rng)
    arrays = [array(rng, first.dtype.type if rng.random() < 0.6 else None) for _ in range(count)]
    attributes = {
        name: attribute(rng, found.type.name) for name, found in schema.attributes.items()
        if found.required or rng.random() < 0.4
    }  # fmt: skip
    names = [f"x{index}" for index in range(count)]
    outputs = [f"y{index}" for index in range(max(1, schema.min_output))]
    node = helper.make_node(op_type, names, outputs, **attributes)
    constants = [numpy_helper.from_array(each, name) for each, name in zip(arrays, names, strict=True)]
    graph = helper.make_graph([node], "g", [], [onnx.ValueInfoProto(name=name) for name in outputs], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=8), arrays


@pytest.mark.parametrize("op_type", OPERATORS)
def test_strange_arrays_are_survived(op_type: str) -> None:
    rng = random.Random(op_type)
    opsets = [opset for opset in OPSETS if opset <= OPSET and defs.has(op_type, opset, "")]
    for _ in range(120):
        opset = rng.choice(opsets)
        proto, arrays = call(rng, op_type, opset)
        model = read_model(proto)
        node = model.graph.first
        wanted = form(op_type, opset)
        if node is None or node.domain or not wanted.accepts([value.dtype for value in node.inputs]):
            continue
        ctx = Inference(model)
        ctx.walk(model.graph)
        kernel = KERNELS.table({"": opset})[op_type]
        sizes = [size for value in node.outputs for size in value.shape or () if type(size) is int]
        if kernel is None or np.prod(sizes, dtype=object) > 1e6:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            try:
                result = kernel(node, arrays, ctx)
            except ModelError:
                continue  # the attribute names an element type that does not exist
        for each in result if isinstance(result, list | tuple) else [] if result is None else [result]:
            assert isinstance(each, np.ndarray), f"{op_type} gave {each!r}"


def test_inputs_of_types_an_operator_does_not_take_are_not_folded() -> None:
    graph = onnx.parser.parse_graph("g () => (float[] y) <float[2] a = {1, 2}, int64[2] b = {1, 2}> { y = Add(a, b) }")
    proto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])

    assert [node.op_type for node in simplify(proto).model.graph.node] == ["Add"]
