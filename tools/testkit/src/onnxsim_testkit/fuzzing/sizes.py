"""Steps that compute sizes the way exporters do: Shape, pieces of it, arithmetic, and what uses the result."""

import numpy as np

from ..growth import FLOAT, Known
from .growing import BOOL, INT32, INT64, REALS, Grower, Reject
from .moving import anything, cut, squeeze, unsqueeze


def sizes_of(g: Grower, x: Known, start: int = 0) -> str:
    """The shape of x, or a part of it."""
    if g.opset >= 15 and g.chance(0.3):
        return g.one("Shape", [x.name], start=g.rng.choice((None, 0, start)), end=g.rng.choice((None, len(x.shape), 100)))
    return g.one("Shape", [x.name])


def size(g: Grower, x: Known, axis: int, listed: bool) -> str:
    """One size as a scalar or a list of one."""
    shape = g.one("Shape", [x.name])
    index = axis if g.chance(0.7) else axis - len(x.shape)
    kind = g.rng.randrange(4)
    if kind == 0:
        found = cut(g, shape, [index], [index + 1 if index != -1 else 2**31], [0], None)
        return found if listed else squeeze(g, found, [0])
    if kind == 1 and listed:
        return g.one("Gather", [shape, g.ints(index)], axis=0)
    scalar = g.one("Gather", [shape, g.scalar(index)], axis=0)
    if g.chance(0.2):
        scalar = g.one("Cast", [g.one("Cast", [scalar], to=g.rng.choice((INT32, FLOAT, INT64)))], to=INT64)
    return unsqueeze(g, scalar, [0]) if listed else scalar


def arithmetic(g: Grower, y: str) -> str:
    """Arithmetic that a size goes through, to an effect or none."""
    kind = g.rng.randrange(8)
    if kind == 0:
        return g.one("Mul", [y, g.scalar(g.rng.choice((1, 2)))])
    if kind == 1:
        return g.one("Add", [y, g.scalar(g.rng.choice((0, 1)))])
    if kind == 2:
        return g.one("Div", [g.one("Mul", [y, g.scalar(2)]), g.scalar(g.rng.choice((1, 2)))])
    if kind == 3:
        return g.one("Sub", [g.one("Add", [y, g.scalar(3)]), g.scalar(3)])
    if kind == 4 and g.opset >= 12:
        return g.one(g.rng.choice(("Max", "Min")), [y, g.scalar(g.rng.choice((0, 1, 100)))])
    if kind == 5 and g.opset >= 9:
        return g.one("Where", [g.one("Equal", [y, g.scalar(-1)]), g.scalar(1), y])
    if kind == 6:
        return g.one("Floor", [g.one("Cast", [y], to=FLOAT)]) if g.chance(0.1) else y
    return y


def reshape_by_size(g: Grower) -> object:
    """Reshape to sizes read off values, with constants and one -1 among them, and arithmetic."""
    x = anything(g, 1, 2, 3, 4)
    if 0 in x.shape:
        raise Reject
    parts, left = [], -1
    order = list(range(len(x.shape)))
    inferred = g.rng.choice(order) if g.chance(0.5) else left
    for axis in order:
        if axis == inferred:
            parts.append(g.ints(-1))
        elif g.chance(0.7):
            others = [v for v in g.values if v.shape and x.shape[axis] in v.shape]
            of = g.rng.choice(others) if others and g.chance(0.3) else x
            at = of.shape.index(x.shape[axis]) if of is not x else axis
            parts.append(arithmetic_kept(g, size(g, of, at, listed=True)))
        else:
            parts.append(g.ints(x.shape[axis]))
    if g.chance(0.3):
        parts.insert(g.rng.randrange(len(parts) + 1), g.ints(1))
    target = g.one("Concat", parts, axis=0)
    return g.one("Reshape", [x.name, target])


def arithmetic_kept(g: Grower, y: str) -> str:
    """Arithmetic that gives the same size again."""
    if g.chance(0.7):
        return y
    if g.chance(0.5):
        return g.one("Div", [g.one("Mul", [y, g.ints(4)]), g.ints(4)])
    return g.one("Sub", [g.one("Add", [y, g.ints(2)]), g.ints(2)])


def flattened(g: Grower) -> object:
    """Join all but some axes by a product of sizes."""
    x = anything(g, 2, 3, 4)
    if 0 in x.shape:
        raise Reject
    at = g.rng.randrange(1, len(x.shape))
    shape = g.one("Shape", [x.name])
    head = cut(g, shape, [0], [at], [0], None)
    if g.chance(0.5):
        rest = g.ints(-1)
    elif g.opset >= 18:
        rest = g.one("ReduceProd", [cut(g, shape, [at], [2**31], [0], None), g.ints(0)], keepdims=1)
    else:
        rest = g.one("ReduceProd", [cut(g, shape, [at], [2**31], [0], None)], axes=[0], keepdims=1)
    return g.one("Reshape", [x.name, g.one("Concat", [head, rest], axis=0)])


