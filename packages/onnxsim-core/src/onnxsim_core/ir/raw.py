"""Raw tensor bytes to arrays and back: little-endian, C order, 2, 4 and 6 bit elements packed.

Source: onnx.proto, TensorProto.raw_data and int32_data.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ..errors import ModelError
from . import dtypes

Array = npt.NDArray[Any]
Buffer = bytes | memoryview

CHUNK = 1 << 20

_SWAP = sys.byteorder == "big"
_INT32_FIELD = frozenset(dtypes.BITS) - {
    dtypes.FLOAT,
    dtypes.DOUBLE,
    dtypes.INT64,
    dtypes.UINT32,
    dtypes.UINT64,
    dtypes.COMPLEX64,
    dtypes.COMPLEX128,
}
_FIELDS: dict[int, tuple[str, Any]] = {
    dtypes.FLOAT: ("float_data", np.float32),
    dtypes.COMPLEX64: ("float_data", np.float32),
    dtypes.DOUBLE: ("double_data", np.float64),
    dtypes.COMPLEX128: ("double_data", np.float64),
    dtypes.INT64: ("int64_data", np.int64),
    dtypes.UINT32: ("uint64_data", np.uint64),
    dtypes.UINT64: ("uint64_data", np.uint64),
}


def from_raw(data: Buffer, dtype: int, dims: tuple[int, ...]) -> Array:
    """A read-only array over (or, for packed types, unpacked from) raw bytes of exactly the right length."""
    wanted = dtypes.numpy_dtype(dtype)
    if dtypes.is_packed(dtype):
        array = unpack(np.frombuffer(data, np.uint8), dtypes.BITS[dtype], math.prod(dims)).view(wanted)
    else:
        array = np.frombuffer(data, wanted)
        if _SWAP:
            array = array.byteswap()
    return _frozen(shaped(array, dims))


def strings_array(elements: list[bytes], dims: tuple[int, ...]) -> Array:
    """A read-only object array of bytes."""
    if len(elements) != math.prod(dims):
        raise ModelError(f"a tensor STRING{list(dims)} has {len(elements)} elements", code="length")
    array = np.empty(len(elements), object)
    array[:] = elements
    return _frozen(shaped(array, dims))


def shaped(array: Array, dims: tuple[int, ...]) -> Array:
    """The array under other dims; ModelError where numpy cannot hold those."""
    try:
        return array.reshape(dims)
    except ValueError as error:
        # More axes, or larger ones beside a zero, than numpy can hold.
        raise ModelError(f"dims {list(dims)} cannot be had in memory: {error}", code="dims") from None


def owned(array: Array, dtype: int) -> Array:
    """A read-only, contiguous, native array of `dtype`; a copy only where that or the memory kept alive asks for it."""
    wanted = dtypes.numpy_dtype(dtype)
    if dtype == dtypes.STRING:
        texts = array.reshape(-1).tolist()
        return strings_array([t if isinstance(t, bytes) else str(t).encode() for t in texts], array.shape)
    if array.dtype != wanted:
        array = _as_dtype(array, wanted)
    if not array.flags.c_contiguous or _holds_more(array):
        array = array.copy()
    return _frozen(array.view()) if array.flags.writeable else array


def to_raw(array: Array, dtype: int) -> Buffer:
    """Raw bytes of a C-contiguous array, a view where no packing is needed."""
    if dtype not in dtypes.BITS:
        raise ModelError(f"data type {dtypes.name(dtype)} has no raw bytes", code="dtype")
    flat = array.reshape(-1)
    if dtypes.is_packed(dtype):
        return _readonly(pack(flat.view(np.uint8), dtypes.BITS[dtype]))
    if _SWAP:
        flat = flat.byteswap()
    return _readonly(flat.view(np.uint8))


def array_chunks(array: Array, dtype: int, size: int) -> Iterator[Buffer]:
    """Raw bytes of any array, at most `size` at a time; an array with gaps is copied block by block, never whole."""
    bits = dtypes.BITS.get(dtype, 8)
    if array.flags.c_contiguous and bits >= 8:
        yield from slices(to_raw(array, dtype), size)
        return
    # A multiple of eight elements always ends on a whole byte, so blocks can be packed one by one.
    count = max(size * 8 // bits // 8 * 8, 8)
    flat = array.reshape(-1) if array.flags.c_contiguous else None
    for start in range(0, array.size, count):
        block = flat[start : start + count] if flat is not None else array.flat[start : start + count]
        yield from slices(to_raw(block, dtype), size)


def slices(data: Buffer, size: int) -> Iterator[Buffer]:
    """Consecutive pieces of at most `size` bytes; nothing for an empty buffer."""
    if len(data) <= size:
        if len(data):
            yield data
        return
    view = memoryview(data)
    for start in range(0, len(data), size):
        yield view[start : start + size]


def pack(codes: npt.NDArray[np.uint8], bits: int) -> npt.NDArray[np.uint8]:
    """One code per byte -> a bit stream, least significant bits first; the last byte is filled up with zeros."""
    count = codes.size
    group = 4 if bits == 6 else 8 // bits
    codes = codes & np.uint8((1 << bits) - 1)
    if count % group:
        codes = np.concatenate([codes, np.zeros(-count % group, np.uint8)])
    lanes = codes.reshape(-1, group)
    if bits == 6:
        a, b, c, d = lanes.T
        packed = np.stack([a | b << 6, b >> 2 | c << 4, c >> 4 | d << 2], axis=1)
    else:
        packed = lanes[:, 0].copy()
        for lane in range(1, group):
            packed |= lanes[:, lane] << (bits * lane)
    return np.ascontiguousarray(packed).reshape(-1)[: (count * bits + 7) >> 3]


def unpack(data: npt.NDArray[np.uint8], bits: int, count: int) -> npt.NDArray[np.uint8]:
    """A bit stream -> one code per byte, `count` of them; inverse of `pack`."""
    group, width = (4, 3) if bits == 6 else (8 // bits, 1)
    if data.size % width:
        data = np.concatenate([data, np.zeros(-data.size % width, np.uint8)])
    source = data.reshape(-1, width)
    codes = np.empty((source.shape[0], group), np.uint8)
    if bits == 6:
        a, b, c = source.T
        codes[:, 0] = a
        codes[:, 1] = a >> 6 | b << 2
        codes[:, 2] = b >> 4 | c << 4
        codes[:, 3] = c >> 2
    else:
        for lane in range(group):
            codes[:, lane] = source[:, 0] >> (bits * lane)
    codes &= np.uint8((1 << bits) - 1)
    return codes.reshape(-1)[:count]


def typed_bytes(proto: Any, dtype: int) -> Buffer:
    """Raw bytes of a TensorProto whose elements stand in the field of their type.

    int32_data holds the bits of narrow floats, one element each, but whole bytes of packed 2 and 4 bit elements.
    """
    if dtype in _INT32_FIELD:
        values = _column(proto.int32_data, np.int32)
        bits = dtypes.BITS[dtype]
        if bits == 6:
            return to_raw(pack(values.astype(np.uint8), 6), dtypes.UINT8)
        if bits == 32:
            return to_raw(values, dtype)
        code = dtypes.UINT16 if bits == 16 else dtypes.UINT8
        return to_raw(values.astype(dtypes.numpy_dtype(code)), code)
    if dtype not in _FIELDS:
        raise ModelError(f"data type {dtypes.name(dtype)} has no fixed width", code="dtype", where=proto.name or None)
    field, kind = _FIELDS[dtype]
    values = _column(getattr(proto, field), kind)
    if dtype == dtypes.UINT32:
        values = values.astype(np.uint32)
    return to_raw(values, dtypes.from_numpy(values.dtype))


def _column(values: Any, kind: Any) -> Array:
    return np.fromiter(values, kind, len(values))


def _readonly(array: Any) -> memoryview:
    return memoryview(array).toreadonly()


def _frozen(array: Array) -> Array:
    array.flags.writeable = False
    return array


def _as_dtype(array: Array, wanted: np.dtype[Any]) -> Array:
    """The array in native byte order, or bit patterns under the type they stand for."""
    if array.dtype.newbyteorder("=") == wanted:
        return array.astype(wanted)
    if array.dtype.kind == "u" and array.dtype.itemsize == wanted.itemsize:
        return np.ascontiguousarray(array).reshape(array.shape).view(wanted)
    raise ModelError(f"an array of {array.dtype} does not hold {wanted}", code="dtype")


def _holds_more(array: Array) -> bool:
    """True when keeping this view alive would keep a much larger array alive."""
    base = array.base
    return isinstance(base, np.ndarray) and base.nbytes > 2 * array.nbytes + 4096
