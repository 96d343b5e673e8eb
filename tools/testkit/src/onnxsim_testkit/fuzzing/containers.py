"""Steps with sequences, optionals, text and quantised values, and with types that numpy does not have."""

import numpy as np
from onnx import TensorProto

from ..growth import FLOAT, Known
from .growing import BOOL, INT64, REALS, Grower, Reject
from .moving import anything, cut

UINT8, INT8, STRING, BFLOAT16 = TensorProto.UINT8, TensorProto.INT8, TensorProto.STRING, TensorProto.BFLOAT16


def sequence(g: Grower) -> object:
    """Tensors that go through a sequence and come out again."""
    if g.opset < 11:
        raise Reject
    x = anything(g, 1, 2, 3)
    if 0 in x.shape:
        raise Reject  # onnxruntime joins what is empty to anything
    same = [v for v in g.values if v.dtype == x.dtype and len(v.shape) == len(x.shape) and 0 not in v.shape]
    parts = [x.name, *(g.rng.choice(same).name for _ in range(g.rng.randrange(0, 3)))]
    kind = g.rng.randrange(3)
    if kind == 0:
        listed = g.one("SequenceConstruct", parts)
    elif kind == 1:
        listed = g.one("SequenceEmpty", [], dtype=x.dtype)
        for part in parts:
            listed = g.one("SequenceInsert", [listed, part, *([g.scalar(0)] if g.chance(0.3) else [])])
    else:
        axis = g.axis(x)
        sizes = [g.scalar(1)] if g.chance(0.6) else []
        listed = g.one("SplitToSequence", [x.name, *sizes], axis=axis, keepdims=g.rng.choice((0, 1)) if not sizes else None)
    end = g.rng.randrange(4)
    if end == 0:
        return g.one("SequenceAt", [listed, g.scalar(g.rng.choice((0, -1)))])
    if end == 1:
        return g.one("ConcatFromSequence", [listed], axis=0, new_axis=g.rng.choice((None, 1)))
    if end == 2:
        return g.one("SequenceLength", [g.one("SequenceErase", [listed, g.scalar(0)])])
    return g.one("SequenceLength", [listed])


def optional(g: Grower) -> object:
    if g.opset < 15:
        raise Reject
    x = anything(g)
    wrapped = g.one("Optional", [x.name])
    if g.chance(0.5):
        return g.one("OptionalHasElement", [wrapped])
    return g.one("OptionalGetElement", [wrapped])


def quantised(g: Grower) -> object:
    """QuantizeLinear and DequantizeLinear around something, per tensor or per axis."""
    if g.opset < 10:
        raise Reject
    x = g.some(FLOAT)
    signed = g.chance(0.5)
    axis = None
    if g.opset >= 13 and len(x.shape) > 1 and g.chance(0.3):
        axis = g.rng.randrange(len(x.shape))
    shape = () if axis is None else (x.shape[axis],)
    scale = g.constant(np.full(shape, g.rng.choice((0.5, 0.25, 1.0)), np.float32)).name
    point = g.constant(np.full(shape, 0 if signed else g.rng.choice((0, 3, 128)), np.int8 if signed else np.uint8)).name
    inputs = [x.name, scale, *([point] if signed or g.chance(0.8) else [])]
    q = g.one("QuantizeLinear", inputs, axis=axis)
    kind = g.rng.randrange(4)
    if kind == 0:
        return q
    if kind == 1 and x.shape and axis is None:
        q = g.one("Transpose", [q]) if g.chance(0.5) else g.one("Reshape", [q, g.ints(-1)])
    y = g.one("DequantizeLinear", [q, *inputs[1:]], axis=axis)
    if kind == 2 and axis is None:
        return g.one("DequantizeLinear", [g.one("QuantizeLinear", [g.one("Relu", [y]), *inputs[1:]]), *inputs[1:]])
    return y


