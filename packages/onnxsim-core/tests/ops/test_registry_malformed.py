"""No shape rule falls over a malformed node: it says nothing, or something, and returns."""

import random
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

from onnxsim_core import ops
from onnxsim_core.infer.engine import Inference
from onnxsim_core.ir.dims import SymbolTable
from onnxsim_core.ir.graph import Graph, Model, Node, Value, add_use
from onnxsim_core.ir.tensors import ArrayTensor, tensor_from_proto
from onnxsim_core.ops.registry import SHAPES

ops.load()

FAMILIES = (
    "layout",
    "joining",
    "reshape",
    "repeat",
    "pad",
    "blocks",
    "resize",
    "along",
    "where",
    "indexing",
    "slicing",
    "picking",
    "scatter",
    "ranking",
    "generators",
    "randomness",
    "filters",
)
"""Families whose rules also survive attributes of a wrong type, such as those a function leaves open."""
RULES = sorted(
    (op_type, opset)
    for opset in (1, 9, 12, 24)
    for op_type, rule in SHAPES.table({"": opset}).known().items()
    if isinstance(op_type, str) and rule.__module__.rpartition(".")[2] in FAMILIES
)

ATTRIBUTES = [
    "axis",
    "axes",
    "perm",
    "shape",
    "split",
    "num_outputs",
    "starts",
    "ends",
    "steps",
    "start",
    "end",
    "k",
    "to",
    "dtype",
    "value",
    "pads",
    "mode",
    "allowzero",
    "keepdims",
    "blocksize",
    "batch_dims",
    "scales",
    "upper",
    "kernel_shape",
    "strides",
    "dilations",
    "auto_pad",
    "group",
    "equation",
    "largest",
    "sample_size",
    "hidden_size",
    "direction",
    "block_size",
    "output_padding",
    "output_shape",
    "epsilon",
    "transA",
    "num_heads",
    "layout",
    "batch_axis",
    "time_axis",
    "noop_with_empty_axes",
]
ATTRIBUTE_VALUES: list[Any] = [
    0,
    1,
    -1,
    7,
    -9,
    2**40,
    0.5,
    b"",
    b"reflect",
    b"\xff",
    (),
    (0,),
    (-1, 0),
    (5, 5),
    (1, 1, 1, 1),
    (0.5, 2.0),
    (b"x",),
    tensor_from_proto(helper.make_tensor("t", TensorProto.INT64, [2], [1, 2])),
    tensor_from_proto(helper.make_tensor("t", TensorProto.FLOAT, [], [1.5])),
]
SHAPES_TRIED: list[Any] = [
    None,
    (),
    (0,),
    (1,),
    (3,),
    (2, 3),
    (1, 2, 3),
    (2, 4, 6, 6),
    (1, 1, 1, 1, 1),
    "N",
    "N,3",
    "2,N,M",
    "1,C,H,W",
]
CONSTANTS = [
    np.array(0),
    np.array([1]),
    np.array([0, -1]),
    np.array([2, 3, 4]),
    np.array([-(2**63), 2**63 - 1]),
    np.zeros((0,), np.int64),
    np.array([1.5], np.float32),
    np.float32([]),
    np.float32([1, 1, 2, 2]),
    np.array([[0, 1]]),
    np.array([True, False]),
    np.array([b"x"], object),
    np.array(3, np.int32),
]


def random_value(rng: random.Random, graph: Graph, name: str) -> Value | None:
    if rng.random() < 0.1:
        return None
    if rng.random() < 0.4:
        return graph.constant(ArrayTensor(rng.choice(CONSTANTS)), name)
    value = Value(name, graph)
    value.dtype = rng.choice([0, 1, 1, 6, 7, 7, 8, 9, 10])
    shape = rng.choice(SHAPES_TRIED)
    if isinstance(shape, str):
        shape = tuple(int(size) if size.isdigit() else graph.model.symbols.named(size) for size in shape.split(","))
    value.shape = shape
    if value.dtype == 7 and shape in ((3,), (1,), ()) and rng.random() < 0.5:
        symbols = graph.model.symbols
        pool = [symbols.named("N"), symbols.fresh(nonneg=False), -1, 0, 4, symbols.named("N") - 1]
        value.data = tuple(rng.choice(pool) for _ in range(shape[0] if shape else 1))
    return value


@pytest.mark.parametrize(("op_type", "opset"), RULES)
def test_malformed_nodes_are_survived(op_type: str, opset: int) -> None:
    rng = random.Random(f"{op_type}-{opset}")
    for _ in range(100):
        model = Model(None, SymbolTable())
        model.opsets = {"": opset}
        graph = Graph(model)
        inputs = [random_value(rng, graph, f"x{index}") for index in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 5, 7]))]
        outputs = [Value(f"y{index}", graph) for index in range(rng.choice([0, 1, 1, 1, 2, 3]))]
        names = rng.sample(ATTRIBUTES, rng.randrange(8))
        attributes = {name: rng.choice(ATTRIBUTE_VALUES) for name in names}
        node = Node(op_type, inputs, outputs, attributes=attributes)
        node.graph = graph
        for value in outputs:
            value.node = node
        for value in inputs:
            if value is not None:
                add_use(value, node)
        ctx = Inference(model)
        for _ in range(2):
            try:
                ctx.infer(node)
            except Exception as error:
                raise AssertionError(
                    f"{node} {attributes} {[(v.dtype, v.shape, v.data) for v in inputs if v]}"
                ) from error
