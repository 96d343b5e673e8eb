"""ggml's block-quantised types as float32, block by block.

Source: the block structures of ggml (ggml-common.h). Products are taken in float32 in the order in which ggml takes
them, so the numbers are its own, bit for bit. `blocks` is a uint8 array [count, bytes of a block] throughout; what
comes of it is float32 [count, elements of a block].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .layout_gguf import KINDS

Bytes = npt.NDArray[Any]
Floats = npt.NDArray[np.float32]

_AT_ONCE = 1 << 14
_NL4: Final = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.float32)
_E2M1: Final = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.float32)
"""Twice the values of FLOAT4E2M1, as ggml has them; the block scale is halved."""


def dequantize(kind: str, data: Any) -> Floats:
    """All elements of a tensor whose bytes are given; `kind` is one of `DEQUANTIZED`."""
    blocks = np.frombuffer(data, np.uint8).reshape(-1, KINDS[kind].nbytes)
    result = np.empty((len(blocks), KINDS[kind].elements), np.float32)
    for start in range(0, len(blocks), _AT_ONCE):
        # A scale that is no number makes numbers that are none, silently.
        with np.errstate(all="ignore"):
            result[start : start + _AT_ONCE] = DEQUANTIZED[kind](blocks[start : start + _AT_ONCE])
    return result.reshape(-1)


def _half(blocks: Bytes, at: int) -> Floats:
    """The float16 at a byte of each block, as a column."""
    return blocks[:, at : at + 2].copy().view("<f2").astype(np.float32)


def _nibbles(packed: Bytes) -> Bytes:
    """Low nibbles of all bytes, then high ones."""
    return np.concatenate([packed & 15, packed >> 4], axis=1)


def _fields(packed: Bytes, run: int) -> Bytes:
    """2-bit fields: of `run` bytes the lowest, the next ... the highest, then of the next `run` bytes."""
    shifts = np.array([0, 2, 4, 6], np.uint8).reshape(1, 1, 4, 1)
    return (packed.reshape(len(packed), -1, 1, run) >> shifts & 3).reshape(len(packed), -1)


def _scaled(scales: Floats, values: npt.NDArray[Any]) -> Floats:
    """Each scale times the run of values it belongs to."""
    count, runs = scales.shape
    product: Floats = scales[:, :, None] * values.reshape(count, runs, -1).astype(np.float32)
    return product


def _q4_0(blocks: Bytes) -> Floats:
    return _half(blocks, 0) * (_nibbles(blocks[:, 2:]).astype(np.float32) - 8)


def _q4_1(blocks: Bytes) -> Floats:
    return _half(blocks, 0) * _nibbles(blocks[:, 4:]).astype(np.float32) + _half(blocks, 2)


def _fives(blocks: Bytes, at: int) -> Floats:
    """32 five-bit numbers: a bit of each, then four."""
    fifth = np.unpackbits(blocks[:, at : at + 4], axis=1, bitorder="little")
    values: Floats = (_nibbles(blocks[:, at + 4 :]) | fifth << 4).astype(np.float32)
    return values


def _q5_0(blocks: Bytes) -> Floats:
    return _half(blocks, 0) * (_fives(blocks, 2) - 16)


def _q5_1(blocks: Bytes) -> Floats:
    return _half(blocks, 0) * _fives(blocks, 4) + _half(blocks, 2)


def _q8_0(blocks: Bytes) -> Floats:
    return _half(blocks, 0) * blocks[:, 2:].view(np.int8).astype(np.float32)


def _q2_k(blocks: Bytes) -> Floats:
    scales = _half(blocks, 80) * (blocks[:, :16] & 15).astype(np.float32)
    minima = _half(blocks, 82) * (blocks[:, :16] >> 4).astype(np.float32)
    return (_scaled(scales, _fields(blocks[:, 16:80], 32)) - minima[:, :, None]).reshape(-1, 256)


def _q3_k(blocks: Bytes) -> Floats:
    low = _nibbles(blocks[:, 96:104])
    high = _fields(blocks[:, 104:108], 4)
    scales = _half(blocks, 108) * ((low | high << 4).astype(np.float32) - 32)
    third = np.unpackbits(blocks[:, :32, None], axis=2, bitorder="little").transpose(0, 2, 1).reshape(-1, 256)
    values = (_fields(blocks[:, 32:96], 32) | third << 2).astype(np.float32) - 4
    return _scaled(scales, values).reshape(-1, 256)


def _sixes(packed: Bytes) -> tuple[Floats, Floats]:
    """Eight scales and eight minima of six bits each from twelve bytes."""
    first, second, rest = packed[:, :4], packed[:, 4:8], packed[:, 8:]
    scales = np.concatenate([first & 63, rest & 15 | first >> 6 << 4], axis=1)
    minima = np.concatenate([second & 63, rest >> 4 | second >> 6 << 4], axis=1)
    return scales.astype(np.float32), minima.astype(np.float32)


def _runs_of_nibbles(packed: Bytes) -> Bytes:
    """Of each 32 bytes the low nibbles, then the high ones."""
    runs = packed.reshape(len(packed), -1, 1, 32)
    return np.concatenate([runs & 15, runs >> 4], axis=2).reshape(len(packed), -1)


def _q4_k(blocks: Bytes) -> Floats:
    return _with_minima(blocks, _runs_of_nibbles(blocks[:, 16:]))


def _q5_k(blocks: Bytes) -> Floats:
    fifth = np.unpackbits(blocks[:, 16:48, None], axis=2, bitorder="little").transpose(0, 2, 1).reshape(-1, 256)
    return _with_minima(blocks, _runs_of_nibbles(blocks[:, 48:]) | fifth << 4)


def _with_minima(blocks: Bytes, values: Bytes) -> Floats:
    scales, minima = _sixes(blocks[:, 4:16])
    scales, minima = _half(blocks, 0) * scales, _half(blocks, 2) * minima
    return (_scaled(scales, values) - minima[:, :, None]).reshape(-1, 256)


def _q6_k(blocks: Bytes) -> Floats:
    count = len(blocks)
    packed = blocks[:, :128].reshape(count, 2, 64)
    low = np.concatenate([packed & 15, packed >> 4], axis=2).reshape(count, 256)
    values = (low | _fields(blocks[:, 128:192], 32) << 4).astype(np.float32) - 32
    scales = _half(blocks, 208) * blocks[:, 192:208].view(np.int8).astype(np.float32)
    return _scaled(scales, values).reshape(count, 256)


def _iq4_nl(blocks: Bytes) -> Floats:
    return _half(blocks, 0) * _NL4[_nibbles(blocks[:, 2:])]


def _iq4_xs(blocks: Bytes) -> Floats:
    count = len(blocks)
    high = _fields(blocks[:, 2:4], 1)
    low = np.stack([blocks[:, 4:8] & 15, blocks[:, 4:8] >> 4], axis=2).reshape(count, 8)
    scales = _half(blocks, 0) * ((low | high << 4).astype(np.float32) - 32)
    values = _NL4[_nibbles(blocks[:, 8:].reshape(-1, 16))]
    return _scaled(scales, values).reshape(count, 256)


def _mxfp4(blocks: Bytes) -> Floats:
    scales = np.ldexp(np.float32(1), blocks[:, :1].astype(np.int32) - 128)
    return scales * _E2M1[_nibbles(blocks[:, 1:])]


def _tq2_0(blocks: Bytes) -> Floats:
    return _half(blocks, 64) * (_fields(blocks[:, :64], 32).astype(np.float32) - 1)


def _tq1_0(blocks: Bytes) -> Floats:
    """Five base-3 digits to a byte, the first the most significant; four to each of the last four bytes."""
    parts = []
    for start, end, digits in ((0, 32, 5), (32, 48, 5), (48, 52, 4)):
        powers = np.array([1, 3, 9, 27, 81][:digits], np.uint8).reshape(1, digits, 1)
        digit = (blocks[:, None, start:end] * powers).astype(np.uint16) * 3 >> 8
        parts.append(digit.reshape(len(blocks), -1))
    return _half(blocks, 52) * (np.concatenate(parts, axis=1).astype(np.float32) - 1)


DEQUANTIZED: Final[dict[str, Callable[[Bytes], Floats]]] = {
    "Q4_0": _q4_0, "Q4_1": _q4_1, "Q5_0": _q5_0, "Q5_1": _q5_1, "Q8_0": _q8_0, "Q2_K": _q2_k, "Q3_K": _q3_k,
    "Q4_K": _q4_k, "Q5_K": _q5_k, "Q6_K": _q6_k, "IQ4_NL": _iq4_nl, "IQ4_XS": _iq4_xs, "MXFP4": _mxfp4, "TQ1_0": _tq1_0,
    "TQ2_0": _tq2_0,
}
"""How each type that can be read becomes float32. Code-book types (IQ1 to IQ3) and activation types are not here."""
