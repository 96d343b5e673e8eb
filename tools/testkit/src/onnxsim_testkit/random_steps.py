"""Steps by which a random model grows: each adds a node or a small pattern, or nothing where none fits."""

from collections.abc import Callable

import numpy as np
import onnx
from onnx import TensorProto, helper

from .growth import FLOAT, Growth, Known

INT64, BOOL = TensorProto.INT64, TensorProto.BOOL
SMOOTH = ("Relu", "Neg", "Abs", "Sigmoid", "Tanh", "Identity", "Sqrt", "LeakyRelu", "Softplus", "Erf")
JUMPING = ("Floor", "Ceil", "Round", "Sign")
BINARY = ("Add", "Sub", "Mul", "Div", "Max", "Min", "PRelu")
REDUCTIONS = ("ReduceMean", "ReduceMax", "ReduceMin", "ReduceSum")

Step = Callable[[Growth], object]


def unary(g: Growth) -> object:
    x = g.pick()
    return x and g.add(g.rng.choice(SMOOTH), [x.name], FLOAT, x.shape)


def jump(g: Growth) -> object:
    x = g.pick()
    return x and g.add(g.rng.choice(JUMPING), [x.name], FLOAT, x.shape)


def binary(g: Growth) -> object:
    x = g.pick()
    if x is None:
        return None
    partners = [v for v in g.values if v.dtype == FLOAT and _broadcast(x.shape, v.shape) == x.shape]
    if g.rng.random() < 0.5:
        kept = x.shape[g.rng.randrange(len(x.shape) + 1) :]
        y = g.floats(*(size if g.rng.random() < 0.7 else 1 for size in kept))
    else:
        y = g.rng.choice(partners)
    op_type = g.rng.choice(BINARY)
    names = [x.name, y.name] if op_type == "PRelu" or g.rng.random() < 0.6 else [y.name, x.name]
    return g.add(op_type, names, FLOAT, x.shape)


def _broadcast(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...] | None:
    try:
        return tuple(int(size) for size in np.broadcast_shapes(a, b))
    except ValueError:
        return None


def clip(g: Growth) -> object:
    x = g.pick()
    if x is None:
        return None
    low, high = sorted((g.rng.randrange(-2, 3), g.rng.randrange(-2, 3)))
    bounds = [g.constant(np.float32(low)).name, g.constant(np.float32(high)).name]
    return g.add("Clip", [x.name, *bounds[: g.rng.randrange(1, 3)]], FLOAT, x.shape)


