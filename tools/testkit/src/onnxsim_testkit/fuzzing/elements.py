"""Steps that compute element by element, and the runs of them that rewrite rules join, drop or reorder."""

import numpy as np
from onnx import TensorProto

from ..growth import FLOAT, Known
from .growing import BOOL, DOUBLE, FLOAT16, INT32, INT64, REALS, Grower, Reject

EXACT_UNARY = ("Relu", "Neg", "Abs", "Identity", "Floor", "Ceil", "Round", "Sign")
SMOOTH_UNARY = (
    "Relu", "Neg", "Abs", "Identity", "Sigmoid", "Tanh", "Exp", "Sqrt", "Softplus", "Erf", "LeakyRelu", "Elu", "Selu",
    "HardSigmoid", "Sin", "Cos", "Reciprocal", "Softsign", "Log", "Atan", "HardSwish", "Mish", "Celu", "Gelu",
)  # fmt: skip
BINARY = ("Add", "Sub", "Mul", "Add", "Mul", "Max", "Min")
INTEGERS = (
    TensorProto.INT8, TensorProto.INT16, INT32, INT64, TensorProto.UINT8, TensorProto.UINT16, TensorProto.UINT32,
    TensorProto.UINT64,
)  # fmt: skip


def operand(g: Grower, x: Known, nonzero: bool = False) -> str:
    """Something to combine x with: a constant of any shape that broadcasts, one that widens, or another value."""
    rng = g.rng
    if rng.random() < 0.3:
        partners = [v for v in g.values if v.dtype == x.dtype and _together(x.shape, v.shape) <= 2048]
        if partners:
            return rng.choice(partners).name
    shape = list(x.shape[rng.randrange(len(x.shape) + 1):])
    for axis, _ in enumerate(shape):
        if rng.random() < 0.5:
            shape[axis] = 1
    if rng.random() < 0.08:
        shape = [1] * rng.randrange(1, 3) + shape
    elif rng.random() < 0.05:
        shape = [2, *([1] * (len(x.shape) - len(shape))), *shape]
    return g.like(x, shape, nonzero)


def _together(a: tuple[int, ...], b: tuple[int, ...]) -> int:
    try:
        return int(np.prod(np.broadcast_shapes(a, b), dtype=np.int64))
    except ValueError:
        return 1 << 40


def unary(g: Grower) -> object:
    x = g.real()
    return g.one(g.rng.choice(EXACT_UNARY if g.exact else SMOOTH_UNARY), [x.name])


def unary_twice(g: Grower) -> object:
    """The same operator twice, or one after its like."""
    x = g.some(*REALS, *INTEGERS)
    exact = ("Floor", "Ceil", "Round", "Sign") if g.exact else ()
    kinds = ("Relu", "Abs", "Neg", "Identity", *exact)
    first = g.rng.choice(kinds)
    second = first if g.chance(0.7) else g.rng.choice(kinds)
    return g.one(second, [g.one(first, [x.name])])


def clips(g: Grower) -> object:
    """Clip and Relu in a row, bounds sometimes missing or crossed."""
    x = g.real()
    y = x.name
    for _ in range(g.rng.randrange(1, 4)):
        if g.chance(0.3):
            y = g.one("Relu", [y])
            continue
        low, high = g.rng.randrange(-3, 3), g.rng.randrange(-2, 4)
        if g.opset < 11:
            bounds = {"min": float(low) if g.chance(0.8) else None, "max": float(high) if g.chance(0.8) else None}
            y = g.one("Clip", [y], **bounds)
        else:
            low_name = g.scalar(low, x.dtype) if g.chance(0.8) else ""
            high_name = [g.scalar(high, x.dtype)] if g.chance(0.8) else []
            y = g.one("Clip", [y, low_name, *high_name])
    return y


def binary(g: Grower) -> object:
    x = g.some(*REALS) if g.chance(0.75) else g.some(*REALS, *INTEGERS)
    op_type = g.rng.choice(BINARY)
    pair = [x.name, operand(g, x)]
    if g.chance(0.4):
        pair.reverse()
    return g.one(op_type, pair)


def variadic(g: Grower) -> object:
    x = g.real()
    op_type = g.rng.choice(("Sum", "Max", "Min") if g.exact else ("Sum", "Max", "Min", "Mean"))
    return g.one(op_type, [x.name, *(operand(g, x) for _ in range(g.rng.choice((0, 0, 1, 2))))])


def unit(g: Grower) -> object:
    """x + 0, x * 1, x / 1, x - 0, x ** 1, 0 - x, with the unit in shapes that do or do not widen the result."""
    x = g.some(*REALS, *INTEGERS)
    op_type, number = g.rng.choice((("Add", 0), ("Sub", 0), ("Mul", 1), ("Div", 1), ("Pow", 1), ("Mul", 0), ("Add", 0)))
    shape = g.rng.choice(((), (1,), x.shape, x.shape[-1:], (1, *x.shape), (2, *([1] * len(x.shape)))))
    zero = g.constant(np.full(shape, number, g.numbers(x.dtype, ()).dtype)).name
    pair = [x.name, zero]
    if g.chance(0.3) and op_type not in ("Div", "Pow"):
        pair.reverse()
    return g.one(op_type, pair)


