"""Tensors by where their bytes are: in a file, in an array, in a TensorProto, or not computed yet.

Nothing here keeps a large array alive behind the caller's back: `numpy()` of a file span reads (or maps) it anew, and
`chunks()` streams. Raw bytes are what ONNX calls raw_data: C order, little-endian, narrow elements packed.
"""

from __future__ import annotations

import hashlib
import math
import struct
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np

from ..errors import ModelError
from . import dtypes
from .files import File
from .raw import CHUNK, Array, Buffer, array_chunks, from_raw, owned, shaped, slices, strings_array, to_raw, typed_bytes
from .same import SAMPLE, blocks, same_bytes

__all__ = [
    "ArrayTensor",
    "BufferTensor",
    "DeferredTensor",
    "MissingTensor",
    "ProtoTensor",
    "SpanTensor",
    "Tensor",
    "from_array",
    "ints",
    "same_bytes",
    "tensor_from_proto",
    "to_proto_header",
]

Stream = Callable[[int], Iterator[Buffer]]  # raw bytes in order, at most so many at a time
_INT_FORMATS = {dtypes.INT64: "q", dtypes.INT32: "i"}


class Tensor:
    """An immutable tensor: data type (TensorProto number), dims, and a way to its bytes."""

    __slots__ = ("dtype", "dims", "__weakref__")

    dtype: int
    dims: tuple[int, ...]

    def __init__(self, dtype: int, dims: tuple[int, ...]) -> None:
        self.dtype = dtype
        self.dims = dims

    def __repr__(self) -> str:
        return f"{type(self).__name__}({dtypes.name(self.dtype)}, {list(self.dims)})"

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.dims)

    @property
    def nbytes(self) -> int:
        """Bytes of raw data; for STRING the bytes of all elements together."""
        if self.dtype == dtypes.STRING:
            return sum(map(len, self.strings()))
        return dtypes.nbytes(self.dtype, math.prod(self.dims))

    def numpy(self) -> Array:
        """A read-only, C-contiguous array of this shape; object array of bytes for STRING."""
        return from_raw(self.tobytes(), self.dtype, self.dims)

    def tobytes(self) -> Buffer:
        """All raw bytes at once."""
        raise ModelError(f"{self!r} has no bytes", code="tensor")

    def chunks(self, size: int = CHUNK) -> Iterator[Buffer]:
        """The raw bytes in order, at most `size` at a time."""
        return slices(self.tobytes(), size)

    def strings(self) -> tuple[bytes, ...]:
        """Elements of a STRING tensor in C order."""
        if self.dtype != dtypes.STRING:
            raise ModelError(f"{self!r} holds no strings", code="tensor")
        return tuple(self.numpy().reshape(-1).tolist())

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        """The same elements under other dims of the same size; no byte is copied."""
        raise ModelError(f"{self!r} cannot be reshaped", code="tensor")

    def span(self) -> tuple[File, int, int] | None:
        """File, offset and length when the raw bytes lie in a file as they are."""
        return None

    def digest(self) -> bytes:
        """A 16-byte hash of the bytes alone; dtype and dims are not part of it. Reads everything once."""
        state = hashlib.blake2b(digest_size=16)
        for chunk in _content(self):
            state.update(chunk)
        return state.digest()

    def sample(self) -> bytes:
        """Bytes that equal tensors have in common, cheap to get: a few blocks of the content, all of it when small."""
        if self.dtype == dtypes.STRING or self.nbytes <= 3 * SAMPLE:
            return b"".join(_content(self))
        return b"".join(blocks(self))


class ArrayTensor(Tensor):
    """An array in memory: a read-only view, or a copy of what is not contiguous or a small part of something larger.

    `dtype` may give the meaning of an array of bit patterns (uint16 for BFLOAT16, uint8 for narrower ones). The caller
    must not change the array afterwards.
    """

    __slots__ = ("_array",)

    def __init__(self, array: Array, dtype: int | None = None) -> None:
        array = np.asarray(array)
        if dtype is None:
            dtype = dtypes.from_numpy(array.dtype)
        array = owned(array, dtype)
        super().__init__(dtype, array.shape)
        self._array = array

    def numpy(self) -> Array:
        return self._array

    def tobytes(self) -> Buffer:
        return to_raw(self._array, self.dtype)

    def chunks(self, size: int = CHUNK) -> Iterator[Buffer]:
        return array_chunks(self._array, self.dtype, size)

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        _check_reshape(self, dims)
        return ArrayTensor(shaped(self._array, dims), self.dtype)


class BufferTensor(Tensor):
    """Raw bytes in memory, such as a slice of a serialized model."""

    __slots__ = ("_buffer",)

    def __init__(self, dtype: int, dims: tuple[int, ...], buffer: Buffer) -> None:
        _check_dims(dtype, dims)
        if len(buffer) != dtypes.nbytes(dtype, math.prod(dims)):
            raise _wrong_length(dtype, dims, len(buffer))
        super().__init__(dtype, dims)
        self._buffer = buffer

    def tobytes(self) -> Buffer:
        return self._buffer

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        _check_reshape(self, dims)
        return BufferTensor(self.dtype, dims, self._buffer)


