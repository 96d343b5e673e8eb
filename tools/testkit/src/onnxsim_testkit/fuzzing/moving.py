"""Steps that move elements: transposes, reshapes, slices, joins, and the chains of them that rewrite rules look for."""

import numpy as np
from onnx import TensorProto

from ..growth import FLOAT, Known
from .growing import BOOL, DOUBLE, FLOAT16, INT32, INT64, REALS, Grower, Reject

ANY = (FLOAT, FLOAT, FLOAT, DOUBLE, FLOAT16, INT64, INT32, BOOL, TensorProto.INT8, TensorProto.UINT8, TensorProto.STRING)


def anything(g: Grower, *ranks: int) -> Known:
    """A value of floats mostly, else of any type."""
    rank = ranks or None
    if g.reference:
        return g.some(*TensorProto.DataType.values(), rank=rank)
    return g.real(rank) if g.chance(0.7) else g.some(*set(ANY), rank=rank)


# --- nodes in the form the opset has -----------------------------------------------------------------------------------
def squeeze(g: Grower, x: str, axes: list[int] | None) -> str:
    if axes is None:
        return g.one("Squeeze", [x])
    # As an attribute, onnx's own inference takes them in order only.
    return g.one("Squeeze", [x, g.ints(*axes)]) if g.opset >= 13 else g.one("Squeeze", [x], axes=sorted(axes))


def unsqueeze(g: Grower, x: str, axes: list[int]) -> str:
    return g.one("Unsqueeze", [x, g.ints(*axes)]) if g.opset >= 13 else g.one("Unsqueeze", [x], axes=axes)


def cut(g: Grower, x: str, starts: list[int], ends: list[int], axes: list[int] | None, steps: list[int] | None) -> str:
    if g.opset < 10:
        return g.one("Slice", [x], starts=starts, ends=ends, axes=axes)
    more = [g.ints(*axes)] if axes is not None else [""] if steps is not None else []
    if steps is not None:
        more.append(g.ints(*steps))
    return g.one("Slice", [x, g.ints(*starts), g.ints(*ends), *more])


def split(g: Grower, x: str, sizes: list[int], axis: int) -> list[str]:
    equal = len(set(sizes)) == 1 and g.chance(0.5)
    if g.opset < 13:
        return g.node("Split", [x], len(sizes), axis=axis, split=None if equal else sizes)
    if equal:
        return g.node("Split", [x], len(sizes), axis=axis, num_outputs=len(sizes) if g.opset >= 18 else None)
    return g.node("Split", [x, g.ints(*sizes)], len(sizes), axis=axis)


def reduction(g: Grower, op_type: str, x: str, axes: list[int] | None, keep: int) -> str:
    keepdims = keep if g.chance(0.8) or not keep else None
    if axes is None:
        return g.one(op_type, [x], keepdims=keepdims)
    if g.opset >= (13 if op_type == "ReduceSum" else 18):
        noop = g.rng.choice((None, 0, 1))
        return g.one(op_type, [x, g.ints(*axes)], keepdims=keepdims, noop_with_empty_axes=noop)
    return g.one(op_type, [x], axes=axes or None, keepdims=keepdims)


def padded(g: Grower, x: Known, amounts: list[int], mode: str, value: float | None) -> str:
    if g.opset < 11:
        return g.one("Pad", [x.name], pads=amounts, mode=mode, value=value)
    more = [] if value is None else [g.scalar(value, x.dtype)]
    return g.one("Pad", [x.name, g.ints(*amounts), *more], mode=mode if mode != "constant" or g.chance(0.5) else None)


# --- steps -------------------------------------------------------------------------------------------------------------
def permutation(g: Grower, rank: int) -> list[int]:
    perm = list(range(rank))
    if g.chance(0.8):
        g.rng.shuffle(perm)
    return perm


def transposes(g: Grower) -> object:
    """One Transpose or more in a row, sometimes with an elementwise node, a reduction or a softmax between."""
    x = anything(g, 0, 1, 2, 3, 4, 5)
    rank, y = len(x.shape), x.name
    for _ in range(g.rng.randrange(1, 4)):
        perm = None if g.chance(0.15) else permutation(g, rank)
        y = g.one("Transpose", [y], perm=perm)
        if x.dtype in REALS and g.chance(0.35):
            y = g.one(g.rng.choice(("Relu", "Neg", "Abs")), [y])
    return y