def constants_in_a_row(g: Grower) -> object:
    """Add, Sub, Mul, Div of constants one after another."""
    x = g.some(*REALS) if g.chance(0.7) else g.some(*REALS, *INTEGERS)
    group = g.rng.choice((("Add", "Sub"), ("Mul",), ("Mul", "Div"), ("Add", "Mul"))) if not g.exact else \
        g.rng.choice((("Add", "Sub"), ("Mul",), ("Add", "Mul")))  # fmt: skip
    y = x.name
    for _ in range(g.rng.randrange(2, 4)):
        op_type = g.rng.choice(group)
        pair = [y, operand(g, x, nonzero=op_type == "Div")]
        if op_type != "Div" and g.chance(0.35):
            pair.reverse()
        y = g.one(op_type, pair)
    return y


def negations(g: Grower) -> object:
    """Neg inside Add and Sub."""
    x = g.some(*REALS, INT32, INT64)
    first, second = g.one("Neg", [x.name]), operand(g, x)
    if g.chance(0.3):
        second = g.one("Neg", [second])
    pair = [first, second] if g.chance(0.5) else [second, first]
    return g.one(g.rng.choice(("Add", "Sub")), pair)


def logic(g: Grower) -> object:
    x = g.some(BOOL)
    kind = g.rng.randrange(4)
    if kind == 0:
        return g.one("Not", [g.one("Not", [x.name])])
    if kind == 1:
        constant = g.constant(np.array(g.chance(0.5))).name
        return g.one(g.rng.choice(("And", "Or", "Xor", "Equal")), [x.name, constant])
    return g.one(g.rng.choice(("And", "Or", "Xor")), [x.name, operand(g, x)])


def compare(g: Grower) -> object:
    x = g.some(*REALS, INT32, INT64)
    newer = ("LessOrEqual", "GreaterOrEqual") if g.opset >= 12 else ()
    ops = ("Less", "Greater", "Equal", *newer)
    return g.one(g.rng.choice(ops), [x.name, operand(g, x)])


def where(g: Grower) -> object:
    """Where on a value, on Not of it, or on a constant of one or many choices."""
    x = g.some(FLOAT, DOUBLE, INT32, INT64, FLOAT16)
    if g.chance(0.4):
        shape = g.rng.choice(((), (1,), x.shape, x.shape[-1:], (1, *x.shape)))
        array = g.numbers(BOOL, tuple(shape))
        condition = g.constant(np.full_like(array, g.chance(0.5)) if g.chance(0.6) else array).name
    else:
        condition = g.some(BOOL).name
        if g.chance(0.4):
            condition = g.one("Not", [condition])
    other = operand(g, x) if g.chance(0.8) else x.name
    pair = [x.name, other]
    if g.chance(0.5):
        pair.reverse()
    return g.one("Where", [condition, *pair])


CASTS = (FLOAT, DOUBLE, FLOAT16, INT32, INT64, TensorProto.INT8, TensorProto.UINT8, BOOL, TensorProto.INT16,
         TensorProto.UINT16, TensorProto.UINT32, TensorProto.UINT64, TensorProto.BFLOAT16)  # fmt: skip


def casts(g: Grower) -> object:
    """Casts in a row; what does not fit the narrow type on the way is part of the game where that is defined."""
    x = g.some(*REALS, *INTEGERS, BOOL)
    kinds = CASTS if g.exact else (FLOAT, DOUBLE, FLOAT, DOUBLE, FLOAT16)
    if not g.exact and x.dtype not in REALS:
        kinds = CASTS
    y = x.name
    array = g.arrays[x.name]
    fits = array.dtype.kind in "biu" or bool(np.all(np.abs(array.astype(np.float64)) < 100) and np.all(array >= 0))
    for _ in range(g.rng.randrange(1, 4)):
        to = g.rng.choice(kinds)
        if not fits and to in (*INTEGERS, BOOL):
            to = g.rng.choice(REALS)
        if g.opset < 13 and to == TensorProto.BFLOAT16:
            to = FLOAT
        y = g.one("Cast", [y], to=to)
    return y


def cast_like(g: Grower) -> object:
    x, y = g.some(*REALS, INT32, INT64), g.some(*REALS, INT32, INT64)
    if not g.exact and x.dtype in REALS and y.dtype not in REALS:
        raise Reject
    if x.dtype in REALS and y.dtype not in REALS and np.any(np.abs(g.arrays[x.name].astype(float)) > 1e6):
        raise Reject
    return g.one("CastLike", [x.name, y.name])


def integer_arithmetic(g: Grower) -> object:
    """Whole numbers, among them ones that overflow; never over a zero, which ends the process."""
    x = g.some(*INTEGERS)
    op_type = g.rng.choice(("Add", "Sub", "Mul", "Div", "Mod", "BitShift", "Max", "Min", "Neg", "Abs", "Pow"))
    if op_type in ("Neg", "Abs"):
        return g.one(op_type, [x.name])
    if op_type == "BitShift":
        y = g.like(x, g.rng.choice(((), x.shape)))
        return g.one(op_type, [x.name, y], direction=g.rng.choice(("LEFT", "RIGHT")))
    if op_type in ("Div", "Mod"):
        return g.one(op_type, [x.name, g.like(x, g.rng.choice(((), x.shape, x.shape[-1:])), nonzero=True)])
    if g.chance(0.15):
        big = np.array(np.iinfo(g.arrays[x.name].dtype).max)
        return g.one(op_type, [x.name, g.constant(big).name])
    return g.one(op_type, [x.name, operand(g, x)])


ELEMENTS = (
    unary, unary, unary_twice, clips, binary, binary, binary, variadic, unit, unit, constants_in_a_row,
    constants_in_a_row, negations, logic, compare, where, casts, casts, cast_like, integer_arithmetic,
)  # fmt: skip
# Steps after which a difference in the last bit may be a large one.
JUMPS = (compare,)
