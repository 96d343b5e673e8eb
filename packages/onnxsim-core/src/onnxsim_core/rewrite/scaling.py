"""Constant weights times a factor: whether the product keeps the range of its type, and the product itself.

Products are made in float64 and rounded once. What would leave the range of the weight's type is declined, so that a
scale never turns a finite weight into infinity or a whole weight into zeros. A weight is read block by block, twice: now
for its largest elements, and when it is written.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..ir.dtypes import BFLOAT16, DOUBLE, FLOAT, FLOAT16, numpy_dtype
from ..ir.raw import Buffer, slices, to_raw
from ..ir.tensors import ArrayTensor, Tensor, deferred
from .rule import Skip, skip

if TYPE_CHECKING:
    from ..ir.graph import Node, Value
    from .builder import Builder

Array = Any

BLOCK = 96 << 10
"""Bytes that are read at once: few enough to stay in a cache, and for the allocator to use the same memory again."""
DEFER_FROM = 32 << 10
"""Weights from this size on are computed when they are written."""
RANGES = {
    FLOAT: (2.0**-126, 3.4028234663852886e38),
    DOUBLE: (2.0**-1022, 1.7976931348623157e308),
    FLOAT16: (2.0**-14, 65504.0),
    BFLOAT16: (2.0**-126, 3.3895313892515355e38),
}
"""Smallest normal and largest number of the types weights come in."""


def multiplied(op: Builder, weight: Value, factor: Array) -> Value | Skip:
    """A constant weight times a float64 factor that broadcasts to it."""
    if (factor == 1.0).all():
        return weight
    tensor = weight.tensor
    if tensor is None or not weight.is_constant:
        return skip("the weight is not a constant")
    dtype = tensor.dtype
    if dtype not in RANGES:
        return skip("the weight is not of a float type")
    filled = weight.producer("ConstantOfShape")
    if filled is not None and (factor == factor.flat[0]).all():
        return _filled(op, filled, dtype, factor.flat[0])
    if not op.affordable(tensor.nbytes, weight):
        return skip("the new weight would make the model grow")
    if not keeps_range(tensor, factor):
        return skip("the scaled weight leaves the range of its type")
    return op.constant(scaled(tensor, factor), weight.name)


def _filled(op: Builder, node: Node, dtype: int, factor: float) -> Value | Skip:
    """ConstantOfShape with its number times a factor: a generated weight stays generated."""
    old = node.attribute("value")
    number = np.zeros(1) if old is None else old.numpy().astype(np.float64)
    if not _is_within(np.abs(number * factor).max(), dtype):
        return skip("the scaled weight leaves the range of its type")
    value = ArrayTensor((number * factor).astype(numpy_dtype(dtype)), dtype)
    return op.node("ConstantOfShape", node.inputs, value=value)[0]


def scaled(tensor: Tensor, factor: Array) -> Tensor:
    """The product, computed when it is written if it is large."""
    if tensor.nbytes < DEFER_FROM:
        return ArrayTensor(product(tensor.numpy(), factor), tensor.dtype)

    def whole() -> Array:
        return product(tensor.numpy(), factor)

    def stream(size: int) -> Iterator[Buffer]:
        for start, rows in blocks(tensor):
            yield from slices(to_raw(product(rows, _of_rows(factor, start, rows)), tensor.dtype), size)

    return deferred(tensor.dtype, tensor.dims, whole, (tensor,), stream=stream,
                    recipe=("scaled", id(tensor), factor.shape, factor.tobytes()))


def product(array: Array, factor: Array) -> Array:
    """The product in the type of the array; no float64 array of its size is made."""
    result = np.empty(array.shape, array.dtype)
    with np.errstate(all="ignore"):
        return np.multiply(array, factor, out=result, dtype=np.float64, casting="unsafe")


def keeps_range(tensor: Tensor, factor: Array) -> bool:
    """Are all scaled weights finite, and the largest a normal number (or all 0)?

    Single channels may vanish: training shrinks dead channels to 1e-40, and they matter as little before as after.
    """
    shape = (1,) * (len(tensor.dims) - factor.ndim) + factor.shape
    axes = tuple(axis for axis, size in enumerate(shape) if size == 1)
    tops = [0.0]
    with np.errstate(all="ignore"):
        for start, rows in blocks(tensor):
            peak = _peak(rows, axes).astype(np.float64)
            tops.append(np.abs(peak * _of_rows(factor, start, rows)).max())
    return _is_within(np.max(tops), tensor.dtype)


def _is_within(top: float, dtype: int) -> bool:
    smallest, largest = RANGES[dtype]
    return bool(smallest <= top <= largest or top == 0.0)


def _peak(array: Array, axes: tuple[int, ...]) -> Array:
    """Largest magnitude along the axes, NaN where there is one."""
    if array.dtype == np.float16:
        # Without their sign, half floats are ordered like their bits, and integers are far faster to search.
        bits = (array.view(np.uint16) & 0x7FFF).max(axis=axes, keepdims=True)
        return np.asarray(bits).view(np.float16)
    return np.maximum(array.max(axis=axes, keepdims=True), -array.min(axis=axes, keepdims=True))


def _of_rows(factor: Array, start: int, rows: Array) -> Array:
    """The part of a factor that belongs to rows of the weight."""
    if factor.ndim < rows.ndim or not factor.ndim or factor.shape[0] == 1:
        return factor
    return factor[start:start + rows.shape[0]]


def blocks(tensor: Tensor) -> Iterator[tuple[int, Array]]:
    """The rows of a tensor, some at a time, with the number of the first; each block may take the place of the last."""
    if not tensor.size:
        return
    span = tensor.span()
    if span is None or tensor.nbytes <= BLOCK:
        yield 0, tensor.numpy()
        return
    file, offset, length = span
    count = tensor.dims[0]
    size = length // count
    step = max(1, BLOCK // size)
    memory: Any = np.empty(min(step, count) * size, np.uint8)
    buffer = memoryview(memory)
    kind = numpy_dtype(tensor.dtype).newbyteorder("<")
    for start in range(0, count, step):
        held = min(step, count - start)
        file.read_into(offset + start * size, buffer[:held * size])
        rows = np.frombuffer(buffer, kind, held * size // kind.itemsize)
        yield start, rows.reshape(held, *tensor.dims[1:])
