"""Steps that write out what one operator is defined as, exactly or with one thing changed."""

import math

import numpy as np
from onnx import TensorProto

from ..growth import FLOAT, Known
from .growing import DOUBLE, FLOAT16, Grower, Reject
from .moving import reduction


def number(g: Grower, x: Known, value: float) -> str:
    """A constant of one number, now and then in another shape or slightly off."""
    if g.chance(0.05):
        value = g.rng.choice((value + 0.5, -value, value * 1.01, 0.0, 1.0))
    rank = len(x.shape)
    shape = () if g.chance(0.7) else g.rng.choice(((1,), (1, 1), (1,) * rank, x.shape[-1:], (1,) * (rank + 1)))
    return g.constant(np.full(shape, value, g.numbers(x.dtype, ()).dtype)).name


def both(g: Grower, op_type: str, a: str, b: str) -> str:
    """A commutative operator with its operands in either order."""
    return g.one(op_type, [a, b] if g.chance(0.5) else [b, a])


def bounded(g: Grower, x: Known, y: str, low: float, high: float) -> str:
    """Clip, or what it means."""
    kind = g.rng.randrange(3)
    if kind == 0 and (g.opset >= 12 or x.dtype == FLOAT):
        if g.opset < 11:
            return g.one("Clip", [y], min=low, max=high)
        return g.one("Clip", [y, number(g, x, low), number(g, x, high)])
    if kind == 1:
        return both(g, "Min", both(g, "Max", y, number(g, x, low)), number(g, x, high))
    return both(g, "Min", g.one("Relu", [y]), number(g, x, high))


def source(g: Grower) -> Known:
    if g.exact:
        raise Reject
    return g.real()


def hard_sigmoid(g: Grower) -> object:
    x = source(g)
    shifted = both(g, "Add", x.name, number(g, x, 3.0))
    y = bounded(g, x, shifted, 0.0, 6.0)
    y = g.one("Div", [y, number(g, x, 6.0)]) if g.chance(0.5) else both(g, "Mul", y, number(g, x, 1 / 6))
    return both(g, "Mul", x.name, y) if g.chance(0.5) else y


def hard_swish(g: Grower) -> object:
    x = source(g)
    gate = bounded(g, x, both(g, "Add", x.name, number(g, x, 3.0)), 0.0, 6.0)
    if g.chance(0.5):
        return g.one("Div", [both(g, "Mul", x.name, gate), number(g, x, 6.0)])
    if g.chance(0.5):
        return both(g, "Mul", x.name, g.one("HardSigmoid", [x.name], alpha=g.rng.choice((None, 1 / 6)), beta=None))
    return both(g, "Mul", both(g, "Mul", x.name, gate), number(g, x, 1 / 6))


def swish(g: Grower) -> object:
    x = source(g)
    inner = x.name if g.chance(0.6) else both(g, "Mul", x.name, number(g, x, 1.702))
    return both(g, "Mul", x.name, g.one("Sigmoid", [inner]))


def mish(g: Grower) -> object:
    x = source(g)
    if g.chance(0.7):
        soft = g.one("Softplus", [x.name])
    else:
        soft = g.one("Log", [both(g, "Add", g.one("Exp", [x.name]), number(g, x, 1.0))])
    return both(g, "Mul", x.name, g.one("Tanh", [soft])) if g.chance(0.7) else soft


def gelu(g: Grower) -> object:
    x = source(g)
    if g.chance(0.5):
        scaled = g.one("Div", [x.name, number(g, x, math.sqrt(2))]) if g.chance(0.5) else \
            both(g, "Mul", x.name, number(g, x, math.sqrt(0.5)))  # fmt: skip
        gate = g.one("Erf", [scaled])
    else:
        cube = g.one("Pow", [x.name, number(g, x, 3.0)]) if g.chance(0.5) else \
            both(g, "Mul", both(g, "Mul", x.name, x.name), x.name)  # fmt: skip
        total = both(g, "Add", x.name, both(g, "Mul", cube, number(g, x, 0.044715)))
        gate = g.one("Tanh", [both(g, "Mul", total, number(g, x, math.sqrt(2 / math.pi)))])
    gate = both(g, "Add", gate, number(g, x, 1.0))
    kind = g.rng.randrange(3)
    if kind == 0:
        return both(g, "Mul", both(g, "Mul", x.name, gate), number(g, x, 0.5))
    if kind == 1:
        return both(g, "Mul", both(g, "Mul", x.name, number(g, x, 0.5)), gate)
    return both(g, "Mul", x.name, both(g, "Mul", gate, number(g, x, 0.5)))