def transpose(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape:
        return None
    perm = list(range(len(x.shape)))
    g.rng.shuffle(perm)
    return g.add("Transpose", [x.name], FLOAT, tuple(x.shape[axis] for axis in perm), perm=perm)


def reshape(g: Growth) -> object:
    """Reshape to a constant target, to one with 0 and -1, or to one computed from the input's own sizes."""
    x = g.pick()
    if x is None or x.size == 0:
        return None
    sizes = list(x.shape)
    if len(sizes) > 1 and g.rng.random() < 0.6:
        at = g.rng.randrange(len(sizes) - 1)
        sizes[at : at + 2] = [sizes[at] * sizes[at + 1]]
    elif sizes and sizes[-1] % 2 == 0:
        sizes[-1:] = [sizes[-1] // 2, 2]
    else:
        sizes.insert(g.rng.randrange(len(sizes) + 1), 1)
    if g.rng.random() < 0.4:
        parts = []
        for axis, size in enumerate(sizes):
            if axis < len(x.shape) and x.shape[axis] == size:
                parts.append(_size_of_axis(g, x, axis))
            else:
                parts.append(g.constant(np.array([size], dtype=np.int64)).name)
        target = g.fresh("t")
        g.nodes.append(helper.make_node("Concat", parts, [target], axis=0))
        return g.add("Reshape", [x.name, target], FLOAT, tuple(sizes))
    written = [0 if axis < len(x.shape) and x.shape[axis] == size and g.rng.random() < 0.4 else size
               for axis, size in enumerate(sizes)]  # fmt: skip
    if g.rng.random() < 0.5:
        written[g.rng.randrange(len(written))] = -1
    return g.add("Reshape", [x.name, g.constant(np.array(written, dtype=np.int64)).name], FLOAT, tuple(sizes))


def _size_of_axis(g: Growth, x: Known, axis: int) -> str:
    """Shape, Gather, Unsqueeze: the way exporters ask for one size."""
    shape, size, listed = g.fresh("s"), g.fresh("s"), g.fresh("s")
    g.nodes.append(helper.make_node("Shape", [x.name], [shape]))
    index = axis if g.rng.random() < 0.7 else axis - len(x.shape)
    g.nodes.append(helper.make_node("Gather", [shape, g.constant(np.int64(index)).name], [size], axis=0))
    axes = g.constant(np.array([0], dtype=np.int64)).name
    g.nodes.append(helper.make_node("Unsqueeze", [size, axes], [listed]))
    return listed


def unsqueeze(g: Growth) -> object:
    x = g.pick()
    if x is None or len(x.shape) > 4:
        return None
    axis = g.rng.randrange(len(x.shape) + 1)
    shape = (*x.shape[:axis], 1, *x.shape[axis:])
    return g.add("Unsqueeze", [x.name, g.constant(np.array([axis], dtype=np.int64)).name], FLOAT, shape)


def squeeze(g: Growth) -> object:
    x = g.pick()
    ones = [axis for axis, size in enumerate(x.shape) if size == 1] if x else []
    if x is None or not ones:
        return None
    axis = g.rng.choice(ones)
    shape = (*x.shape[:axis], *x.shape[axis + 1 :])
    return g.add("Squeeze", [x.name, g.constant(np.array([axis], dtype=np.int64)).name], FLOAT, shape)


def cut(g: Growth) -> object:
    """Slice one axis with positive or negative bounds and steps."""
    x = g.pick()
    if x is None or not x.shape:
        return None
    axis = g.rng.randrange(len(x.shape))
    start, end = g.rng.randrange(-3, 4), g.rng.choice((1, 2, 3, -1, 2**31, 2**63 - 1))
    step = g.rng.choice((1, 1, 1, 2, -1))
    if step < 0:
        start, end = -1, -(2**62)
    kept = len(range(*slice(start, None if step < 0 else end, step).indices(x.shape[axis])))
    if kept == 0:
        return None
    parts = [g.constant(np.array([number], dtype=np.int64)).name for number in (start, end, axis, step)]
    shape = (*x.shape[:axis], kept, *x.shape[axis + 1 :])
    return g.add("Slice", [x.name, *parts], FLOAT, shape)


def gather(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape or 0 in x.shape:
        return None
    axis = g.rng.randrange(len(x.shape))
    size = x.shape[axis]
    picked = [g.rng.randrange(-size, size) for _ in range(g.rng.randrange(1, 4))]
    indices = np.int64(picked[0]) if g.rng.random() < 0.3 else np.array(picked, dtype=np.int64)
    shape = (*x.shape[:axis], *np.shape(indices), *x.shape[axis + 1 :])
    return g.add("Gather", [x.name, g.constant(indices).name], FLOAT, shape, axis=axis)


def concat(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape:
        return None
    axis = g.rng.randrange(len(x.shape))

    def rest(v: Known) -> tuple[int, ...]:
        return (*v.shape[:axis], *v.shape[axis + 1 :])

    fitting = [v for v in g.values if v.dtype == FLOAT and len(v.shape) == len(x.shape) and rest(v) == rest(x)]
    parts = [x, *(g.rng.choice(fitting) for _ in range(g.rng.randrange(0, 3)))]
    total = sum(part.shape[axis] for part in parts)
    shape = (*x.shape[:axis], total, *x.shape[axis + 1 :])
    return g.add("Concat", [part.name for part in parts], FLOAT, shape, axis=axis)


def reduction(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape or 0 in x.shape:
        return None
    op_type = g.rng.choice(REDUCTIONS)
    axis, keep = g.rng.randrange(len(x.shape)), g.rng.randrange(2)
    shape = tuple(1 if i == axis else size for i, size in enumerate(x.shape) if keep or i != axis)
    if op_type == "ReduceSum" or g.opset >= 18:
        axes = g.constant(np.array([axis], dtype=np.int64)).name
        return g.add(op_type, [x.name, axes], FLOAT, shape, keepdims=keep)
    return g.add(op_type, [x.name], FLOAT, shape, axes=[axis], keepdims=keep)


def softmax(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape:
        return None
    op_type = g.rng.choice(("Softmax", "LogSoftmax"))
    return g.add(op_type, [x.name], FLOAT, x.shape, axis=g.rng.randrange(-len(x.shape), len(x.shape)))


def matmul(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape:
        return None
    width = g.rng.randrange(1, 5)
    y = g.add("MatMul", [x.name, g.floats(x.shape[-1], width).name], FLOAT, (*x.shape[:-1], width))
    if g.rng.random() < 0.6:
        return g.add("Add", [y.name, g.floats(width).name], FLOAT, y.shape)
    return y


def convolution(g: Growth) -> object:
    """Conv, and often what follows it in networks: batch normalisation, a bias, a scale, an activation."""
    x = g.pick(rank=4)
    if x is None or 0 in x.shape:
        return None
    n, c, h, w = x.shape
    k = 1 if min(h, w) < 2 else g.rng.randrange(1, 3)
    m = g.rng.randrange(1, 4)
    inputs = [x.name, g.floats(m, c, k, k).name]
    if g.rng.random() < 0.5:
        inputs.append(g.floats(m).name)
    y = g.add("Conv", inputs, FLOAT, (n, m, h - k + 1, w - k + 1))
    if g.rng.random() < 0.5:
        variance = g.constant(np.array([g.rng.random() + 0.1 for _ in range(m)], dtype=np.float32))
        statistics = [g.floats(m).name, g.floats(m).name, g.floats(m).name, variance.name]
        y = g.add("BatchNormalization", [y.name, *statistics], FLOAT, y.shape)
    if g.rng.random() < 0.5:
        factor = g.floats(1, m, 1, 1) if g.rng.random() < 0.5 else g.floats()
        y = g.add(g.rng.choice(("Mul", "Add", "Sub", "Div")), [y.name, factor.name], FLOAT, y.shape)
    return y


def pad(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape:
        return None
    amounts = [g.rng.randrange(3) if g.rng.random() < 0.4 else 0 for _ in range(2 * len(x.shape))]
    rank = len(x.shape)
    shape = tuple(size + amounts[i] + amounts[i + rank] for i, size in enumerate(x.shape))
    return g.add("Pad", [x.name, g.constant(np.array(amounts, dtype=np.int64)).name], FLOAT, shape)


def expand(g: Growth) -> object:
    x = g.pick()
    if x is None:
        return None
    wanted = tuple(g.rng.choice((1, size)) if size != 1 else g.rng.randrange(1, 4) for size in x.shape)
    if g.rng.random() < 0.3:
        wanted = (g.rng.randrange(1, 3), *wanted)
    shape = _broadcast(x.shape, wanted)
    if shape is None:
        return None
    return g.add("Expand", [x.name, g.constant(np.array(wanted, dtype=np.int64)).name], FLOAT, shape)


def tile(g: Growth) -> object:
    x = g.pick()
    if x is None or not x.shape:
        return None
    times = [g.rng.choice((1, 1, 2)) for _ in x.shape]
    shape = tuple(size * n for size, n in zip(x.shape, times, strict=True))
    return g.add("Tile", [x.name, g.constant(np.array(times, dtype=np.int64)).name], FLOAT, shape)


def choose(g: Growth) -> object:
    """Where on a comparison, whose condition is sometimes a constant."""
    x = g.pick()
    if x is None:
        return None
    other = g.floats(*(x.shape if g.rng.random() < 0.5 else ()))
    condition = g.add(g.rng.choice(("Less", "Greater")), [x.name, other.name], BOOL, x.shape)
    if g.rng.random() < 0.3:
        condition = g.constant(np.array(g.rng.random() < 0.5))
    return g.add("Where", [condition.name, x.name, other.name], FLOAT, x.shape)


def cast_there_and_back(g: Growth) -> object:
    x = g.pick()
    if x is None:
        return None
    bounded = g.add("Tanh", [x.name], FLOAT, x.shape)  # what does not fit an integer is undefined
    dtype = g.rng.choice((INT64, FLOAT, TensorProto.INT32, TensorProto.DOUBLE, TensorProto.FLOAT16))
    y = g.add("Cast", [bounded.name], dtype, x.shape, to=dtype)
    return g.add("Cast", [y.name], FLOAT, x.shape, to=FLOAT)


def halve(g: Growth) -> object:
    """Split in two, and often join the halves again."""
    x = g.pick()
    even = [axis for axis, size in enumerate(x.shape) if size and size % 2 == 0] if x else []
    if x is None or not even or g.opset >= 18:
        return None
    axis = g.rng.choice(even)
    shape = (*x.shape[:axis], x.shape[axis] // 2, *x.shape[axis + 1 :])
    parts = [Known(g.fresh("v"), FLOAT, shape) for _ in range(2)]
    g.nodes.append(helper.make_node("Split", [x.name], [part.name for part in parts], axis=axis))
    g.values += parts
    if g.rng.random() < 0.4:
        return g.add("Concat", [part.name for part in parts], FLOAT, x.shape, axis=axis)
    return parts[0]


def dropout(g: Growth) -> object:
    x = g.pick()
    return x and g.add("Dropout", [x.name], FLOAT, x.shape)


def flatten(g: Growth) -> object:
    x = g.pick()
    if x is None:
        return None
    axis = g.rng.randrange(len(x.shape) + 1)
    sizes = [int(np.prod(part, dtype=np.int64)) for part in (x.shape[:axis], x.shape[axis:])]
    return g.add("Flatten", [x.name], FLOAT, (sizes[0], sizes[1]), axis=axis)


def again(g: Growth) -> object:
    """The same node once more, for common subexpressions."""
    single = [node for node in g.nodes if len(node.output) == 1]
    known = {v.name: v for v in g.values}
    if not single:
        return None
    node = g.rng.choice(single)
    made = known.get(node.output[0])
    if made is None:
        return None
    copy = onnx.NodeProto()
    copy.CopyFrom(node)
    copy.name, copy.output[0] = g.fresh("n_"), g.fresh("v")
    g.nodes.append(copy)
    g.values.append(Known(copy.output[0], made.dtype, made.shape))
    return copy


# What moves values or computes with them so that a small change of an input stays one.
CONTINUOUS: tuple[Step, ...] = (
    unary,
    unary,
    binary,
    binary,
    clip,
    transpose,
    transpose,
    reshape,
    reshape,
    unsqueeze,
    squeeze,
    cut,
    gather,
    concat,
    reduction,
    softmax,
    pad,
    expand,
    tile,
    halve,
    dropout,
    flatten,
    again,
)
# Sums of products, which rewrites may round in another place.
ROUNDING: tuple[Step, ...] = (matmul, convolution, convolution)
# Steps after which a difference in the last bit may become a large one.
DISCONTINUOUS: tuple[Step, ...] = (jump, choose, cast_there_and_back)
STEPS = CONTINUOUS + ROUNDING + DISCONTINUOUS