def expand_to_size(g: Grower) -> object:
    """Expand, ConstantOfShape or Tile by sizes that are read off."""
    x = anything(g, 1, 2, 3)
    if 0 in x.shape:
        raise Reject
    kind = g.rng.randrange(4)
    shape = g.one("Shape", [x.name])
    if kind == 0:
        return g.one("Expand", [x.name, shape])
    if kind == 1:
        row = g.like(x, (x.shape[-1],)) if g.chance(0.5) else g.like(x, ())
        return g.one("Expand", [row, shape])
    if kind == 2:
        value = None
        if g.chance(0.7):
            value = helper_tensor(g, g.rng.choice((np.float32(1.5), np.int64(1), np.float32(0), np.array(True))))
        filled = g.one("ConstantOfShape", [shape], value=value)
        return g.one("Mul", [filled, g.scalar(2, FLOAT)]) if value is None else filled
    ones = g.one("ConstantOfShape", [g.one("Shape", [shape])], value=helper_tensor(g, np.int64(1)))
    minus = g.ints(*[-1] * len(x.shape))
    target = g.one("Where", [g.one("Equal", [minus, g.ints(*[-1] * len(x.shape))]), g.one("Mul", [ones, shape]), minus])
    return g.one("Expand", [x.name, target])


def helper_tensor(g: Grower, value: np.ndarray | np.generic) -> object:
    from onnx import numpy_helper

    return numpy_helper.from_array(np.asarray(value).reshape(1))


def ranges(g: Grower) -> object:
    """Range to a size, as indices, positions, or a mask."""
    x = anything(g, 1, 2, 3)
    axis = g.axis(x) % len(x.shape)
    if g.opset < 11 or not x.shape[axis]:
        raise Reject
    end = arithmetic(g, size(g, x, axis, listed=False))
    positions = g.one("Range", [g.scalar(0), end, g.scalar(g.rng.choice((1, 1, 2)))])
    kind = g.rng.randrange(4)
    if kind == 0:
        return positions
    if kind == 1:
        return g.one("Gather", [x.name, positions], axis=axis)
    if kind == 2:
        column = unsqueeze(g, positions, [1])
        return g.one(g.rng.choice(("Less", "Greater", "Equal")), [positions, column])
    return g.one("Cast", [g.one("Mul", [positions, g.scalar(2)])], to=FLOAT)


def slice_by_size(g: Grower) -> object:
    """Slice to a size, to half of it, or from the end."""
    x = anything(g, 1, 2, 3)
    axis = g.axis(x) % len(x.shape)
    if g.opset < 10:
        raise Reject
    end = size(g, x, axis, listed=True)
    kind = g.rng.randrange(4)
    if kind == 0:
        end = g.one("Div", [end, g.ints(2)])
    elif kind == 1:
        end = g.one("Sub", [end, g.ints(1)])
    elif kind == 2:
        start = g.one("Sub", [end, g.ints(g.rng.choice((0, 1, 2)))])
        return g.one("Slice", [x.name, start, end if g.chance(0.5) else g.ints(2**31), g.ints(axis)])
    return g.one("Slice", [x.name, g.ints(0), end, g.ints(axis), *([g.ints(1)] if g.chance(0.5) else [])])


def sizes_compared(g: Grower) -> object:
    x, y = anything(g, 1, 2, 3), anything(g, 1, 2, 3)
    if g.opset < 9 or not x.shape or not y.shape:
        raise Reject
    a, b = (size(g, v, g.rng.randrange(len(v.shape)), listed=False) for v in (x, y))
    op_type = g.rng.choice(("Equal", "Less", "Greater"))
    condition = g.one(op_type, [a, b])
    if g.chance(0.3):
        return condition
    return g.one("Where", [condition, a, b])


def data_dependent(g: Grower) -> object:
    """Values whose sizes depend on data: NonZero, Compress, Unique."""
    x = g.some(FLOAT, BOOL, INT64, rank=(1, 2))
    kind = g.rng.randrange(3)
    if kind == 0:
        found = g.one("NonZero", [x.name])
        return g.one("Transpose", [found], perm=[1, 0]) if g.chance(0.6) else found
    if kind == 1 and g.opset >= 11:
        if x.dtype == BOOL:
            raise Reject
        return g.node("Unique", [x.name], g.rng.choice((1, 2, 4)), sorted=1)
    mask = g.numbers(BOOL, (x.shape[0],))
    return g.one("Compress", [x.name, g.constant(mask).name], axis=0)


def count(g: Grower) -> object:
    x = anything(g)
    found = g.one("Size", [x.name])
    if g.chance(0.5):
        return g.one("Cast", [found], to=FLOAT)
    return g.one("Reshape", [x.name, unsqueeze(g, found, [0])])


def whole_shape(g: Grower) -> object:
    """Shape of something computed, pieces of it side by side, or arithmetic on all of it."""
    x = anything(g, 1, 2, 3, 4)
    y = x.name if g.chance(0.5) or x.dtype not in REALS else g.one("Relu", [x.name])
    shape = g.one("Shape", [y])
    kind = g.rng.randrange(4)
    rank = len(x.shape)
    if kind == 0:
        return g.one("Gather", [shape, g.ints(*(g.rng.randrange(-rank, rank) for _ in range(g.rng.randrange(1, 4))))])
    if kind == 1:
        return g.one("Concat", [cut(g, shape, [0], [1], [0], None), g.ints(3), cut(g, shape, [-1], [2**31], [0], None)],
                     axis=0)  # fmt: skip
    if kind == 2:
        return g.one(g.rng.choice(("Mul", "Add", "Sub", "Div")), [shape, g.ints(*[g.rng.randrange(1, 3)] * rank)])
    return shape


SIZES = (
    reshape_by_size, reshape_by_size, reshape_by_size, flattened, expand_to_size, expand_to_size, ranges, slice_by_size,
    sizes_compared, data_dependent, count, whole_shape, whole_shape,
)  # fmt: skip
JUMPS = (data_dependent,)
