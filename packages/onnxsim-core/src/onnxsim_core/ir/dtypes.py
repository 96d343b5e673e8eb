"""ONNX element types: their numbers, names, widths and numpy counterparts.

The numbers are those of `onnx.TensorProto.DataType`, written out so that importing this module needs neither onnx nor
ml_dtypes; a test compares them with onnx.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ..errors import ModelError

UNDEFINED: Final = 0
FLOAT: Final = 1
UINT8: Final = 2
INT8: Final = 3
UINT16: Final = 4
INT16: Final = 5
INT32: Final = 6
INT64: Final = 7
STRING: Final = 8
BOOL: Final = 9
FLOAT16: Final = 10
DOUBLE: Final = 11
UINT32: Final = 12
UINT64: Final = 13
COMPLEX64: Final = 14
COMPLEX128: Final = 15
BFLOAT16: Final = 16
FLOAT8E4M3FN: Final = 17
FLOAT8E4M3FNUZ: Final = 18
FLOAT8E5M2: Final = 19
FLOAT8E5M2FNUZ: Final = 20
UINT4: Final = 21
INT4: Final = 22
FLOAT4E2M1: Final = 23
FLOAT8E8M0: Final = 24
UINT2: Final = 25
INT2: Final = 26
FLOAT6E2M3: Final = 27
FLOAT6E3M2: Final = 28

NAMES: Final[dict[int, str]] = {
    value: name for name, value in list(globals().items()) if name.isupper() and isinstance(value, int)
}
"""Every data type by number, `UNDEFINED` included, as onnx spells it."""

BITS: Final[dict[int, int]] = {
    FLOAT: 32,
    UINT8: 8,
    INT8: 8,
    UINT16: 16,
    INT16: 16,
    INT32: 32,
    INT64: 64,
    BOOL: 8,
    FLOAT16: 16,
    DOUBLE: 64,
    UINT32: 32,
    UINT64: 64,
    COMPLEX64: 64,
    COMPLEX128: 128,
    BFLOAT16: 16,
    FLOAT8E4M3FN: 8,
    FLOAT8E4M3FNUZ: 8,
    FLOAT8E5M2: 8,
    FLOAT8E5M2FNUZ: 8,
    UINT4: 4,
    INT4: 4,
    FLOAT4E2M1: 4,
    FLOAT8E8M0: 8,
    UINT2: 2,
    INT2: 2,
    FLOAT6E2M3: 6,
    FLOAT6E3M2: 6,
}
"""Bits an element takes in raw data; STRING and UNDEFINED have no fixed width and are absent."""

_NUMPY: Final[dict[int, np.dtype[Any]]] = {
    FLOAT: np.dtype("float32"),
    UINT8: np.dtype("uint8"),
    INT8: np.dtype("int8"),
    UINT16: np.dtype("uint16"),
    INT16: np.dtype("int16"),
    INT32: np.dtype("int32"),
    INT64: np.dtype("int64"),
    STRING: np.dtype("object"),
    BOOL: np.dtype("bool"),
    FLOAT16: np.dtype("float16"),
    DOUBLE: np.dtype("float64"),
    UINT32: np.dtype("uint32"),
    UINT64: np.dtype("uint64"),
    COMPLEX64: np.dtype("complex64"),
    COMPLEX128: np.dtype("complex128"),
}

_ML_DTYPES: Final[dict[int, str]] = {
    BFLOAT16: "bfloat16",
    FLOAT8E4M3FN: "float8_e4m3fn",
    FLOAT8E4M3FNUZ: "float8_e4m3fnuz",
    FLOAT8E5M2: "float8_e5m2",
    FLOAT8E5M2FNUZ: "float8_e5m2fnuz",
    UINT4: "uint4",
    INT4: "int4",
    FLOAT4E2M1: "float4_e2m1fn",
    FLOAT8E8M0: "float8_e8m0fnu",
    UINT2: "uint2",
    INT2: "int2",
    FLOAT6E2M3: "float6_e2m3fn",
    FLOAT6E3M2: "float6_e3m2fn",
}

_BY_NUMPY: Final[dict[Any, int]] = {value: key for key, value in _NUMPY.items()}
_BY_ML_NAME: Final[dict[str, int]] = {value: key for key, value in _ML_DTYPES.items()}

_SIGNED_INTS: Final = frozenset({INT2, INT4, INT8, INT16, INT32, INT64})
_UNSIGNED_INTS: Final = frozenset({UINT2, UINT4, UINT8, UINT16, UINT32, UINT64})
_FLOATS: Final = frozenset(
    {FLOAT, FLOAT16, DOUBLE, BFLOAT16, FLOAT8E4M3FN, FLOAT8E4M3FNUZ, FLOAT8E5M2, FLOAT8E5M2FNUZ, FLOAT8E8M0}
    | {FLOAT4E2M1, FLOAT6E2M3, FLOAT6E3M2}
)
_INTS: Final = _SIGNED_INTS | _UNSIGNED_INTS
_COMPLEX: Final = frozenset({COMPLEX64, COMPLEX128})
_SIGNED: Final = _SIGNED_INTS | _COMPLEX | (_FLOATS - {FLOAT8E8M0})
_PACKED: Final = frozenset(key for key, bits in BITS.items() if bits < 8)


def name(dtype: int) -> str:
    """The onnx name of a data type, `INT64`; an unknown number is shown as such."""
    return NAMES.get(dtype) or f"DataType({dtype})"


def is_float(dtype: int) -> bool:
    """True for real floating point of any width, bfloat16 and the 4, 6 and 8 bit formats included."""
    return dtype in _FLOATS


def is_int(dtype: int) -> bool:
    """True for signed and unsigned integers of any width; BOOL is not one."""
    return dtype in _INTS


def is_complex(dtype: int) -> bool:
    """True for COMPLEX64 and COMPLEX128."""
    return dtype in _COMPLEX


def is_signed(dtype: int) -> bool:
    """True when the type can hold a negative number (FLOAT8E8M0 cannot)."""
    return dtype in _SIGNED


def is_packed(dtype: int) -> bool:
    """True when several elements share a byte of raw data."""
    return dtype in _PACKED


def nbytes(dtype: int, numel: int) -> int:
    """Bytes of raw data that `numel` elements take, rounded up to a whole byte.

    Raises:
        ModelError: the type is unknown or, like STRING, has no fixed width.
    """
    bits = BITS.get(dtype)
    if bits is None:
        raise ModelError(f"data type {name(dtype)} has no fixed width", code="dtype")
    return (bits * numel + 7) >> 3


def numpy_dtype(dtype: int) -> np.dtype[Any]:
    """The numpy dtype one element is held in: ml_dtypes for what numpy lacks, object (of bytes) for STRING.

    Raises:
        ModelError: the type is UNDEFINED or unknown, or the installed ml_dtypes is too old to have it.
    """
    found = _NUMPY.get(dtype)
    if found is None:
        found = _NUMPY[dtype] = _load_ml_dtype(dtype)
    return found


def _load_ml_dtype(dtype: int) -> np.dtype[Any]:
    spelling = _ML_DTYPES.get(dtype)
    if spelling is None:
        raise ModelError(f"data type {name(dtype)} has no numpy counterpart", code="dtype")
    import ml_dtypes

    scalar = getattr(ml_dtypes, spelling, None)
    if scalar is None:
        raise ModelError(
            f"data type {name(dtype)} needs ml_dtypes.{spelling}", code="dtype", hint="upgrade the ml_dtypes package"
        )
    made: np.dtype[Any] = np.dtype(scalar)
    return made


def from_numpy(dtype: Any) -> int:
    """The ONNX data type of a numpy dtype; text and object arrays are STRING, byte order is ignored.

    Raises:
        ModelError: ONNX has no such type (datetime, structured, longdouble ...).
    """
    wanted = np.dtype(dtype)
    found = _BY_NUMPY.get(wanted)
    if found is None:
        found = _BY_ML_NAME.get(wanted.name)
    if found is None and wanted.kind in "SUOT":
        return STRING
    if found is None:
        found = _BY_NUMPY.get(wanted.newbyteorder("="))
    if found is None:
        raise ModelError(f"numpy dtype {wanted} has no ONNX data type", code="dtype")
    return found
