"""Seeded inputs for a model: consistent sizes for symbolic dimensions, indices within range, plausible masks."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import OptionError
from ..ir import dtypes
from ..ir.dims import Size, evaluate, symbols
from ..ir.graph import Model, Value
from .index_range import index_limits

FILLS = ("random", "ones", "zeros", "arange")
GUESSES: tuple[tuple[int, ...], ...] = (
    (2, 3, 4, 5), (1,), (2,), (8,), (16,), (1, 64, 64), (32,), (64,), (224,), (640,))
"""Sizes tried for symbolic dimensions, in turn, until the original model runs."""
_INTEGER_LIMIT = 5
_SUM = re.compile(r"^\s*[A-Za-z_]\w*(\s*[+*-]\s*([A-Za-z_]\w*|\d+))+\s*$")


def check_fill(fill: str) -> None:
    """Check how inputs are to be filled.

    Raises:
        OptionError: there is no such way.
    """
    if fill not in FILLS:
        raise OptionError(f"input_fill is one of {', '.join(FILLS)}, not {fill!r}")


def check_arrays(model: Model, data: Mapping[str, Any]) -> None:
    """Check that arrays fit the inputs they are for.

    Raises:
        OptionError: an array has another type, rank or size than its input has in the model.
    """
    for value in model.graph.inputs:
        array = data.get(value.name)
        if not value.dtype or not isinstance(array, np.ndarray):
            continue
        kind = None if value.dtype == dtypes.STRING else np.dtype(dtypes.numpy_dtype(value.dtype))
        if kind is not None and kind.kind in "biufc" and array.dtype != kind:
            raise OptionError(f"input {value.name!r} takes {kind}, the given array holds {array.dtype}")
        shape = value.shape if value.shape is not None else array.shape
        if len(shape) != array.ndim or any(isinstance(size, int) and size != given
                                           for size, given in zip(shape, array.shape, strict=False)):
            raise OptionError(f"input {value.name!r} has shape {shape_text(shape)}, the given array "
                              f"{shape_text(array.shape)}")


def shape_text(shape: Iterable[Size]) -> str:
    """`[n, 3, 224, 224]`."""
    return f"[{', '.join(map(str, shape))}]"


def sizes_to_try(model: Model, shapes: Mapping[str, Sequence[int]]) -> Iterator[dict[str, int]]:
    """Assignments of numbers to the symbols of the inputs: what the caller fixes, then guesses.

    A name that is a sum or product of other names (`past + 1`, as exporters write) gets that value.
    """
    fixed: dict[str, int] = {}
    names: list[str] = []
    for value in model.graph.inputs:
        for axis, size in enumerate(value.shape or ()):
            given = shapes.get(value.name, ())
            if not isinstance(size, int):
                name = str(size)
                if axis < len(given) and given[axis] > 0:
                    fixed[name] = given[axis]
                elif name not in names:
                    names.append(name)
    free = [name for name in names if name not in fixed]
    for guess in GUESSES if free else GUESSES[:1]:
        sizes = dict(fixed)
        plain = [name for name in free if not _SUM.match(name)]
        for index, name in enumerate(plain):
            sizes[name] = guess[min(index, len(guess) - 1)] if len(guess) > 1 else guess[0]
        for name in free:
            if name not in sizes:
                sizes[name] = _formula(name, sizes, guess[0])
        yield sizes


def _formula(name: str, sizes: Mapping[str, int], default: int) -> int:
    words = re.findall(r"[A-Za-z_]\w*|\d+|[+*-]", name)
    if any(word not in sizes for word in words if word[0].isalpha() or word[0] == "_"):
        return default
    total, term, sign = 0, None, 1
    for word in words:
        if word in "+-":
            total, term, sign = total + sign * (term or 0), None, 1 if word == "+" else -1
        elif word != "*":
            number = sizes[word] if word in sizes else int(word)
            term = number if term is None else term * number
    result = total + sign * (term or 0)
    return result if result > 0 else default


def concrete(shape: Sequence[Size], sizes: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(size if isinstance(size, int) else evaluate(size, {str(s): sizes[str(s)] for s in symbols(size)})
                 for size in shape)


def make_feeds(model: Model, sizes: Mapping[str, int], *, seed: int, fill: str = "random",
               shapes: Mapping[str, Sequence[int]] | None = None,
               data: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """One value per graph input; `data` overrides, `shapes` fixes the shape of an input whose rank is unknown.

    Raises:
        OptionError: an input is of a kind no value can be made up for; give it with `input_data`.
    """
    limits = index_limits(model)
    feeds: dict[str, Any] = {}
    for value in model.graph.inputs:
        if data is not None and value.name in data:
            feeds[value.name] = data[value.name]
            continue
        if value.tensor is not None:
            continue
        rng = np.random.default_rng([seed, zlib.crc32(value.name.encode())])
        feeds[value.name] = make_value(value, sizes, rng, fill, limits.get(value), (shapes or {}).get(value.name))
    return feeds


def make_value(value: Value, sizes: Mapping[str, int], rng: np.random.Generator, fill: str, limit: int | None,
               given: Sequence[int] | None) -> Any:
    if value.type_proto is not None and not value.dtype:
        return _make_other(value, rng)
    if value.shape is None:
        shape = tuple(given) if given is not None else (1,)
    else:
        shape = concrete(value.shape, sizes)
    return filled(value.dtype, shape, rng, fill, limit, masklike="mask" in value.name.lower())


def _make_other(value: Value, rng: np.random.Generator) -> Any:
    proto = value.type_proto
    kind = proto.WhichOneof("value")
    inner = getattr(proto, kind).elem_type if kind in ("sequence_type", "optional_type") else None
    if inner is None or inner.WhichOneof("value") != "tensor_type":
        raise OptionError(f"no value can be made up for input {value.name!r} ({kind})", hint="pass it with input_data")
    tensor = inner.tensor_type
    shape = [d.dim_value if d.HasField("dim_value") else 2 for d in tensor.shape.dim]
    made = filled(tensor.elem_type, tuple(shape), rng, "random", None)
    return [made, made] if kind == "sequence_type" else made


def filled(dtype: int, shape: tuple[int, ...], rng: np.random.Generator, fill: str, limit: int | None, *,
           masklike: bool = False) -> Any:
    """An array of that ONNX dtype: floats uniform in [0, 1), integers below `limit` (or small), booleans mixed."""
    if dtype == dtypes.STRING:
        words = np.array(["a", "bc", "", "d e"], dtype=object)
        return words[rng.integers(0, 4, shape)]
    kind = dtypes.numpy_dtype(dtype)
    if fill == "ones":
        return np.ones(shape, np.float32).astype(kind)
    if fill == "zeros":
        return np.zeros(shape, np.float32).astype(kind)
    if fill == "arange":
        line = np.arange(int(np.prod(shape, dtype=np.int64)), dtype=np.float64).reshape(shape)
        return (line % limit if limit else line).astype(kind)
    if dtype == dtypes.BOOL:
        return rng.integers(0, 2, shape).astype(bool)
    if not dtypes.is_float(dtype) and np.dtype(kind).kind != "c":
        top = limit if limit else 2 if masklike else _INTEGER_LIMIT
        return rng.integers(0, max(1, top), shape).astype(kind)
    return rng.random(shape).astype(kind)