class SpanTensor(Tensor):
    """Bytes of a file: of the .onnx file itself or of external data.

    Raises:
        ModelError: a dim is negative, `length` (if given) is not what dtype and dims take, or the span leaves the file.
    """

    __slots__ = ("file", "offset")

    def __init__(self, dtype: int, dims: tuple[int, ...], file: File, offset: int = 0,
                 length: int | None = None) -> None:
        _check_dims(dtype, dims)
        wanted = dtypes.nbytes(dtype, math.prod(dims))
        if length is not None and length != wanted:
            raise _wrong_length(dtype, dims, length, where=file.path, offset=offset)
        if offset < 0 or offset + wanted > file.size:
            raise ModelError(
                f"a tensor of {wanted} bytes does not lie within the {file.size} bytes of the file",
                code="external-range",
                where=file.path,
                offset=offset,
            )
        super().__init__(dtype, dims)
        self.file = file
        self.offset = offset

    def tobytes(self) -> Buffer:
        return self.file.view(self.offset, self.nbytes)

    def chunks(self, size: int = CHUNK) -> Iterator[Buffer]:
        end = self.offset + self.nbytes
        for start in range(self.offset, end, size):
            yield self.file.pread(start, min(size, end - start))

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        _check_reshape(self, dims)
        return SpanTensor(self.dtype, dims, self.file, self.offset)

    def span(self) -> tuple[File, int, int] | None:
        return self.file, self.offset, self.nbytes


class ProtoTensor(Tensor):
    """A TensorProto held in memory, raw or in typed fields; `proto` is never changed, nor its dims when reshaped."""

    __slots__ = ("proto",)

    def __init__(self, proto: Any, dims: tuple[int, ...] | None = None) -> None:
        self.dtype = proto.data_type
        self.dims = dims = tuple(proto.dims) if dims is None else dims
        self.proto = proto
        for dim in dims:
            if dim < 0:
                _check_dims(self.dtype, dims)

    def numpy(self) -> Array:
        if self.dtype == dtypes.STRING:
            return strings_array(list(self.proto.string_data), self.dims)
        return from_raw(self.tobytes(), self.dtype, self.dims)

    def tobytes(self) -> Buffer:
        proto = self.proto
        dtype = self.dtype
        wanted = dtypes.nbytes(dtype, math.prod(self.dims))
        data: Buffer = proto.raw_data if proto.HasField("raw_data") else typed_bytes(proto, dtype)
        if len(data) != wanted:
            raise _wrong_length(dtype, self.dims, len(data), where=proto.name or None)
        if proto.HasField("segment"):
            raise ModelError("a tensor in segments is not supported", code="tensor", where=proto.name or None)
        return data

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        _check_reshape(self, dims)
        return ProtoTensor(self.proto, dims)


class DeferredTensor(Tensor):
    """The result of a large fold, computed each time it is read and forgotten when nobody holds the array.

    `inputs` are the tensors that `compute` reads; `steps` says how many results are computed one from another before
    this one is there, and `effort` how many bytes are made on the way. `stream`, if given, gives the raw bytes piece by
    piece. Results of equal `recipe` are equal.
    """

    __slots__ = ("compute", "steps", "effort", "recipe", "_inputs", "_stream", "_last")

    def __init__(self, dtype: int, dims: tuple[int, ...], compute: Callable[[], Array],
                 inputs: Iterable[Tensor | None] = (), stream: Stream | None = None, recipe: Any = None) -> None:
        _check_dims(dtype, dims)
        super().__init__(dtype, dims)
        self.compute = compute
        self._inputs = tuple(inputs)  # a recipe may name them by their ids
        self._stream = stream
        self.recipe = recipe
        before = [tensor for tensor in self._inputs if type(tensor) is DeferredTensor]
        self.steps: int = 1 + max((tensor.steps for tensor in before), default=0)
        self.effort: int = self.nbytes + sum(tensor.effort for tensor in before)
        self._last: weakref.ref[Array] | None = None

    def _computed(self) -> Array:
        array = self._last() if self._last is not None else None
        if array is None:
            array = np.asarray(self.compute()).view()
            if array.shape != self.dims or array.dtype != dtypes.numpy_dtype(self.dtype):
                raise ModelError(
                    f"a deferred result is {array.dtype}{list(array.shape)}, not {self!r} as announced", code="tensor"
                )
            array.flags.writeable = False
            self._last = weakref.ref(array)
        return array

    def numpy(self) -> Array:
        array = self._computed()
        if not array.flags.c_contiguous:
            array = np.ascontiguousarray(array)
            array.flags.writeable = False
        return array

    def tobytes(self) -> Buffer:
        return to_raw(self.numpy(), self.dtype)

    def chunks(self, size: int = CHUNK) -> Iterator[Buffer]:
        if self._stream is not None and (self._last is None or self._last() is None):
            return self._stream(size)
        return array_chunks(self._computed(), self.dtype, size)

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        _check_reshape(self, dims)
        return DeferredTensor(self.dtype, dims, lambda: self.numpy().reshape(dims), (self,))