def transposed_operands(g: Grower) -> object:
    """An operator on transposed values, transposed back or not."""
    x = g.real((2, 3, 4))
    perm = permutation(g, len(x.shape))
    a = g.one("Transpose", [x.name], perm=perm)
    kind = g.rng.randrange(5)
    if kind == 0:
        shape = [x.shape[axis] if g.chance(0.5) else 1 for axis in perm][g.rng.randrange(len(perm) + 1):]
        y = g.one(g.rng.choice(("Add", "Mul", "Max", "Sub")), [a, g.like(x, shape)])
    elif kind == 1:
        same = [v for v in g.values if v.shape == x.shape and v.dtype == x.dtype]
        b = g.one("Transpose", [g.rng.choice(same).name], perm=perm if g.chance(0.8) else permutation(g, len(perm)))
        y = g.one(g.rng.choice(("Add", "Mul", "Sub")), [a, b])
    elif kind == 2:
        same = [v for v in g.values if v.shape == x.shape and v.dtype == x.dtype]
        b = g.one("Transpose", [g.rng.choice(same).name], perm=perm)
        y = g.one("Concat", [a, b], axis=g.axis(x))
    elif kind == 3:
        op_type = g.rng.choice(("ReduceMax", "ReduceSum", "ReduceMin"))
        y = reduction(g, op_type, a, [g.axis(x)], g.rng.randrange(2))
        return y
    else:
        y = a if g.exact else g.one("Softmax", [a], axis=g.axis(x))
    if g.chance(0.7):
        back = [perm.index(axis) for axis in range(len(perm))]
        y = g.one("Transpose", [y], perm=back if g.chance(0.85) else permutation(g, len(perm)))
    return y


