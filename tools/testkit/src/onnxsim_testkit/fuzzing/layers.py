"""Steps that add layers of networks, with what rewrite rules fold into them."""

from typing import Any

import numpy as np

from ..growth import FLOAT, Known
from .growing import DOUBLE, FLOAT16, REALS, Grower, Reject
from .moving import padded


def weight(g: Grower, x: Known, *shape: int) -> str:
    """A constant of small numbers; sometimes another value of that shape, so that it is no constant."""
    if g.chance(0.08):
        same = [v for v in g.values if v.dtype == x.dtype and v.shape == shape]
        if same:
            return g.rng.choice(same).name
    array = g.numbers(x.dtype, shape)
    return g.constant(array / 4 if not g.exact else array).name


def per_channel(g: Grower, x: Known, channels: int, spatial: int, nonzero: bool = False) -> str:
    """A constant that scales or shifts channels, in a shape that fits, or nearly."""
    shape = g.rng.choice((
        (), (1,), (channels, *([1] * spatial)), (1, channels, *([1] * spatial)), (1, channels, *([1] * spatial)),
        (1, 1, *([1] * spatial)), (2, channels, *([1] * spatial)), (channels,), (1, 1, channels, *([1] * spatial)),
    ))  # fmt: skip
    return g.like(x, shape, nonzero)


def batch_norm(g: Grower, x: Known, y: str, channels: int) -> str:
    """With variances whose square roots are powers of two where nothing may be rounded."""
    scale, bias, mean = (g.like(x, (channels,)) for _ in range(3))
    if g.exact:
        roots = [g.rng.choice((0.5, 1.0, 2.0)) for _ in range(channels)]
        variance, epsilon = [1 / root**2 - 0.125 for root in roots], 0.125
    else:
        variance, epsilon = [g.rng.random() + 0.1 for _ in range(channels)], g.rng.choice((1e-5, 1e-3, 0.0))
    stored = g.constant(np.array(variance).astype(g.numbers(x.dtype, ()).dtype)).name
    mode = 0 if g.opset >= 14 and g.chance(0.3) else None
    return g.one("BatchNormalization", [y, scale, bias, mean, stored], epsilon=epsilon, training_mode=mode)


