"""The two containers: which element types each has of its own, and what names and shapes it can hold.

An ONNX type that a container lacks is stored as its raw bytes, never converted: the embedded graph states the true
type, and so does a note in the container's metadata. Only types that every release of a container's readers knows count
as its own, because one unknown type makes a whole file unreadable to an older reader.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from onnxsim_core.ir import dtypes

GRAPH_NAME: Final = "model.onnx"
"""The entry that holds the embedded graph."""
NOTES_KEY: Final = "onnxsim.archive"
"""The metadata key of what the container itself cannot say about its entries."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One named range of bytes; `kind` is the container's name for the element type.

    `offset` counts from the file's start. `shape` is in C order, slowest axis first, whatever order the container has.
    """

    name: str
    kind: str
    shape: tuple[int, ...]
    nbytes: int
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Format:
    """What one container can hold. `byte` is the kind that stands for raw bytes."""

    name: str
    suffix: str
    kinds: Mapping[int, str]
    byte: str
    name_bytes: int | None = None
    reserved: frozenset[str] = frozenset({GRAPH_NAME})
    max_rank: int | None = None

    def stored(self, dtype: int, dims: tuple[int, ...]) -> tuple[str, tuple[int, ...]]:
        """Kind and shape under which a tensor is stored; raw bytes get an axis of their own, packed ones only that."""
        kind, shape = self.kinds.get(dtype), dims
        if kind is None:
            kind = self.byte
            bits = dtypes.BITS[dtype]
            if bits < 8:
                shape = (dtypes.nbytes(dtype, math.prod(dims)),)
            elif bits > 8:
                shape = (*dims, bits // 8)
        return kind, self._shape(shape)

    def _shape(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Leading axes merged where the container has too few; readers divide by sizes of empty tensors, so [0]."""
        empty = 0 in shape
        if empty and (self.max_rank is not None or math.prod(filter(None, shape)) >> 62):
            return (0,)
        if self.max_rank is not None and len(shape) > self.max_rank:
            keep = self.max_rank - 1
            return (math.prod(shape[:-keep]), *shape[-keep:])
        return shape

    def accepts(self, name: str) -> bool:
        """Can an entry have this name?"""
        if not name or "\0" in name or name in self.reserved:
            return False
        try:
            encoded = name.encode()
        except UnicodeEncodeError:
            return False
        return self.name_bytes is None or len(encoded) <= self.name_bytes


SAFETENSORS: Final = Format(
    name="safetensors",
    suffix=".safetensors",
    kinds={
        dtypes.BOOL: "BOOL", dtypes.UINT8: "U8", dtypes.INT8: "I8", dtypes.FLOAT8E5M2: "F8_E5M2",
        dtypes.FLOAT8E4M3FN: "F8_E4M3", dtypes.INT16: "I16", dtypes.UINT16: "U16", dtypes.FLOAT16: "F16",
        dtypes.BFLOAT16: "BF16", dtypes.INT32: "I32", dtypes.UINT32: "U32", dtypes.FLOAT: "F32", dtypes.DOUBLE: "F64",
        dtypes.INT64: "I64", dtypes.UINT64: "U64",
    },
    byte="U8",
    reserved=frozenset({GRAPH_NAME, "__metadata__"}),
)
GGUF: Final = Format(
    name="gguf",
    suffix=".gguf",
    kinds={
        dtypes.FLOAT: "F32", dtypes.FLOAT16: "F16", dtypes.BFLOAT16: "BF16", dtypes.DOUBLE: "F64", dtypes.INT8: "I8",
        dtypes.INT16: "I16", dtypes.INT32: "I32", dtypes.INT64: "I64",
    },
    byte="I8",
    name_bytes=63,  # ggml keeps names in 64 bytes, the last of them zero
    max_rank=4,
)
FORMATS: Final = (SAFETENSORS, GGUF)


def format_of(path: str) -> Format | None:
    """The container that a file's name promises."""
    return next((one for one in FORMATS if path.lower().endswith(one.suffix)), None)
