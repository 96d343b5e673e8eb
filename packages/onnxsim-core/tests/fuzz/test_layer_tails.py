"""Random layers with random constants before and after them compute the same once simplified."""

from random import Random

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

from onnxsim_core import simplify
from onnxsim_testkit import assert_same_outputs

KINDS = ("Conv", "ConvTranspose", "Gemm", "MatMul", "BatchNormalization", "InstanceNormalization", "LayerNormalization")


class Drawing:
    """A model in the making: the value at its end, its shape, and dice."""

    def __init__(self, seed: int) -> None:
        self.dice = Random(seed)
        self.numbers = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.end = "x"
        self.shape: list[int] = []

    def constant(self, *dims: int, low: float = -1.0, high: float = 1.0) -> str:
        name = f"c{len(self.constants)}"
        array = np.asarray(self.numbers.uniform(low, high, dims), np.float32)
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def node(self, op_type: str, inputs: list[str], shape: list[int], **attributes: object) -> None:
        self.end, self.shape = f"v{len(self.nodes)}", shape
        self.nodes.append(helper.make_node(op_type, inputs, [self.end], **attributes))

    def maybe(self, *dims: int) -> list[str]:
        return [self.constant(*dims)] if self.dice.random() < 0.5 else []

    def layer(self, kind: str) -> None:
        dice, shape = self.dice, self.shape
        channels = shape[1]
        group = dice.choice([g for g in (1, 2, 4) if channels % g == 0])
        made = group * dice.choice([1, 2])
        if kind == "Conv":
            kernel, pad = [min(2, size) for size in shape[2:]], dice.choice([0, 0, 1])
            sizes = [size + 2 * pad - k + 1 for size, k in zip(shape[2:], kernel)]
            inputs = [self.end, self.constant(made, channels // group, *kernel), *self.maybe(made)]
            self.node(kind, inputs, [shape[0], made, *sizes], group=group, pads=[pad] * 2 * len(kernel))
        elif kind == "ConvTranspose":
            inputs = [self.end, self.constant(channels, made // group, *[2] * len(shape[2:])), *self.maybe(made)]
            self.node(kind, inputs, [shape[0], made, *[size + 1 for size in shape[2:]]], group=group)
        elif kind == "Gemm":
            columns, is_transposed = dice.choice([1, 3, 4]), dice.choice([0, 1])
            dims = (columns, channels) if is_transposed else (channels, columns)
            bias = self.maybe(*dice.choice([[], [1], [columns], [1, columns], [shape[0], 1], [shape[0], columns]]))
            self.node(kind, [self.end, self.constant(*dims), *bias], [shape[0], columns], transB=is_transposed,
                      alpha=dice.choice([1.0, 0.5]), beta=dice.choice([1.0, 2.0]))  # fmt: skip
        elif kind == "MatMul":
            columns = dice.choice([1, 3, 4])
            self.node(kind, [self.end, self.constant(shape[-1], columns)], [*shape[:-1], columns])
        elif kind == "BatchNormalization":
            self.batchnorm()
        elif kind == "InstanceNormalization":
            self.node(kind, [self.end, self.constant(channels), self.constant(channels)], shape)
        else:
            self.node(kind, [self.end, self.constant(shape[-1]), *self.maybe(shape[-1])], shape)

    def batchnorm(self) -> None:
        channels = self.shape[1]
        vectors = [self.constant(channels) for _ in range(3)] + [self.constant(channels, low=0.3, high=2)]
        self.node("BatchNormalization", [self.end, *vectors], self.shape)

    def affine(self) -> None:
        """One step with a constant of any shape that broadcasts, also of shapes that only look like channels."""
        dice, shape = self.dice, self.shape
        op_type = dice.choice(["Mul", "Add", "Sub", "Div", "Neg", "Mul", "Add", "BatchNormalization"])
        if op_type == "BatchNormalization" and len(shape) > 1:
            return self.batchnorm()
        if op_type in ("Neg", "BatchNormalization"):
            return self.node("Neg", [self.end], shape)
        rank = dice.randint(0, len(shape))
        dims = [dice.choice([1, 1, size, 4 if size == 1 else size]) for size in shape[len(shape) - rank :]]
        if dice.random() < 0.1:
            dims = [1] * (len(shape) + 1 - rank) + dims
        operands = [self.end, self.constant(*dims, low=0.4, high=2)]
        if op_type != "Div" and dice.random() < 0.4:
            operands.reverse()
        self.node(op_type, operands, list(np.broadcast_shapes(tuple(shape), tuple(dims))))


def drawn_model(seed: int) -> tuple[onnx.ModelProto, dict[str, np.ndarray]]:
    drawing = Drawing(seed)
    dice = drawing.dice
    kind = dice.choice(KINDS)
    first = dice.choice([1, 2, 4])
    if kind == "Gemm":
        shape = [first, dice.choice([1, 4, 5])]
    elif kind in ("MatMul", "LayerNormalization"):
        shape = [first, dice.choice([1, 3, 4]), dice.choice([1, 4])]
    else:
        shape = [first, dice.choice([1, 2, 4]), *dice.choice([[4], [4, 4], [3, 4], [4, 1]])]
    drawing.shape = shape
    if dice.random() < 0.3:
        drawing.affine()
    if len(drawing.shape) == len(shape):
        drawing.layer(kind)
    for _ in range(dice.randint(1, 4)):
        drawing.affine()
    dims = ["n" if dice.random() < 0.5 else shape[0], *shape[1:]]
    graph = helper.make_graph(
        drawing.nodes, "g", [helper.make_tensor_value_info("x", TensorProto.FLOAT, dims)],
        [helper.make_tensor_value_info(drawing.end, TensorProto.FLOAT, [None] * len(drawing.shape))],
        drawing.constants)  # fmt: skip
    opset = helper.make_opsetid("", dice.choice([17, 18, 21, 23]))
    model = helper.make_model(graph, opset_imports=[opset], ir_version=8)
    return model, {"x": drawing.numbers.standard_normal(shape).astype(np.float32)}


def check(seed: int) -> None:
    model, feeds = drawn_model(seed)
    simplified = simplify(model).model
    assert len(simplified.graph.node) <= len(model.graph.node)
    assert_same_outputs(model, simplified, feeds, rtol=1e-4, atol=2e-5)


@pytest.mark.parametrize("seed", range(60))
def test_a_few(seed):
    check(seed)


@pytest.mark.fuzz
@pytest.mark.parametrize("start", range(60, 2060, 100))
def test_many(start):
    for seed in range(start, start + 100):
        check(seed)