def convolution(g: Grower) -> object:
    """Pad or Mul or nothing, Conv or ConvTranspose, then batch normalisation, a bias, a scale, an activation."""
    x = g.some(FLOAT, FLOAT, FLOAT16 if g.chance(0.1) else FLOAT, rank=(3, 4, 4, 5) if g.chance(0.9) else (4,))
    channels, spatial = x.shape[1], len(x.shape) - 2
    if 0 in x.shape:
        raise Reject
    y, sizes = x.name, list(x.shape[2:])
    if g.chance(0.3):
        amounts = [0, 0, *(g.rng.choice((0, 1, 2)) for _ in sizes), 0, 0, *(g.rng.choice((0, 1)) for _ in sizes)]
        if g.chance(0.1):
            amounts[1] = 1
            channels += 1
        y = padded(g, x, amounts, g.rng.choice(("constant", "constant", "constant", "edge")), g.rng.choice((None, 0.0, 1.0)))
        sizes = [size + amounts[2 + i] + amounts[4 + spatial + i] for i, size in enumerate(sizes)]
    if g.chance(0.25):
        y = g.one(g.rng.choice(("Mul", "Mul", "Add", "Div" if not g.exact else "Mul")),
                  [y, per_channel(g, x, channels, spatial, nonzero=True)])  # fmt: skip
    transposed = g.chance(0.25)
    group = g.rng.choice([d for d in range(1, channels + 1) if channels % d == 0])
    out = group * g.rng.randrange(1, 3)
    kernel = [g.rng.randrange(1, min(3, size) + 1) for size in sizes]
    shape = (channels, out // group, *kernel) if transposed else (out, channels // group, *kernel)
    inputs = [y, weight(g, x, *shape)]
    if g.chance(0.5):
        inputs.append(weight(g, x, out))
    attributes: dict[str, Any] = {
        "group": group if group > 1 or g.chance(0.5) else None,
        "strides": [g.rng.choice((1, 2)) for _ in sizes] if g.chance(0.3) else None,
        "dilations": [g.rng.choice((1, 2)) for _ in sizes] if g.chance(0.15) else None,
        "kernel_shape": kernel if g.chance(0.7) else None,
    }
    if g.chance(0.3):
        attributes["pads"] = [g.rng.choice((0, 1)) for _ in range(2 * spatial)]
    elif g.chance(0.3):
        attributes["auto_pad"] = g.rng.choice(("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"))
    y = g.one("ConvTranspose" if transposed else "Conv", inputs, **attributes)
    return tail(g, x, y, out, spatial)


def tail(g: Grower, x: Known, y: str, channels: int, spatial: int) -> str:
    """What follows a layer and may be folded into it."""
    for _ in range(g.rng.randrange(0, 4)):
        kind = g.rng.randrange(5)
        if kind == 0:
            y = batch_norm(g, x, y, channels)
        elif kind == 1:
            y = g.one("Relu", [y])
        else:
            op_type = g.rng.choice(("Mul", "Add", "Sub", "Add") if g.exact else ("Mul", "Add", "Sub", "Div"))
            pair = [y, per_channel(g, x, channels, spatial, nonzero=True)]
            if op_type in ("Mul", "Add", "Sub") and g.chance(0.3):
                pair.reverse()
            y = g.one(op_type, pair)
    return y


def product(g: Grower) -> object:
    """MatMul or Gemm, with transposes before, and a bias, a scale, a norm, or another product after."""
    x = g.some(*REALS, rank=(1, 2, 2, 3, 4))
    width = g.rng.randrange(1, 5)
    if 0 in x.shape:
        raise Reject
    if len(x.shape) == 2 and g.chance(0.5):
        y = _gemm(g, x, width)
    else:
        left = x.name
        shape: tuple[int, ...] = (x.shape[-1], width)
        if g.chance(0.15) and len(x.shape) > 2:
            shape = (*x.shape[:-2], *shape)
        right = weight(g, x, *shape)
        if g.chance(0.3):
            right = g.one("Transpose", [weight(g, x, *shape[:-2], shape[-1], shape[-2])],
                          perm=[*range(len(shape) - 2), len(shape) - 1, len(shape) - 2])  # fmt: skip
        y = g.one("MatMul", [left, right])
    for _ in range(g.rng.randrange(0, 4)):
        kind = g.rng.randrange(6)
        if kind == 0 and len(x.shape) == 2:
            y = batch_norm(g, x, y, width)
        elif kind == 1:
            y, width = g.one("MatMul", [y, weight(g, x, width, width)]), width
        else:
            ops = ("Add", "Mul", "Sub") if g.exact else ("Add", "Mul", "Sub", "Div", "Add")
            rows = x.shape[0] if len(x.shape) == 2 else 1
            sizes = g.rng.choice(((width,), (), (1,), (1, width), (rows, 1), (1, 1, width)))
            op_type = g.rng.choice(ops)
            pair = [y, g.like(x, sizes, nonzero=True)]
            if op_type != "Div" and g.chance(0.3):
                pair.reverse()
            y = g.one(op_type, pair)
    return y


def _gemm(g: Grower, x: Known, width: int) -> str:
    trans_a, trans_b = g.rng.randrange(2), g.rng.randrange(2)
    left, rows, depth = x.name, *x.shape
    if g.chance(0.3):
        left, rows, depth = g.one("Transpose", [left], perm=g.rng.choice((None, [1, 0]))), depth, rows
    if trans_a:
        rows, depth = depth, rows
    right = weight(g, x, *((width, depth) if trans_b else (depth, width)))
    if g.chance(0.2):
        right = g.one("Transpose", [weight(g, x, *((depth, width) if trans_b else (width, depth)))], perm=[1, 0])
    inputs = [left, right]
    if g.opset < 11 or g.chance(0.7):
        shape = g.rng.choice(((width,), (1, width), (rows, width), (rows, 1), (1,), ()))
        inputs.append(g.like(x, shape))
    scale = (None, 1.0, 2.0, 0.5, 0.0)
    return g.one("Gemm", inputs, transA=trans_a or None, transB=trans_b or None, alpha=g.rng.choice(scale),
                 beta=g.rng.choice(scale))  # fmt: skip


def attention(g: Grower) -> object:
    """Scaled products, a mask, a softmax."""
    if g.exact:
        raise Reject
    x = g.real((3, 4))
    if 0 in x.shape:
        raise Reject
    perm = [*range(len(x.shape) - 2), len(x.shape) - 1, len(x.shape) - 2]
    key = g.one("Transpose", [x.name], perm=perm)
    query = x.name
    if g.chance(0.5):
        query = g.one(g.rng.choice(("Mul", "Div")), [query, g.scalar(g.rng.choice((2.0, 0.5, 0.35)), x.dtype)])
    scores = g.one("MatMul", [query, key])
    if g.chance(0.5):
        scores = g.one(g.rng.choice(("Mul", "Div")), [scores, g.scalar(g.rng.choice((2.0, 0.5, 8.0)), x.dtype)])
    if g.chance(0.3):
        scores = g.one("Add", [scores, g.like(x, (x.shape[-2], x.shape[-2]))])
    weights = g.one("Softmax", [scores], axis=-1 if g.opset >= 13 or g.chance(0.5) else len(x.shape) - 1)
    return g.one("MatMul", [weights, x.name])


def pool(g: Grower) -> object:
    """A pool, plain or after a Pad."""
    x = g.some(FLOAT, rank=(3, 4))
    if 0 in x.shape:
        raise Reject
    y, sizes = x.name, x.shape[2:]
    kind = g.rng.choice(("MaxPool", "MaxPool", "AveragePool", "GlobalMaxPool", "GlobalAveragePool"))
    if kind.startswith("Global"):
        if g.exact and kind == "GlobalAveragePool":
            raise Reject
        return g.one(kind, [y])
    if g.chance(0.5):
        amounts = [0, 0, *(g.rng.choice((0, 1)) for _ in sizes), 0, 0, *(g.rng.choice((0, 1)) for _ in sizes)]
        low = g.rng.choice((None, 0.0, float("-inf"), float(np.finfo(np.float32).min)))
        y = padded(g, x, amounts, "constant", low)
    kernel = [g.rng.choice((1, 2)) if kind == "AveragePool" else g.rng.choice((1, 2, 3)) for _ in sizes]
    return g.one(
        kind,
        [y],
        kernel_shape=kernel,
        strides=[g.rng.choice((1, 2)) for _ in sizes] if g.chance(0.5) else None,
        pads=[g.rng.choice((0, 1)) if k > 1 else 0 for k in kernel * 2] if g.chance(0.4) else None,
        ceil_mode=g.rng.choice((0, 1)) if g.opset >= 10 and g.chance(0.3) else None,
        count_include_pad=g.rng.choice((0, 1)) if kind == "AveragePool" and g.chance(0.5) else None,
    )


def focus(g: Grower) -> object:
    """An image taken apart by slices with a step, joined and convolved."""
    x = g.some(FLOAT, rank=4)
    n, c, h, w = x.shape
    if h % 2 or w % 2 or 0 in x.shape or g.opset < 10:
        raise Reject
    parts = []
    for row, column in ((0, 0), (1, 0), (0, 1), (1, 1)):
        rows = g.one("Slice", [x.name, g.ints(row), g.ints(2**31), g.ints(2), g.ints(2)])
        parts.append(g.one("Slice", [rows, g.ints(column), g.ints(2**31), g.ints(3), g.ints(2)]))
    if g.chance(0.3):
        g.rng.shuffle(parts)
    joined = g.one("Concat", parts, axis=1)
    kernel = min(3, h // 2, w // 2)
    size = g.rng.randrange(1, kernel + 1)
    return g.one("Conv", [joined, weight(g, x, 2, 4 * c, size, size)], pads=[g.rng.randrange(2)] * 4)


def resize(g: Grower) -> object:
    x = g.some(FLOAT, rank=(3, 4))
    if 0 in x.shape or g.opset < 11:
        raise Reject
    scales = [1.0, 1.0, *(g.rng.choice((1.0, 2.0, 1.0)) for _ in x.shape[2:])]
    mode = "nearest" if g.exact else g.rng.choice(("nearest", "linear"))
    placing = g.rng.choice(("half_pixel", "asymmetric", "align_corners"))
    factors = g.constant(np.array(scales, np.float32)).name
    return g.one("Resize", [x.name, "", factors], mode=mode, coordinate_transformation_mode=placing)


def einsum(g: Grower) -> object:
    x = g.some(FLOAT, DOUBLE, rank=(2, 3))
    if 0 in x.shape or g.opset < 12:
        raise Reject
    known: list[tuple[str, tuple[int, ...] | None]]
    if len(x.shape) == 2:
        known = [("ij,jk->ik", (x.shape[1], 2)), ("ij,kj->ik", (2, x.shape[1])), ("ij->ji", None)]
    else:
        b, _, j = x.shape
        known = [("bij,bjk->bik", (b, j, 2)), ("bij,jk->bik", (j, 2)), ("bij->bji", None)]
    equation, shape = g.rng.choice(known)
    return g.one("Einsum", [x.name, *([weight(g, x, *shape)] if shape else [])], equation=equation)


LAYERS = (
    convolution, convolution, convolution, convolution, product, product, product, attention, pool, pool, focus, resize,
    einsum,
)  # fmt: skip