def factored(g: Grower, sizes: tuple[int, ...]) -> list[int]:
    """Another shape of as many elements: neighbours joined, sizes taken apart, ones put in."""
    found = list(sizes)
    for _ in range(g.rng.randrange(1, 4)):
        kind = g.rng.randrange(3)
        if kind == 0 and len(found) > 1:
            at = g.rng.randrange(len(found) - 1)
            found[at : at + 2] = [found[at] * found[at + 1]]
        elif kind == 1 and found:
            at = g.rng.randrange(len(found))
            factor = next((f for f in g.rng.sample((2, 3, 5), 3) if found[at] % f == 0), None)
            if factor:
                found[at : at + 1] = [factor, found[at] // factor]
        else:
            found.insert(g.rng.randrange(len(found) + 1), 1)
    return found


def reshapes(g: Grower) -> object:
    """Reshape, Flatten, Squeeze and Unsqueeze, and transposes, in a row."""
    x = anything(g)
    y, sizes = x.name, x.shape
    for _ in range(g.rng.randrange(1, 5)):
        kind = g.rng.randrange(6)
        if kind <= 1:
            target = factored(g, sizes)
            written = [0 if i < len(sizes) and sizes[i] == size and g.chance(0.3) else size for i, size in enumerate(target)]
            if written and g.chance(0.4):
                written[g.rng.randrange(len(written))] = -1
            y, sizes = g.one("Reshape", [y, g.ints(*written)]), tuple(target)
        elif kind == 2:
            axis = g.rng.randrange(len(sizes) + 1)
            y = g.one("Flatten", [y], axis=axis if g.chance(0.8) or g.opset < 11 or not axis else axis - len(sizes))
            if axis < 0:
                raise Reject
            sizes = (int(np.prod(sizes[:axis])), int(np.prod(sizes[axis:])))
            if g.chance(0.1):
                return y
        elif kind == 3:
            ones = [axis for axis, size in enumerate(sizes) if size == 1]
            axes = g.rng.sample(ones, g.rng.randrange(len(ones) + 1))
            y = squeeze(g, y, None if len(axes) == len(ones) and g.chance(0.4) else axes) if axes else y
            sizes = tuple(size for axis, size in enumerate(sizes) if axis not in axes)
        elif kind == 4 and len(sizes) < 5:
            rank = len(sizes) + g.rng.randrange(1, 3)
            axes = sorted(g.rng.sample(range(rank), rank - len(sizes)))
            left = iter(sizes)
            sizes = tuple(1 if axis in axes else next(left) for axis in range(rank))
            y = unsqueeze(g, y, [axis - rank if g.opset >= 11 and g.chance(0.2) else axis for axis in axes])
        elif sizes:
            perm = permutation(g, len(sizes))
            y, sizes = g.one("Transpose", [y], perm=perm), tuple(sizes[axis] for axis in perm)
    return y


def slices(g: Grower) -> object:
    """Slice once or more, with bounds beyond the ends, from the end, and backward."""
    x = anything(g, 1, 2, 3, 4)
    y = x.name
    same = g.axis(x)
    for _ in range(g.rng.randrange(1, 4)):
        axes = [same] if g.chance(0.6) else sorted(g.rng.sample(range(len(x.shape)), g.rng.randrange(1, len(x.shape) + 1)))
        starts = [g.rng.choice((0, 0, 1, -1, -2, -100, 2)) for _ in axes]
        ends = [g.rng.choice((1, 2, 3, -1, 2**31 - 1, 2**63 - 1, 100)) for _ in axes]
        steps: list[int] | None = None
        if g.opset >= 10 and g.chance(0.4):
            steps = [g.rng.choice((1, 1, 2, -1, 3)) for _ in axes]
            for i, step in enumerate(steps):
                if step < 0:
                    starts[i], ends[i] = g.rng.choice((-1, 100, 1)), g.rng.choice((-(2**62), -100, 0))
        y = cut(g, y, starts, ends, axes if steps or g.chance(0.9) or len(axes) < len(x.shape) else None, steps)
    return y


def slice_and_squeeze(g: Grower) -> object:
    """One element of an axis by Slice or Split, squeezed; or by Gather, unsqueezed."""
    x = anything(g, 1, 2, 3, 4)
    axis = g.axis(x)
    size = x.shape[axis]
    if not size:
        raise Reject
    at = g.rng.randrange(size)
    kind = g.rng.randrange(3) if x.dtype != TensorProto.STRING else 2
    if kind == 0:
        y = cut(g, x.name, [at if g.chance(0.5) else at - size], [at + 1 if at + 1 < size else 2**31], [axis], None)
        return squeeze(g, y, [axis] if g.opset >= 11 or axis >= 0 else [axis + len(x.shape)])
    if kind == 1:
        y = g.one("Gather", [x.name, g.constant(np.array(g.rng.choice((at, at - size)))).name], axis=axis)
        return unsqueeze(g, y, [g.rng.randrange(len(x.shape))])
    parts = split(g, x.name, [1] * size, axis)
    return [squeeze(g, part, [axis % len(x.shape)]) for part in parts]


def gathers(g: Grower) -> object:
    """Gather; not of rows of strings, of which onnxruntime takes the first only."""
    x = anything(g, 1, 2, 3, 4)
    axis = g.axis(x)
    size = x.shape[axis]
    if not size or x.dtype == TensorProto.STRING:
        raise Reject
    if g.chance(0.3):
        indices = np.arange(size) if g.chance(0.7) else np.arange(size)[::-1].copy()
    else:
        shape = g.rng.choice(((), (1,), (2,), (3,), (2, 2), (1, 2), (0,)))
        count = int(np.prod(shape))
        indices = np.array([g.rng.randrange(-size, size) for _ in range(count)], dtype=np.int64).reshape(shape)
    if g.chance(0.2):
        indices = indices.astype(np.int32)
    return g.one("Gather", [x.name, g.constant(indices).name], axis=axis if axis or g.chance(0.5) else None)


def gather_elements(g: Grower) -> object:
    x = anything(g, 1, 2, 3)
    axis = g.axis(x)
    if 0 in x.shape:
        raise Reject
    if g.opset >= 13 and g.chance(0.4):
        rows = np.array([[g.rng.randrange(x.shape[0])] for _ in range(2)], dtype=np.int64)
        if g.chance(0.5):
            return g.one("GatherND", [x.name, g.constant(rows).name])
        data = g.like(x, (2, *x.shape[1:]))
        return g.one("ScatterND", [x.name, g.constant(rows).name, data])
    indices = np.array([g.rng.randrange(x.shape[axis]) for _ in range(int(np.prod(x.shape)))]).reshape(x.shape)
    if g.chance(0.5):
        return g.one("GatherElements", [x.name, g.constant(indices).name], axis=axis)
    indices[...] = np.arange(x.shape[axis]).reshape([-1 if a == axis % len(x.shape) else 1 for a in range(len(x.shape))])
    return g.one("ScatterElements", [x.name, g.constant(indices).name, g.like(x, x.shape)], axis=axis)


def joins(g: Grower) -> object:
    """Concat of values, constants, empty parts and itself; of Concat; of the parts of a Split; Slice of a Concat."""
    x = anything(g, 1, 2, 3, 4)
    axis = g.axis(x)
    plain = axis % len(x.shape)

    def part() -> str:
        shape = list(x.shape)
        shape[plain] = g.rng.choice((0, 1, 2))
        fitting = [v for v in g.values if v.dtype == x.dtype and len(v.shape) == len(x.shape)
                   and v.shape[:plain] + v.shape[plain + 1:] == x.shape[:plain] + x.shape[plain + 1:]]  # fmt: skip
        return g.rng.choice(fitting).name if g.chance(0.6) else g.like(x, shape)

    kind = g.rng.randrange(4)
    parts = [x.name, *(part() for _ in range(g.rng.randrange(0, 3)))]
    g.rng.shuffle(parts)
    if kind == 0:
        return g.one("Concat", parts, axis=axis)
    if kind == 1:
        inner = g.one("Concat", parts, axis=axis)
        return g.one("Concat", [inner, part()] if g.chance(0.5) else [part(), inner, inner], axis=axis)
    if kind == 2:
        inner = g.one("Concat", parts, axis=axis)
        return cut(g, inner, [g.rng.choice((0, 1, 2, -2))], [g.rng.choice((2, 3, 100, -1))], [axis], None)
    if x.shape[plain] < 2:
        raise Reject
    first = g.rng.randrange(1, x.shape[plain])
    pieces = split(g, x.name, [first, x.shape[plain] - first], axis)
    if g.chance(0.3):
        pieces.reverse()
    if g.chance(0.3):
        pieces.append(part())
    return g.one("Concat", pieces, axis=axis)


def slices_joined(g: Grower) -> object:
    """Neighbouring slices of one value, put together again."""
    x = anything(g, 1, 2, 3)
    axis = g.axis(x)
    size = x.shape[axis]
    if size < 2:
        raise Reject
    at = g.rng.randrange(1, size)
    end = size if g.chance(0.7) else size - 1
    pieces = [cut(g, x.name, [0], [at], [axis], None), cut(g, x.name, [at], [end], [axis], None)]
    if g.chance(0.2):
        pieces.reverse()
    return g.one("Concat", pieces, axis=axis)


def pads(g: Grower) -> object:
    x = g.real((1, 2, 3, 4))
    amounts = [g.rng.choice((0, 0, 0, 1, 2, -1)) for _ in range(2 * len(x.shape))]
    if g.chance(0.2):
        amounts = [0] * len(amounts)
    mode = g.rng.choice(("constant", "constant", "reflect", "edge"))
    return padded(g, x, amounts, mode, g.rng.choice((None, 0.0, 1.0)) if mode == "constant" else None)


def spread(g: Grower) -> object:
    """Expand and Tile, sometimes to no effect, sometimes before an operator that broadcasts anyway."""
    x = anything(g)
    if g.chance(0.3) and x.shape:
        times = [g.rng.choice((1, 1, 1, 2, 0)) if g.chance(0.9) else 3 for _ in x.shape]
        y = g.one("Tile", [x.name, g.ints(*times)])
        return y
    target = [g.rng.choice((1, size)) if size != 1 else g.rng.randrange(1, 4) for size in x.shape]
    if g.chance(0.3):
        target = [g.rng.randrange(1, 3), *target]
    if g.chance(0.3):
        target = target[g.rng.randrange(len(target) + 1):]
    y = g.one("Expand", [x.name, g.ints(*target)])
    if x.dtype in REALS and g.chance(0.6):
        other = g.like(x, [size if g.chance(0.5) else 1 for size in target])
        return g.one(g.rng.choice(("Add", "Mul", "Sub")), [y, other])
    return y


def reductions(g: Grower) -> object:
    """A reduction or two, with Unsqueeze or Squeeze after, over axes of one element too."""
    x = g.real((0, 1, 2, 3, 4))
    kinds = ("ReduceMax", "ReduceMin", "ReduceSum") if g.exact else (
        "ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceL2", "ReduceLogSumExp", "ReduceSumSquare", "ReduceL1")
    op_type = g.rng.choice(kinds)
    axes, keep = g.axes(x), g.rng.randrange(2)
    y = reduction(g, op_type, x.name, axes if axes or g.chance(0.5) else None, keep)
    kind = g.rng.randrange(4)
    if kind == 0:
        rank = len(x.shape)
        return unsqueeze(g, y, sorted(axis % rank for axis in axes)) if axes and not keep else y
    if kind == 1 and axes and keep:
        return squeeze(g, y, sorted(axis % len(x.shape) for axis in axes))
    if kind == 2:
        return reduction(g, op_type if g.chance(0.8) else g.rng.choice(kinds), y, [0], g.rng.randrange(2))
    return y


def arg_reductions(g: Grower) -> object:
    """ArgMax and ArgMin, plain or after a Cast; TopK, CumSum, and other orders of elements."""
    x = g.some(FLOAT, INT32, rank=(1, 2, 3))
    y, kind = x.name, g.rng.randrange(4)
    if kind == 0:
        return g.one("CumSum", [y, g.scalar(g.axis(x))], exclusive=g.rng.choice((None, 1)), reverse=g.rng.choice((None, 1)))
    if kind == 1:
        return g.node("TopK", [y, g.ints(1)], 2, axis=g.axis(x))
    if g.chance(0.4):
        y = g.one("Cast", [y], to=DOUBLE if x.dtype == FLOAT else INT64)
    last = g.rng.choice((None, 0, 1)) if g.opset >= 12 else None
    y = g.one(g.rng.choice(("ArgMax", "ArgMin")), [y], axis=g.axis(x), keepdims=g.rng.randrange(2), select_last_index=last)
    return y


def space(g: Grower) -> object:
    """Reshape, Transpose, Reshape as DepthToSpace, SpaceToDepth or channel shuffles do it, or one of those."""
    x = g.real(4)
    n, c, h, w = x.shape
    block = 2
    if g.chance(0.3):
        return g.one(g.rng.choice(("DepthToSpace", "SpaceToDepth")), [x.name], blocksize=block)
    if c % 4 == 0 and c and g.chance(0.5):
        order = g.rng.choice(([n, c // 4, 2, 2, h, w], [n, 2, 2, c // 4, h, w]))
        perm = g.rng.choice(([0, 1, 4, 2, 5, 3], [0, 3, 4, 1, 5, 2], [0, 1, 4, 3, 5, 2]))
        target = [n, c // 4, 2 * h, 2 * w]
    elif h % 2 == 0 and w % 2 == 0:
        order = [n, c, h // 2, 2, w // 2, 2]
        perm = g.rng.choice(([0, 3, 5, 1, 2, 4], [0, 1, 3, 5, 2, 4], [0, 5, 3, 1, 2, 4]))
        target = [n, 4 * c, h // 2, w // 2]
    else:
        if c % 2:
            raise Reject
        order, perm, target = [n, 2, c // 2, h, w], [0, 2, 1, 3, 4], [n, c, h, w]
    y = g.one("Transpose", [g.one("Reshape", [x.name, g.ints(*order)])], perm=perm)
    return g.one("Reshape", [y, g.ints(*target)])


MOVES = (
    transposes, transposes, transposed_operands, transposed_operands, reshapes, reshapes, reshapes, slices, slices,
    slice_and_squeeze, gathers, gather_elements, joins, joins, slices_joined, pads, spread, reductions, reductions,
    arg_reductions, space,
)  # fmt: skip
JUMPS = (arg_reductions,)