def layer_norm(g: Grower) -> object:
    """Over the last axis or axes, with or without the mean, scale and bias, in several spellings."""
    if g.exact:
        raise Reject
    x = g.real((2, 3, 4))
    if 0 in x.shape:
        raise Reject
    axes = [-1] if g.chance(0.7) else [-2, -1] if g.chance(0.5) else [g.rng.randrange(len(x.shape))]
    if g.opset < 11:
        axes = [axis % len(x.shape) for axis in axes]
    centered = x.name
    if g.chance(0.7):
        mean = reduction(g, "ReduceMean", x.name, axes, 1)
        centered = g.one("Sub", [x.name, mean])
    again = centered if g.chance(0.9) else g.one("Sub", [x.name, reduction(g, "ReduceMean", x.name, axes, 1)])
    square = g.one("Pow", [centered, number(g, x, 2.0)]) if g.chance(0.5) else g.one("Mul", [centered, centered])
    variance = reduction(g, "ReduceMean", square, axes, 1)
    root = g.one("Sqrt", [both(g, "Add", variance, number(g, x, 1e-5))])
    kind = g.rng.randrange(3)
    if kind == 0:
        y = g.one("Div", [again, root])
    elif kind == 1:
        y = both(g, "Mul", again, g.one("Reciprocal", [root]))
    else:
        y = both(g, "Mul", again, g.one("Div", [number(g, x, 1.0), root]))
    last = x.shape[-len(axes):] if axes[0] == -len(axes) else x.shape[axes[0]:]
    shape = g.rng.choice((last, x.shape[-1:], (), (1, *last), x.shape))
    if g.chance(0.6):
        y = both(g, "Mul", y, g.like(x, shape))
    if g.chance(0.5):
        y = both(g, "Add", y, g.like(x, shape))
    return y


def l2_norm(g: Grower) -> object:
    x = source(g)
    if not x.shape or 0 in x.shape:
        raise Reject
    axis = g.rng.randrange(len(x.shape))
    norm = reduction(g, "ReduceL2", x.name, [axis], 1)
    if g.chance(0.5):
        norm = both(g, "Max", norm, number(g, x, 1e-12)) if g.opset >= 8 else norm
    return g.one("Div", [x.name, norm])


def group_norm(g: Grower) -> object:
    if g.exact:
        raise Reject
    x = g.some(FLOAT, FLOAT16, FLOAT, rank=4)
    n, c, h, w = x.shape
    groups = g.rng.choice([d for d in range(1, c + 1) if c % d == 0] or [1])
    if 0 in x.shape or h * w * (c // groups) < 2:
        raise Reject
    split = g.one("Reshape", [x.name, g.ints(*g.rng.choice(((0, groups, -1), (n, groups, c // groups * h * w))))])
    ones, zeros = (g.constant(np.full(groups, v, g.numbers(x.dtype, ()).dtype)).name for v in (1.0, 0.0))
    scale = ones if g.chance(0.8) else g.like(x, (groups,))
    normed = g.one("InstanceNormalization", [split, scale, zeros], epsilon=1e-3)
    y = g.one("Reshape", [normed, g.ints(n, c, h, w)])
    if g.chance(0.7):
        y = both(g, "Mul", y, g.like(x, (c, 1, 1)))
        if g.chance(0.8):
            y = both(g, "Add", y, g.like(x, g.rng.choice(((c, 1, 1), (1, c, 1, 1)))))
    return y


def log_softmax(g: Grower) -> object:
    x = source(g)
    if not x.shape:
        raise Reject
    axis = g.rng.randrange(len(x.shape))
    y = g.one("Softmax", [x.name], axis=axis if g.chance(0.8) else None)
    return g.one("Log", [y]) if g.chance(0.5) else y


def normalization(g: Grower) -> object:
    """A normalisation operator with constants that scale and shift around it."""
    if g.exact or g.opset < 17:
        raise Reject
    x = g.some(FLOAT, FLOAT, DOUBLE, rank=(2, 3))
    if 0 in x.shape:
        raise Reject
    width = x.shape[-1]
    inputs = [x.name, g.like(x, (width,))]
    if g.chance(0.5):
        inputs.append(g.like(x, (width,)))
    y = g.one("LayerNormalization", inputs, axis=g.rng.choice((-1, len(x.shape) - 1, None)))
    if g.chance(0.6):
        y = both(g, "Mul", y, g.like(x, g.rng.choice(((width,), (), (1, width)))))
    if g.chance(0.6):
        y = both(g, "Add", y, g.like(x, g.rng.choice(((width,), (), (1, width)))))
    return y


def dropout(g: Grower) -> object:
    x = g.some(FLOAT, DOUBLE)
    if g.opset < 12:
        return g.one("Dropout", [x.name], ratio=0.3)
    kind = g.rng.randrange(3)
    if kind == 0:
        return g.one("Dropout", [x.name])
    inputs = [x.name, g.constant(np.float32(0.4)).name]
    if kind == 1:
        inputs.append(g.constant(np.array(False)).name)
    return g.node("Dropout", inputs, g.rng.choice((1, 2)))


def chance_node(g: Grower) -> object:
    """A random operator whose result does not show in any other value: its shape is used alone."""
    x = g.some(FLOAT)
    y = g.one(g.rng.choice(("RandomNormalLike", "RandomUniformLike")), [x.name], dtype=TensorProto.FLOAT, seed=1.0)
    return g.one("Shape", [y])


FORMULAS = (
    hard_sigmoid, hard_swish, swish, mish, gelu, gelu, layer_norm, layer_norm, layer_norm, l2_norm, group_norm, log_softmax,
    normalization, dropout, chance_node,
)  # fmt: skip