MOST_STEPS = 40
"""Results that wait for each other are computed one inside another, which Python does not do for ever."""


def deferred(dtype: int, dims: tuple[int, ...], compute: Callable[[], Array], inputs: Iterable[Tensor | None] = (),
             stream: Stream | None = None, recipe: Any = None) -> Tensor:
    """A tensor that is computed when it is read; at once when too many others would have to be computed before."""
    tensor = DeferredTensor(dtype, dims, compute, inputs, stream, recipe)
    return tensor if tensor.steps <= MOST_STEPS else ArrayTensor(tensor.numpy(), dtype)


class MissingTensor(Tensor):
    """A tensor whose bytes cannot be had, in a model that was read leniently; reading it raises `ModelError`."""

    __slots__ = ("reason",)

    def __init__(self, dtype: int, dims: tuple[int, ...], reason: str) -> None:
        _check_dims(dtype, dims)
        super().__init__(dtype, dims)
        self.reason = reason

    def numpy(self) -> Array:
        raise ModelError(self.reason, code="external-missing")

    def tobytes(self) -> Buffer:
        raise ModelError(self.reason, code="external-missing")

    def reshaped(self, dims: tuple[int, ...]) -> Tensor:
        _check_reshape(self, dims)
        return MissingTensor(self.dtype, dims, self.reason)


def ints(tensor: Tensor) -> tuple[int, ...]:
    """Elements of an integer or bool tensor as Python ints, in C order; quick for small INT64 and INT32 tensors.

    Raises:
        ModelError: the tensor is of another type, or cannot be read.
    """
    code = _INT_FORMATS.get(tensor.dtype)
    if code is not None:
        if type(tensor) is ProtoTensor and not tensor.proto.HasField("raw_data"):
            values = tuple(tensor.proto.int64_data if code == "q" else tensor.proto.int32_data)
            if len(values) == tensor.size:
                return values
        data = tensor.tobytes()
        return struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data)
    if tensor.dtype != dtypes.BOOL and not dtypes.is_int(tensor.dtype):
        raise ModelError(f"{tensor!r} does not hold integers", code="tensor")
    return tuple(int(value) for value in tensor.numpy().reshape(-1).tolist())


def tensor_from_proto(proto: Any, resolve: Callable[[Any], Tensor] | None = None) -> Tensor:
    """The tensor of a TensorProto; `resolve` finds the one whose data_location is EXTERNAL.

    Raises:
        ModelError: a dim is negative, or `resolve` fails.
    """
    if proto.data_location != 1:
        return ProtoTensor(proto)
    if resolve is not None:
        return resolve(proto)
    return MissingTensor(
        proto.data_type, tuple(proto.dims), f"the external data of tensor {proto.name!r} was not resolved"
    )


def from_array(array: Array) -> ArrayTensor:
    """A tensor of the ONNX type an array's dtype stands for."""
    return ArrayTensor(array)


def to_proto_header(tensor: Tensor, name: str) -> Any:
    """A TensorProto of this name, dims and type that only lacks raw_data; strings have no raw form and are put in."""
    from onnx import TensorProto

    proto = TensorProto(name=name, data_type=tensor.dtype, dims=tensor.dims)
    if tensor.dtype == dtypes.STRING:
        proto.string_data.extend(tensor.strings())
    return proto


def _content(tensor: Tensor) -> Iterator[Buffer]:
    """What identifies the content: the raw bytes, or each string after its length."""
    if tensor.dtype != dtypes.STRING:
        return tensor.chunks()
    return (struct.pack("<Q", len(text)) + text for text in tensor.strings())


def _check_dims(dtype: int, dims: tuple[int, ...]) -> None:
    if any(dim < 0 for dim in dims):
        raise ModelError(f"a tensor of {dtypes.name(dtype)} has the negative dims {list(dims)}", code="dims")


def _check_reshape(tensor: Tensor, dims: tuple[int, ...]) -> None:
    _check_dims(tensor.dtype, dims)
    if math.prod(dims) != tensor.size:
        raise ModelError(f"{tensor!r} cannot be reshaped to {list(dims)}", code="dims")


def _wrong_length(
    dtype: int, dims: tuple[int, ...], length: int, *, where: str | None = None, offset: int | None = None
) -> ModelError:
    wanted = dtypes.nbytes(dtype, math.prod(dims))
    return ModelError(
        f"a tensor {dtypes.name(dtype)}{list(dims)} takes {wanted} bytes but has {length}",
        code="length",
        where=where,
        offset=offset,
    )