def quantised_weight(g: Grower) -> object:
    """A constant that is dequantised before a product, whole or narrow."""
    if g.opset < 13:
        raise Reject
    x = g.some(FLOAT, rank=(2, 3))
    width = g.rng.randrange(1, 4)
    kinds = (INT8, UINT8) if g.opset < 21 else (INT8, UINT8, TensorProto.INT4, TensorProto.UINT4)
    array = g.numbers(g.rng.choice(kinds), (x.shape[-1], width))
    per_axis = g.chance(0.5)
    scale = g.constant(np.full((width,) if per_axis else (), 0.5, np.float32)).name
    w = g.one("DequantizeLinear", [g.constant(array).name, scale], axis=1 if per_axis else None)
    return g.one("MatMul", [x.name, w])


def text(g: Grower) -> object:
    """Strings: moved, compared, joined."""
    x = g.some(STRING)
    kind = g.rng.randrange(5)
    if kind == 0 and x.shape:
        return g.one("Concat", [x.name, g.like(x, x.shape)], axis=0)
    if kind == 1:
        return g.one("Equal", [x.name, g.like(x, ())])
    if kind == 2 and g.opset >= 20:
        return g.one("StringConcat", [x.name, g.like(x, ())])
    if kind == 3:
        return g.one("Identity", [x.name])
    if not x.shape:
        raise Reject
    return cut(g, x.name, [0], [1], [0], None)


NARROW = (TensorProto.FLOAT8E4M3FN, TensorProto.FLOAT8E5M2, TensorProto.INT4, TensorProto.UINT4)


def narrow(g: Grower) -> object:
    """Casts to types of 4, 8 and 16 bits and back, of values that they hold."""
    x = g.some(FLOAT)
    array = np.asarray(g.arrays[x.name])
    if np.any(array != np.round(array)) or np.any(array < 0) or np.any(array > 7):
        raise Reject
    to = g.rng.choice((BFLOAT16, *NARROW)) if g.opset >= 21 else BFLOAT16
    y = g.one("Cast", [x.name], to=to)
    if g.chance(0.3) and x.shape:
        y = g.one("Reshape" if g.chance(0.5) else "Transpose", [y, g.ints(-1)][:1] if g.chance(0.5) else [y, g.ints(-1)])
    return y if g.chance(0.3) else g.one("Cast", [y], to=FLOAT)


def narrow_constant(g: Grower) -> object:
    """A constant of such a type, cast or dequantised."""
    if g.opset < 13:
        raise Reject
    to = g.rng.choice((BFLOAT16, *NARROW)) if g.opset >= 21 else BFLOAT16
    array = g.numbers(to, g.rng.choice(((), (2,), (3,), (2, 3), (0,))))
    return g.one("Cast", [g.constant(array).name], to=FLOAT)


def made(g: Grower) -> object:
    """Constants in the other ways a model can say them, and generators without inputs."""
    kind = g.rng.randrange(6)
    if kind == 0:
        return g.one("ConstantOfShape", [g.ints(*(g.rng.randrange(0, 4) for _ in range(g.rng.randrange(0, 3))))])
    if kind == 1 and g.opset >= 12:
        return g.one("Add", [g.one("Constant", [], value_float=2.0), g.scalar(1, FLOAT)])
    if kind == 2 and g.opset >= 12:
        return g.one("Mul", [g.one("Constant", [], value_ints=[1, 2]), g.ints(3)])
    if kind == 3 and g.opset >= 11:
        return g.one("Range", [g.scalar(0), g.scalar(g.rng.randrange(5)), g.scalar(1)])
    if kind == 4:
        x: Known = g.some(*REALS, INT64, rank=2)
        return g.one("EyeLike", [x.name])
    return g.one("Not", [g.constant(g.numbers(BOOL, (2,))).name])


def again(g: Grower) -> object:
    """A node once more, the same or with an attribute less."""
    single = [node for node in g.nodes if len(node.output) == 1 and node.op_type not in ("Constant", "If", "Loop", "Scan")]
    if not single:
        raise Reject
    node = g.rng.choice(single)
    copy = type(node)()
    copy.CopyFrom(node)
    copy.name, copy.output[0] = g.fresh("n_"), g.fresh("v")
    if copy.attribute and g.chance(0.2):
        del copy.attribute[-1]
    g.nodes.append(copy)
    return copy


CONTAINERS = (
    sequence, optional, quantised, quantised, quantised_weight, text, narrow, narrow_constant, made, again, again,
)  # fmt: skip
JUMPS = (quantised, narrow)
